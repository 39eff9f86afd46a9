// Everything that the screen is drawn from: data of the daemon, selection, filter and open page.
// Values only; update.ts makes the next one.

import type { EndedAgentItem } from '../schema/api/actions.ts';
import type { ConversationEntry } from '../schema/api/conversation.ts';
import type { Explanation } from '../schema/api/ledger.ts';
import type { PaneItem, SummaryItem } from '../schema/api/panes.ts';
import type { Preview } from '../schema/api/preview.ts';
import type { OutageItem } from '../schema/api/targets.ts';
import type { BundleAction, BundleList } from '../schema/relay/bundle-api.ts';
import type { Inbox, MessageItem } from '../schema/relay/message-schemas.ts';
import { defaultTuiColumns, type TuiColumn } from '../text/tui-columns.ts';
import { defaultPreferences, NO_FILTER, type Preferences, type RowFilter } from './preferences.ts';

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** What the terminal can show. */
export interface OutputStyle {
  readonly color: boolean;
  readonly unicode: boolean;
  /** The background is light. */
  readonly isLight: boolean;
}

/**
 * The connection to the daemon. `starting`: connected, still without a snapshot. Lost with
 * `isSilent`: it is there, and the daemon does not answer.
 */
export type DaemonLink =
  | { readonly kind: 'starting' }
  | { readonly kind: 'up' }
  | { readonly kind: 'lost'; readonly sinceMs: number; readonly isSilent: boolean };

/** `sidebar`: a narrow pane beside the user's own, without a preview. */
export type ViewKind = 'full' | 'sidebar';

/** The `[tui]` section of config.toml. */
export interface TuiSettings {
  readonly columns: readonly TuiColumn[];
  /** Names of the sessions and windows of workers; `*` stands for any text. */
  readonly workers: readonly string[];
}

export const defaultSettings: TuiSettings = { columns: defaultTuiColumns, workers: [] };

/** The latest screen of a pane. */
export interface PreviewState {
  readonly paneKey: string;
  /** Null before the first reply, or when it cannot be read. */
  readonly screen: Preview | null;
  /** Why there is no screen. */
  readonly problem: string | null;
  readonly requestedAtMs: number;
  readonly isLoading: boolean;
  /** How many replies in a row were the same. */
  readonly unchanged: number;
}

export interface LedgerState {
  readonly paneKey: string;
  readonly explanation: Explanation | null;
  readonly problem: string | null;
  readonly requestedAtMs: number;
  readonly isLoading: boolean;
}

/** What an agent said and did: the newest of it. */
export interface LogState {
  readonly paneKey: string;
  readonly entries: readonly ConversationEntry[] | null;
  readonly problem: string | null;
  readonly requestedAtMs: number;
  readonly isLoading: boolean;
  /** Tools with all that they got and gave. */
  readonly isUnfolded: boolean;
}

export type PaneRequest = PaneItem['attention']['requests'][number];

/** What a person saw when they began to act, as it was then: nothing else is acted on. */
export interface ShownAgent {
  readonly pane: PaneItem;
  /** What is answered; null for what is no answer. */
  readonly request: PaneRequest | null;
}

export interface ShownRequest extends ShownAgent {
  readonly request: PaneRequest;
}

export interface AnsweredRequest {
  readonly request: PaneRequest;
  readonly untilMs: number;
}

export const killSignals = ['INT', 'TERM', 'KILL'] as const;
export type KillSignal = (typeof killSignals)[number];

/** What is to be done to an agent. */
export type Order =
  | { readonly kind: 'approve' }
  | { readonly kind: 'deny'; readonly reason?: string }
  | { readonly kind: 'answer'; readonly labels: readonly string[]; readonly isSeveral: boolean }
  | { readonly kind: 'own-answer'; readonly text: string }
  | { readonly kind: 'send'; readonly text: string }
  | { readonly kind: 'interrupt' }
  | { readonly kind: 'kill'; readonly signal: KillSignal };

/** A question of ours before something is done: Enter does it. */
export interface ConfirmPage {
  readonly kind: 'confirm';
  readonly order: Order;
  readonly shown: ShownAgent;
}

/** What agents ask, one after the other. */
export interface InboxState {
  /** What is read, as it was when it came up; null where nothing is asked. */
  readonly shown: ShownRequest | null;
  /** When it came up: a key right after that was meant for what was there before. */
  readonly shownAtMs: number;
  /** The first visible line of what is asked. */
  readonly top: number;
  /** Its end was on the screen, if it had to be scrolled there. */
  readonly isRead: boolean;
}

/** A line in which a name, a time, an answer or a prompt is typed. */
export interface PromptPage {
  readonly kind: 'prompt';
  readonly about: 'snooze' | 'name' | 'answer' | 'reason' | 'send';
  readonly paneKey: string;
  /** For an answer, a reason and a prompt. */
  readonly shown?: ShownAgent;
  readonly text: string;
  /** Nothing was typed yet: the first character replaces the text. */
  readonly isUntouched: boolean;
}

/** Agents that have ended, to start one again. */
export interface EndedState {
  /** Null before the daemon has answered. */
  readonly agents: readonly EndedAgentItem[] | null;
  readonly problem: string | null;
  readonly index: number;
}

/** Messages of agents and people, and which thread of them is read. */
export interface MessagesState {
  /** Null before the daemon has answered. */
  readonly inbox: Inbox | null;
  readonly problem: string | null;
  readonly requestedAtMs: number;
  readonly isLoading: boolean;
  /** The thread that is chosen in their list; null: the newest. */
  readonly chosen: string | null;
  /** The thread that is read; null: their list is shown. */
  readonly thread: string | null;
  /** Of the thread. A `top` of Infinity: its end, also when more comes. */
  readonly top: number;
  /** Messages that the daemon was asked to mark as read. */
  readonly marked: ReadonlySet<string>;
}

/** The declared bundles. */
export interface TeamsState {
  readonly list: BundleList | null;
  readonly problem: string | null;
  readonly requestedAtMs: number;
  readonly isLoading: boolean;
  /** The key of the chosen bundle or member (see rows/team-rows.ts); null: the first. */
  readonly chosen: string | null;
}

/** Whom a new message is for. */
export interface Addressee {
  /** A canonical id, or the id of a bundle. */
  readonly id: string;
  readonly isBundle: boolean;
  /** As people read it. */
  readonly name: string;
}

/** A message that is being written. */
export type WrittenMessage =
  | {
      readonly kind: 'new';
      readonly to: Addressee;
      readonly subject: string;
      readonly text: string;
    }
  | {
      readonly kind: 'reply';
      readonly message: MessageItem;
      readonly isToAll: boolean;
      readonly text: string;
    };

/** The line in which a message, or its subject, is typed. */
export interface WritePage {
  readonly kind: 'write';
  readonly draft: WrittenMessage;
  readonly field: 'subject' | 'text';
}

/** A question of ours before sessions of a bundle are ended: Enter does it. */
export interface TeamConfirmPage {
  readonly kind: 'team-confirm';
  readonly bundle: string;
  readonly action: BundleAction;
}

export type Page =
  | { readonly kind: 'list' }
  | { readonly kind: 'filter'; readonly before: string }
  | PromptPage
  | ConfirmPage
  | { readonly kind: 'inbox' }
  | { readonly kind: 'ended' }
  | { readonly kind: 'messages' }
  | { readonly kind: 'teams' }
  | WritePage
  | TeamConfirmPage
  | { readonly kind: 'explain'; readonly top: number }
  /** A `top` of Infinity: its end, also when more comes. */
  | { readonly kind: 'log'; readonly top: number }
  | { readonly kind: 'help'; readonly top: number };

/** Sentences in the footer, one a line; most are shown for some seconds. */
export interface Notice {
  readonly text: string;
  readonly isProblem: boolean;
  /** Infinity: until a key is pressed. */
  readonly untilMs: number;
  /** A key before that time was pressed before anybody could read it, and leaves it there. */
  readonly unreadUntilMs?: number;
}

export interface Model {
  readonly kind: ViewKind;
  readonly size: TerminalSize;
  readonly look: OutputStyle;
  /** The user's home folder, which paths show as `~`; empty: unknown. */
  readonly home: string;
  readonly settings: TuiSettings;
  readonly preferences: Preferences;
  readonly nowMs: number;
  readonly link: DaemonLink;
  /** By pane key, in order of arrival. */
  readonly panes: ReadonlyMap<string, PaneItem>;
  readonly summary: SummaryItem | null;
  /** Machines and tmux servers that are gone. */
  readonly outages: readonly OutageItem[];
  readonly filter: RowFilter;
  readonly page: Page;
  /** The key of the selected row or collapsed section (see rows/); null when there is none. */
  readonly selected: string | null;
  /** Until the user presses a key, the first row stays selected whatever comes. */
  readonly isSelectionFree: boolean;
  /** The first visible line of the list. */
  readonly top: number;
  readonly preview: PreviewState | null;
  readonly ledger: LedgerState | null;
  readonly log: LogState | null;
  /** Open while not null; other pages may cover it. */
  readonly inbox: InboxState | null;
  /** Null where its page is not open. */
  readonly ended: EndedState | null;
  /** Open while not null, as the inbox. */
  readonly messages: MessagesState | null;
  readonly teams: TeamsState | null;
  /** A message that was refused: it can be sent again. */
  readonly unsent: WrittenMessage | null;
  /** What is being done, by pane key. */
  readonly running: ReadonlyMap<string, Order>;
  /** Requests that were answered, by pane key, until the daemon has seen that they are over. */
  readonly answered: ReadonlyMap<string, AnsweredRequest>;
  /** A prompt that was refused: it can be sent again. */
  readonly draft: { readonly paneKey: string; readonly text: string } | null;
  readonly notice: Notice | null;
}

export interface ModelStart {
  readonly size: TerminalSize;
  readonly look: OutputStyle;
  readonly nowMs: number;
  readonly kind?: ViewKind;
  readonly home?: string;
  readonly preferences?: Preferences;
}

export const initialModel = ({ size, look, nowMs, ...start }: ModelStart): Model => ({
  kind: start.kind ?? 'full',
  size,
  look,
  home: start.home ?? '',
  settings: defaultSettings,
  preferences: start.preferences ?? defaultPreferences,
  nowMs,
  link: { kind: 'starting' },
  panes: new Map(),
  summary: null,
  outages: [],
  filter: NO_FILTER,
  page: { kind: 'list' },
  selected: null,
  isSelectionFree: true,
  top: 0,
  preview: null,
  ledger: null,
  log: null,
  inbox: null,
  ended: null,
  messages: null,
  teams: null,
  unsent: null,
  running: new Map(),
  answered: new Map(),
  draft: null,
  notice: null,
});
