// The areas of the screen: bars, list and preview. Pure geometry; the pages draw into them.

import type { View } from '../../render/view.ts';
import type { Model, TerminalSize } from '../model.ts';

export const COLUMNS_MIN = 40;
export const ROWS_MIN = 6;
/** The bar at the top and the one at the bottom. */
const BARS = 2;
/** From this width on, list and preview are side by side: the list keeps 56 columns. */
const SIDE_COLUMNS_MIN = 120;
const SIDE_LIST_MIN = 56;
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

export function layoutScreen({
  size,
  isPreviewOn,
}: Pick<Model, 'size' | 'isPreviewOn'>): ScreenLayout {
  const { columns } = size;
  if (columns < COLUMNS_MIN || size.rows < ROWS_MIN) return { kind: 'small' };
  const rows = bodyRows(size);
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
  if (model.page.kind !== 'list' && model.page.kind !== 'filter') return false;
  const { kind } = layoutScreen(model);
  return kind === 'side' || kind === 'below';
}

/** The view that render/ draws with. */
export const modelView = ({ look, nowMs }: Pick<Model, 'look' | 'nowMs'>, width: number): View => ({
  ...look,
  width,
  nowMs,
});
