// Everything that the screen is drawn from: data of the daemon, selection, filter and open page.
// Values only; update.ts makes the next one.

import type { Explanation } from '../schema/api/ledger.ts';
import type { PaneItem, SummaryItem } from '../schema/api/panes.ts';
import type { Preview } from '../schema/api/preview.ts';

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** What the terminal can show. */
export interface OutputStyle {
  readonly color: boolean;
  readonly unicode: boolean;
}

/** The connection to the daemon. `starting`: connected, still without a snapshot. */
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

export type Page =
  | { readonly kind: 'list' }
  | { readonly kind: 'filter'; readonly before: string }
  | { readonly kind: 'explain'; readonly top: number }
  | { readonly kind: 'help'; readonly top: number };

/** A sentence in the footer, shown for some seconds. */
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
  /** By pane key, in order of arrival. */
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
