// Everything that the screen is drawn from: data of the daemon, selection, filter and open page.
// Values only; update.ts makes the next one.

import type { Explanation } from '../schema/api/ledger.ts';
import type { PaneItem, SummaryItem } from '../schema/api/panes.ts';
import type { Preview } from '../schema/api/preview.ts';
import type { OutageItem } from '../schema/api/targets.ts';
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

/** The connection to the daemon. `starting`: connected, still without a snapshot. */
export type DaemonLink =
  | { readonly kind: 'starting' }
  | { readonly kind: 'up' }
  | { readonly kind: 'lost'; readonly sinceMs: number };

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

/** What a person saw when they began to answer: nothing else is answered. */
export interface ShownAgent {
  readonly runtimeId: string | null;
  readonly stateVersion: number;
  /** The request, where one is open; null for a prompt. */
  readonly request: { readonly requestId: string; readonly labels: readonly string[] } | null;
}

/** A line in which a name, a time, an answer or a prompt is typed. */
export interface PromptPage {
  readonly kind: 'prompt';
  readonly about: 'snooze' | 'name' | 'answer' | 'send';
  readonly paneKey: string;
  /** For an answer and a prompt. */
  readonly shown?: ShownAgent;
  readonly text: string;
  /** Nothing was typed yet: the first character replaces the text. */
  readonly isUntouched: boolean;
}

export type Page =
  | { readonly kind: 'list' }
  | { readonly kind: 'filter'; readonly before: string }
  | PromptPage
  | { readonly kind: 'explain'; readonly top: number }
  | { readonly kind: 'help'; readonly top: number };

/** A sentence in the footer, shown for some seconds. */
export interface Notice {
  readonly text: string;
  readonly isProblem: boolean;
  readonly untilMs: number;
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
  notice: null,
});
