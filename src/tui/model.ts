// Everything that the view is drawn from, and nothing else: what the daemon told, what is selected
// and filtered, and which page is open. Values only; update.ts makes the next one.

import type { Explanation } from '../schema/api/ledger.ts';
import type { PaneItem, SummaryItem } from '../schema/api/panes.ts';
import type { Preview } from '../schema/api/preview.ts';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** How the terminal is drawn to. */
export interface Look {
  readonly color: boolean;
  readonly unicode: boolean;
}

/** The way to the daemon. `starting`: connected, and the first snapshot has not come. */
export type Link =
  | { readonly kind: 'starting' }
  | { readonly kind: 'up' }
  | { readonly kind: 'lost'; readonly sinceMs: number };

export interface Filter {
  readonly text: string;
  readonly attentionOnly: boolean;
  readonly agentsOnly: boolean;
}

export const NO_FILTER: Filter = { text: '', attentionOnly: false, agentsOnly: false };

/** The screen of a pane as it was last read. */
export interface ShownPreview {
  readonly paneKey: string;
  /** Null while it is asked for the first time, or where it cannot be read. */
  readonly screen: Preview | null;
  /** Why there is no screen. */
  readonly problem: string | null;
  readonly askedAtMs: number;
  readonly isAsking: boolean;
  /** How many answers in a row brought nothing new. */
  readonly unchanged: number;
}

export interface ShownLedger {
  readonly paneKey: string;
  readonly told: Explanation | null;
  readonly problem: string | null;
  readonly askedAtMs: number;
  readonly isAsking: boolean;
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
  readonly size: Size;
  readonly look: Look;
  readonly nowMs: number;
  readonly link: Link;
  /** By pane key, in the order in which they came. */
  readonly panes: ReadonlyMap<string, PaneItem>;
  readonly summary: SummaryItem | null;
  readonly filter: Filter;
  readonly page: Page;
  /** The key of the selected row (see rows.ts); null when there is none. */
  readonly selected: string | null;
  readonly isPreviewOn: boolean;
  readonly preview: ShownPreview | null;
  readonly ledger: ShownLedger | null;
  readonly notice: Notice | null;
}

export const initialModel = (size: Size, look: Look, nowMs: number): Model => ({
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
