// Where everything stands on a terminal of some size: bars, list and preview. Pure geometry; what
// is drawn there is in the files of the pages.

import type { View } from '../render/view.ts';
import type { Model, TerminalSize } from './model.ts';

export const COLUMNS_MIN = 40;
export const ROWS_MIN = 6;
/** The bar at the top and the one at the bottom. */
const BARS = 2;
/** From here on list and preview stand side by side: 56 columns are left for the list. */
const SIDE_COLUMNS_MIN = 120;
const SIDE_LIST_MIN = 56;
/** A terminal of 80 columns and the line between. */
const SIDE_PREVIEW_WISHED = 82;
/** A blank and a line stand between list and preview. */
const BETWEEN = 2;
/** Fewer rows are too few for a list with something below it. */
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
    const list = Math.min(most, Math.max(SIDE_LIST_MIN, columns - SIDE_PREVIEW_WISHED));
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

/** Whether anybody sees the preview now. */
export function isPreviewShown(model: Model): boolean {
  if (model.page.kind !== 'list' && model.page.kind !== 'filter') return false;
  const { kind } = layoutScreen(model);
  return kind === 'side' || kind === 'below';
}

/** How the renderers of the tables are told to draw. */
export const modelView = ({ look, nowMs }: Pick<Model, 'look' | 'nowMs'>, width: number): View => ({
  ...look,
  width,
  nowMs,
});
