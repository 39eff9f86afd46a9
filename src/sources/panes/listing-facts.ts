// From the rows of one listing to the facts of each pane. A pane that several sessions show is one
// pane with several locations. A title that only turns a spinner, or never stops changing, is no
// news.

import type { ServerListing } from '../../core/identity/instance.ts';
import type { PaneBirth } from '../../schema/ids.ts';
import { type PaneFacts, type PaneLocation, TITLE_LENGTH_MAX } from '../../schema/pane.ts';
import type { ListedPane } from '../../tmux/listing.ts';
import type { ServerAddress } from '../known-pane.ts';
import { ownText } from '../own-text.ts';

const LOCATIONS_MAX = 64;
const PATH_LENGTH_MAX = 4_096;
/** How soon after another a title is taken over: a person who looks at it expects the new one. */
const TITLE_MS = 800;
/** A title that keeps changing (a counter) is taken over only so often after some times. */
const BUSY_TITLE_MS = 3_000;
const BUSY_TITLES = 5;

/** What is kept of a pane between two listings. */
export interface PaneMemory {
  readonly birth: PaneBirth;
  readonly title: string;
  readonly titleAtMs: number;
  /** How many titles in a row came soon after another. */
  readonly quickTitles: number;
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
  const byPane = Map.groupBy(rows, ({ paneId }) => paneId);
  const panes = generation
    ? [...byPane.values()].map((shown) => factsOf(shown, generation, input))
    : [];
  return { ...address, generation, panes, atMs: nowMs };
}

function factsOf(
  shown: readonly ListedPane[],
  generation: PaneFacts['generation'],
  input: ListingInput,
): PaneFacts {
  const row = shown[0] as ListedPane;
  const memory = input.remembered(row.paneId);
  const title = titleOf(row, memory, input.nowMs);
  return {
    ...input.address,
    generation,
    paneId: row.paneId,
    birth: birthOf(row, memory, input),
    locations: shown.slice(0, LOCATIONS_MAX).map(locationOf),
    title,
    ...(isHost(title, row.host) ? { isHostTitle: true as const } : {}),
    ...(row.floating ? { isFloating: true as const } : {}),
    command: ownText(row.currentCommand.slice(0, TITLE_LENGTH_MAX)),
    path: ownText(row.currentPath.slice(0, PATH_LENGTH_MAX)),
    dead: row.dead,
    opaque: input.isOpaque(row),
  };
}

/** The start time of a process that has ended cannot be read any more. */
function birthOf(row: ListedPane, memory: PaneMemory | null, input: ListingInput): PaneBirth {
  const pid = row.panePid;
  if (memory?.birth.pid === pid && (row.dead || !input.rereadsBirths)) return memory.birth;
  const startedAtMs = input.startedAtMs(pid);
  if (startedAtMs !== null) return { pid, startedAtMs };
  return memory?.birth.pid === pid ? memory.birth : { pid, startedAtMs: 0 };
}

function titleOf(row: ListedPane, memory: PaneMemory | null, nowMs: number): string {
  const now = row.title.slice(0, TITLE_LENGTH_MAX);
  if (memory === null) return ownText(now);
  const isSame = withoutSpinner(memory.title) === withoutSpinner(now);
  return isSame || isTooSoon(memory, nowMs) ? memory.title : ownText(now);
}

const isHost = (title: string, host: string): boolean =>
  title === host || title === host.split('.')[0];

function isTooSoon({ titleAtMs, quickTitles }: PaneMemory, nowMs: number): boolean {
  return nowMs - titleAtMs < (quickTitles < BUSY_TITLES ? TITLE_MS : BUSY_TITLE_MS);
}

/** Whether a new title waits because the last one was taken over just before. */
export const isTitleOwed = (row: ListedPane, { title }: PaneMemory): boolean =>
  withoutSpinner(title) !== withoutSpinner(row.title.slice(0, TITLE_LENGTH_MAX));

/** What is remembered of the title that was taken over. */
export function rememberTitle(
  memory: PaneMemory | null,
  title: string,
  nowMs: number,
): Omit<PaneMemory, 'birth'> {
  if (memory === null) return { title, titleAtMs: nowMs, quickTitles: 0 };
  const { titleAtMs, quickTitles } = memory;
  if (memory.title === title) return { title, titleAtMs, quickTitles };
  const isQuick = nowMs - titleAtMs < 2 * BUSY_TITLE_MS;
  return { title, titleAtMs: nowMs, quickTitles: isQuick ? quickTitles + 1 : 0 };
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
