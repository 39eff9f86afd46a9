// From the rows of one listing to the facts of each pane. A pane that several sessions show is one
// pane with several places. Titles that only turn a spinner, or change without end, are not news.

import type { ServerListing } from '../../core/identity/instance.ts';
import type { PaneBirth } from '../../schema/ids.ts';
import { type PaneFacts, type PaneLocation, TITLE_LENGTH_MAX } from '../../schema/pane.ts';
import type { ListedPane } from '../../tmux/listing.ts';
import type { ServerAddress } from '../known-pane.ts';
import { ownText } from '../own-text.ts';

const LOCATIONS_MAX = 64;
const PATH_LENGTH_MAX = 4_096;
/** A title that keeps changing is taken over at most so often; agents' titles are evidence too. */
const TITLE_MS = 3_000;

/** What is kept of a pane between two listings. */
export interface PaneMemory {
  readonly birth: PaneBirth;
  readonly title: string;
  readonly titleAtMs: number;
}

export interface ListingInput {
  readonly address: ServerAddress;
  readonly rows: readonly ListedPane[];
  readonly nowMs: number;
  readonly remembered: (paneId: string) => PaneMemory | null;
  /** Whether births that are remembered are read again: a pid may have come back. */
  readonly rereadsBirths: boolean;
  /** When a pane's first process started; null when it is gone. */
  readonly startedAtMs: (pid: number) => number | null;
  readonly isOpaque: (row: ListedPane) => boolean;
}

/** The facts of every pane, each once, and the life of the server that has them. */
export function listingFacts(input: ListingInput): ServerListing {
  const { address, rows, nowMs } = input;
  const [first] = rows;
  const generation = first
    ? { pid: first.serverPid, startedAtMs: first.serverStartTime * 1000 }
    : null;
  const byPane = new Map<string, ListedPane[]>();
  for (const row of rows) {
    const places = byPane.get(row.paneId);
    if (places) places.push(row);
    else byPane.set(row.paneId, [row]);
  }
  const panes = generation
    ? [...byPane.values()].map((places) => factsOf(places, generation, input))
    : [];
  return { ...address, generation, panes, atMs: nowMs };
}

function factsOf(
  places: readonly ListedPane[],
  generation: PaneFacts['generation'],
  input: ListingInput,
): PaneFacts {
  const row = places[0] as ListedPane;
  const known = input.remembered(row.paneId);
  return {
    ...input.address,
    generation,
    paneId: row.paneId,
    birth: birthOf(row, known, input),
    locations: places.slice(0, LOCATIONS_MAX).map(locationOf),
    title: titleOf(row, known, input.nowMs),
    command: ownText(row.currentCommand.slice(0, TITLE_LENGTH_MAX)),
    path: ownText(row.currentPath.slice(0, PATH_LENGTH_MAX)),
    dead: row.dead,
    opaque: input.isOpaque(row),
  };
}

/** A process that has ended can no longer be asked when it began. */
function birthOf(row: ListedPane, known: PaneMemory | null, input: ListingInput): PaneBirth {
  const pid = row.panePid;
  if (known?.birth.pid === pid && (row.dead || !input.rereadsBirths)) return known.birth;
  const startedAtMs = input.startedAtMs(pid);
  if (startedAtMs !== null) return { pid, startedAtMs };
  return known?.birth.pid === pid ? known.birth : { pid, startedAtMs: 0 };
}

function titleOf({ title }: ListedPane, known: PaneMemory | null, nowMs: number): string {
  const now = title.slice(0, TITLE_LENGTH_MAX);
  if (known === null) return ownText(now);
  const isSame = withoutSpinner(known.title) === withoutSpinner(now);
  return isSame || nowMs - known.titleAtMs < TITLE_MS ? known.title : ownText(now);
}

/** A title without the signs in front that agents turn while they work. */
export const withoutSpinner = (title: string): string =>
  title.replace(/^[^\p{L}\p{N}]+/u, '').trimEnd();

function locationOf(row: ListedPane): PaneLocation {
  return {
    sessionId: row.sessionId,
    sessionName: ownText(row.sessionName.slice(0, TITLE_LENGTH_MAX)),
    windowId: row.windowId,
    windowIndex: row.windowIndex,
    windowName: ownText(row.windowName.slice(0, TITLE_LENGTH_MAX)),
    paneIndex: row.paneIndex,
    active: row.windowActive && row.paneActive,
  };
}
