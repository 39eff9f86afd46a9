// The whole terminal as lines, from the model alone. Pure: the same model gives the same lines,
// exactly as many as there are rows, none wider than the terminal.

import { wrapText } from '../render/width.ts';
import { footerLines, headerLine } from './bars.ts';
import { bodyRows, COLUMNS_MIN, layoutOf, ROWS_MIN } from './layout.ts';
import { listLines } from './list-page.ts';
import type { Model } from './model.ts';
import { previewLines } from './preview-box.ts';
import { cutLine, fitLine, type Line, piece } from './styled.ts';
import { helpLines, ledgerLines } from './text-pages.ts';

export function view(model: Model): readonly Line[] {
  const { page, size } = model;
  const layout = layoutOf(model);
  if (layout.kind === 'small') return smallLines(model);
  if (page.kind === 'explain') return framed(model, slice(ledgerLines(model), page.top, model));
  if (page.kind === 'help') return framed(model, slice(helpLines(model), page.top, model));
  const list = listLines(model, layout.list);
  if (layout.kind === 'alone') return framed(model, list);
  const preview = previewLines(model, layout.preview);
  if (layout.kind === 'below') return framed(model, [...list, ...preview]);
  const between = piece(model.look.unicode ? ' │' : ' |', { dim: true });
  const both = list.map((line, index) => [...line, between, ...(preview[index] ?? [])]);
  return framed(model, both.slice(0, bodyRows(size)));
}

/** Between the bars; the one at the bottom may stand over the last lines. */
function framed(model: Model, body: readonly Line[]): readonly Line[] {
  const footer = footerLines(model);
  return [headerLine(model), ...body.slice(0, model.size.rows - 1 - footer.length), ...footer];
}

/** The lines of a page of text from `top` on, as many as the body has rows. */
function slice(lines: readonly Line[], top: number, { size }: Model): readonly Line[] {
  const rows = bodyRows(size);
  const from = Math.max(0, Math.min(top, lines.length - rows));
  const shown = lines.slice(from, from + rows).map((line) => fitLine(line, size.columns, ''));
  return [...shown, ...Array.from({ length: rows - shown.length }, (): Line => [])];
}

/** Too small for a list: it says so, in as much room as there is. */
function smallLines({ size: { columns, rows } }: Model): readonly Line[] {
  const text = `agtmux needs ${COLUMNS_MIN}x${ROWS_MIN}; this is ${columns}x${rows}. q quits.`;
  const lines = wrapText(text, Math.max(1, columns)).map(
    (line): Line => cutLine([piece(line)], columns, ''),
  );
  return Array.from({ length: Math.max(0, rows) }, (_, index) => lines[index] ?? []);
}
