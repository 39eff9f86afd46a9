// The areas of the screen: bars, list and preview. Pure geometry; the pages draw into them.

import type { View } from '../../render/view.ts';
import type { Model, TerminalSize } from '../model.ts';

const COLUMNS_MIN = 40;
const ROWS_MIN = 6;
/** The bar at the top and the one at the bottom. */
const BARS = 2;
/** The least size of a sidebar. */
const SIDEBAR_MIN = { columns: 16, rows: 4 } as const;
/** From this width on, list and preview are side by side: the list keeps its state words. */
const SIDE_COLUMNS_MIN = 160;
const SIDE_LIST_MIN = 76;
/** A screen of 80 columns and the line beside it. */
const SIDE_PREVIEW_COLUMNS = 82;
/** A blank and a line between list and preview. */
const BETWEEN = 2;
/** With fewer rows there is no room for a preview below the list. */
const BELOW_ROWS_MIN = 14;

export interface Area {
  readonly columns: number;
  readonly rows: number;
}

export type ScreenLayout =
  | { readonly kind: 'small' }
  | { readonly kind: 'alone'; readonly list: Area }
  | { readonly kind: 'side'; readonly list: Area; readonly preview: Area }
  | { readonly kind: 'below'; readonly list: Area; readonly preview: Area };

/** Lines between the two bars. */
export const bodyRows = ({ rows }: TerminalSize): number => Math.max(0, rows - BARS);

/** The least size that a view can be drawn on. */
export const sizeMin = ({ kind }: Pick<Model, 'kind'>): TerminalSize =>
  kind === 'sidebar' ? SIDEBAR_MIN : { columns: COLUMNS_MIN, rows: ROWS_MIN };

export function layoutScreen({
  kind,
  size,
  preferences,
}: Pick<Model, 'kind' | 'size' | 'preferences'>): ScreenLayout {
  const { columns } = size;
  const least = sizeMin({ kind });
  if (columns < least.columns || size.rows < least.rows) return { kind: 'small' };
  const rows = bodyRows(size);
  const isPreviewOn = preferences.isPreviewOn && kind === 'full';
  if (isPreviewOn && columns >= SIDE_COLUMNS_MIN) {
    const most = Math.floor(columns * 0.6);
    const list = Math.min(most, Math.max(SIDE_LIST_MIN, columns - SIDE_PREVIEW_COLUMNS));
    return {
      kind: 'side',
      list: { columns: list - BETWEEN, rows },
      preview: { columns: columns - list, rows },
    };
  }
  if (isPreviewOn && rows >= BELOW_ROWS_MIN) {
    const below = Math.floor(rows * 0.45);
    return {
      kind: 'below',
      list: { columns, rows: rows - below },
      preview: { columns, rows: below },
    };
  }
  return { kind: 'alone', list: { columns, rows } };
}

/** Whether the preview is on the screen. */
export function isPreviewShown(model: Model): boolean {
  if (['explain', 'help', 'log', 'ended'].includes(model.page.kind)) return false;
  if (model.messages !== null || model.teams !== null) return false;
  const { kind } = layoutScreen(model);
  if (model.inbox !== null) return kind !== 'small';
  return kind === 'side' || kind === 'below';
}

/** The view that render/ draws with. */
export const modelView = ({ look, nowMs }: Pick<Model, 'look' | 'nowMs'>, width: number): View => ({
  ...look,
  width,
  nowMs,
});
