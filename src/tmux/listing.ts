// What tmux says of every pane and client, as one command each and a reader for its reply. Any
// content survives: the fields that hold foreign text stand between separators that nothing inside
// tmux can know. What the rows mean is left to sources/.

import { randomBytes } from 'node:crypto';
import { HUD_FIELD } from '../platform/text/hud-mark.ts';
import { SIDEBAR_OPTION } from '../platform/text/sidebar-option.ts';
import { decodeUtf8 } from '../tmux-wire/bytes.ts';
import type { Reply } from '../tmux-wire/control-parser.ts';

/**
 * A title may hold newlines, tabs and any separator that could be guessed, and tmux does not escape
 * them. A separator drawn at random for each process cannot be in any of them. Length prefixes
 * (`#{n:...}`) would do too, but they make tmux read /proc twice for each path and command, and a
 * path that changes in between spoils the row.
 */
export const SEPARATOR = `<${randomBytes(9).toString('base64url')}>`;

/** A server that lists more rows, one of another machine perhaps, is known by the first ones. */
export const LISTED_MAX = 5_000;

/** The options that agents and our emitter set; no other option of the user's is read. */
export const AGENT_OPTIONS = [
  '@agent_state',
  '@agent_kind',
  '@agent_name',
  '@agent_event',
] as const;
export type AgentOption = (typeof AGENT_OPTIONS)[number];

/** Of an option: its value, null where it is not set, or that it holds what none of ours holds. */
export type OptionValue = string | null | { readonly invalid: true };

/** One row for each location of a pane: linked and grouped sessions list it more than once. */
export interface ListedPane {
  readonly serverPid: number;
  /** Seconds since the epoch; with the pid it names the life of the server. */
  readonly serverStartTime: number;
  readonly sessionId: string;
  readonly sessionName: string;
  readonly destroyUnattached: boolean;
  readonly windowId: string;
  readonly windowIndex: number;
  readonly windowName: string;
  /** Whole seconds since the epoch. */
  readonly windowActivity: number;
  readonly windowActive: boolean;
  readonly paneId: string;
  readonly paneIndex: number;
  readonly paneActive: boolean;
  readonly panePid: number;
  readonly dead: boolean;
  /**
   * Null while the pane lives, where a signal ended it, and until tmux has reaped the program: 3.3a
   * sometimes leaves that to the end of its next child.
   */
  readonly deadStatus: number | null;
  /** The signal that ended it, where tmux shows it (3.3 and newer). */
  readonly deadSignal: number | null;
  readonly title: string;
  /** The name of its machine, which tmux gives every new pane as its title. */
  readonly host: string;
  readonly currentCommand: string;
  readonly currentPath: string;
  readonly inMode: boolean;
  readonly alternateOn: boolean;
  readonly cursor: { readonly x: number; readonly y: number };
  readonly historySize: number;
  readonly width: number;
  readonly height: number;
  /** Above the others, where tmux has such panes (3.7 and newer). */
  readonly floating: boolean;
  /**
   * As the pane shows them: tmux inherits them from the window, the session and the server, and no
   * format shows which. Before a value counts, ask ownOptionsCommand whether it is the pane's own.
   */
  readonly options: Readonly<Record<AgentOption, OptionValue>>;
}

export interface PaneListing {
  readonly panes: readonly ListedPane[];
  /** Rows that could not be read and were left out. */
  readonly unreadCount: number;
}

/** A client and the pane that it shows. */
export interface ListedClient {
  readonly name: string;
  readonly pid: number;
  readonly control: boolean;
  readonly sessionId: string;
  readonly windowId: string;
  /** The active pane of that window: what a person at a client that is not `control` sees. */
  readonly paneId: string;
}

// Numbers and ids of tmux itself: nothing foreign, so a blank separates them.
const PLAIN_FIELDS = [
  'pid',
  'start_time',
  'session_id',
  'destroy-unattached',
  'window_id',
  'window_index',
  'window_activity',
  'window_active',
  'pane_id',
  'pane_index',
  'pane_active',
  'pane_pid',
  'pane_dead',
  'pane_dead_status',
  'pane_dead_signal',
  'pane_in_mode',
  'alternate_on',
  'cursor_x',
  'cursor_y',
  'history_size',
  'pane_width',
  'pane_height',
  'pane_floating_flag',
  HUD_FIELD,
] as const;
const FOREIGN_FIELDS = [
  'session_name',
  'window_name',
  'pane_title',
  'host',
  'pane_current_command',
  'pane_current_path',
  SIDEBAR_OPTION,
  ...AGENT_OPTIONS,
] as const;

type PlainField = (typeof PLAIN_FIELDS)[number];
type ForeignField = (typeof FOREIGN_FIELDS)[number];

// The index of each field; needed for every pane of every listing.
const plainPlaces = new Map(PLAIN_FIELDS.map((field, index) => [field, index]));
const foreignPlaces = new Map(FOREIGN_FIELDS.map((field, index) => [field, index + 1]));

const SIDEBAR_PLACE = FOREIGN_FIELDS.indexOf(SIDEBAR_OPTION) + 1;

/** The value of a field, in a format. */
export const shown = (field: string): string => `#{${field}}`;
const FORMAT = [PLAIN_FIELDS.map(shown).join(' '), ...FOREIGN_FIELDS.map(shown), '']
  .join(SEPARATOR)
  .replace(/^/, SEPARATOR);

/** Lists every pane of the server. A row costs tmux some 50 us: it reads /proc for it. */
export function listingCommand(): string[] {
  return ['list-panes', '-a', '-F', FORMAT];
}

/**
 * Reads the reply to listingCommand. Never throws; of an error it is the empty listing. A sidebar
 * and the HUD of ours are no panes of the user's and are left out.
 */
export function readPaneListing(reply: Reply): PaneListing {
  const panes: ListedPane[] = [];
  let unreadCount = 0;
  // Each row is `S plain S foreign ... S newline`, so the pieces come in groups of equal size.
  const pieces = reply.ok ? reply.lines.join('\n').split(SEPARATOR) : [];
  const size = FOREIGN_FIELDS.length + 2;
  const end = Math.min(pieces.length, 1 + LISTED_MAX * size);
  for (let start = 1; start < end; start += size) {
    const row = pieces.slice(start, start + size);
    // The last one may have been cut off.
    const pane = row.length < size ? null : readRow(row);
    if (pane === null) unreadCount += 1;
    else if (!isOwnPane(row, pane)) panes.push(pane);
  }
  return { panes, unreadCount };
}

const HUD_PLACE = PLAIN_FIELDS.indexOf(HUD_FIELD);

/** A sidebar of ours, or the HUD. */
const isOwnPane = (row: readonly string[], { paneId }: ListedPane): boolean =>
  row[SIDEBAR_PLACE] === paneId || row[0]?.split(' ')[HUD_PLACE] === '1';

/** Reads one listing after the other. One that is equal to the last is given again as it was. */
export function listingReader(): (reply: Reply) => PaneListing {
  let lastLines: readonly string[] = [];
  let last: PaneListing | null = null;
  return (reply) => {
    const { ok, lines } = reply;
    const isSame = ok && lines.length === lastLines.length;
    if (last === null || !isSame || lines.some((line, index) => line !== lastLines[index])) {
      last = readPaneListing(reply);
      lastLines = ok ? lines : [];
    }
    return last;
  };
}

function readRow(row: readonly string[]): ListedPane | null {
  const plainValues = (row[0] ?? '').split(' ');
  if (plainValues.length !== PLAIN_FIELDS.length) return null;
  const plain = (field: PlainField): string => plainValues[plainPlaces.get(field) ?? -1] ?? '';
  const number = (field: PlainField): number => wholeNumber(plain(field));
  const flag = (field: PlainField): boolean => plain(field) === '1';
  const foreign = (field: ForeignField): string => row[foreignPlaces.get(field) ?? -1] ?? '';
  const text = (field: ForeignField): string => decodeUtf8(foreign(field));
  const ids = [plain('session_id'), plain('window_id'), plain('pane_id')].join(' ');
  if (!/^\$\d+ @\d+ %\d+$/.test(ids) || number('pid') === 0) return null;
  return {
    serverPid: number('pid'),
    serverStartTime: number('start_time'),
    sessionId: plain('session_id'),
    sessionName: text('session_name'),
    destroyUnattached: !isOff(plain('destroy-unattached')),
    windowId: plain('window_id'),
    windowIndex: number('window_index'),
    windowName: text('window_name'),
    windowActivity: number('window_activity'),
    windowActive: flag('window_active'),
    paneId: plain('pane_id'),
    paneIndex: number('pane_index'),
    paneActive: flag('pane_active'),
    panePid: number('pane_pid'),
    dead: flag('pane_dead'),
    deadStatus: plain('pane_dead_status') === '' ? null : number('pane_dead_status'),
    deadSignal: plain('pane_dead_signal') === '' ? null : number('pane_dead_signal'),
    title: text('pane_title'),
    host: text('host'),
    currentCommand: text('pane_current_command'),
    currentPath: text('pane_current_path'),
    // The number of modes that are open, not a flag.
    inMode: number('pane_in_mode') > 0,
    alternateOn: flag('alternate_on'),
    cursor: { x: number('cursor_x'), y: number('cursor_y') },
    historySize: number('history_size'),
    width: number('pane_width'),
    height: number('pane_height'),
    floating: flag('pane_floating_flag'),
    options: readOptions(foreign),
  };
}

/** Whether `destroy-unattached` is off: a flag until tmux 3.4, then one word of four. */
export function isOff(destroyUnattached: string): boolean {
  return ['0', 'off', ''].includes(destroyUnattached);
}

function wholeNumber(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : 0;
}

// What the emitter and the agents known to us write; anything else is no value to reason about.
const optionValue = /^[A-Za-z0-9_.:@%+=,/ -]{1,256}$/;

function readOptions(foreign: (field: ForeignField) => string): ListedPane['options'] {
  const entries = AGENT_OPTIONS.map((name): [AgentOption, OptionValue] => {
    const value = foreign(name);
    if (value === '') return [name, null];
    return [name, optionValue.test(value) ? value : { invalid: true }];
  });
  return Object.fromEntries(entries) as Record<AgentOption, OptionValue>;
}

/** Asks which options are set on the pane itself, and not only inherited by it. */
export function ownOptionsCommand(paneId: string): string[] {
  return ['show-options', '-p', '-t', paneId];
}

/** Reads the reply to ownOptionsCommand; empty for a pane that is gone. */
export function readOwnOptions(reply: Reply): ReadonlyMap<AgentOption, string> {
  const own = new Map<AgentOption, string>();
  // tmux escapes newlines of values here, so that each line is one option.
  for (const line of reply.ok ? reply.lines : []) {
    const name = AGENT_OPTIONS.find((each) => line.startsWith(`${each} `));
    // A value with blanks stands in quotes; none of ours holds a quote.
    const value = line.slice((name?.length ?? 0) + 1).replace(/^"(.*)"$/, '$1');
    if (name !== undefined && optionValue.test(value)) own.set(name, value);
  }
  return own;
}

const CLIENT_FIELDS = ['client_pid', 'client_control_mode', 'session_id', 'window_id', 'pane_id'];
const CLIENT_FORMAT = `${CLIENT_FIELDS.map(shown).join(' ')} ${shown('client_name')}`;

/** Lists every client of the server. */
export function clientsCommand(): string[] {
  return ['list-clients', '-F', CLIENT_FORMAT];
}

/** Reads the reply to clientsCommand. Lines that do not fit are left out. */
export function readClients(reply: Reply): readonly ListedClient[] {
  if (!reply.ok) return [];
  return reply.lines.flatMap((line) => {
    const [, pid, control, sessionId, windowId, paneId, name] =
      /^(\d+) ([01]) (\$\d+) (@\d+) (%\d+) (.*)$/.exec(line) ?? [];
    if (!sessionId || !windowId || !paneId) return [];
    const who = { name: decodeUtf8(name ?? ''), pid: wholeNumber(pid ?? '') };
    return [{ ...who, control: control === '1', sessionId, windowId, paneId }];
  });
}
