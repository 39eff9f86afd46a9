// Everything that the view is drawn from, and nothing else: what the daemon told, what is selected
// and filtered, and which page is open. Values only; update.ts makes the next one.

import type { Explanation } from '../schema/api/ledger.ts';
import type { PaneItem, SummaryItem } from '../schema/api/panes.ts';
import type { Preview } from '../schema/api/preview.ts';

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** How the terminal is drawn to. */
export interface OutputStyle {
  readonly color: boolean;
  readonly unicode: boolean;
}

/** The way to the daemon. `starting`: connected, and the first snapshot has not come. */
export type DaemonLink =
  | { readonly kind: 'starting' }
  | { readonly kind: 'up' }
  | { readonly kind: 'lost'; readonly sinceMs: number };

export interface RowFilter {
  readonly text: string;
  readonly attentionOnly: boolean;
  readonly agentsOnly: boolean;
}

export const NO_FILTER: RowFilter = { text: '', attentionOnly: false, agentsOnly: false };

/** The screen of a pane as it was last read. */
export interface PreviewState {
  readonly paneKey: string;
  /** Null while it is asked for the first time, or where it cannot be read. */
  readonly screen: Preview | null;
  /** Why there is no screen. */
  readonly problem: string | null;
  readonly requestedAtMs: number;
  readonly isLoading: boolean;
  /** How many answers in a row brought nothing new. */
  readonly unchanged: number;
}

export interface LedgerState {
  readonly paneKey: string;
  readonly explanation: Explanation | null;
  readonly problem: string | null;
  readonly requestedAtMs: number;
  readonly isLoading: boolean;
}

export type Page =
  | { readonly kind: 'list' }
  | { readonly kind: 'filter'; readonly before: string }
  | { readonly kind: 'explain'; readonly top: number }
  | { readonly kind: 'help'; readonly top: number };

/** One sentence for the person, until it is over. */
export interface Notice {
  readonly text: string;
  readonly isProblem: boolean;
  readonly untilMs: number;
}

export interface Model {
  readonly size: TerminalSize;
  readonly look: OutputStyle;
  readonly nowMs: number;
  readonly link: DaemonLink;
  /** By pane key, in the order in which they came. */
  readonly panes: ReadonlyMap<string, PaneItem>;
  readonly summary: SummaryItem | null;
  readonly filter: RowFilter;
  readonly page: Page;
  /** The key of the selected row (see rows.ts); null when there is none. */
  readonly selected: string | null;
  readonly isPreviewOn: boolean;
  readonly preview: PreviewState | null;
  readonly ledger: LedgerState | null;
  readonly notice: Notice | null;
}

export const initialModel = (size: TerminalSize, look: OutputStyle, nowMs: number): Model => ({
  size,
  look,
  nowMs,
  link: { kind: 'starting' },
  panes: new Map(),
  summary: null,
  filter: NO_FILTER,
  page: { kind: 'list' },
  selected: null,
  isPreviewOn: true,
  preview: null,
  ledger: null,
  notice: null,
});
