// The whole screen as lines, from the model alone. Pure: the same model gives the same lines, one
// for each row, none wider than the terminal.

import { wrapText } from '../../render/width.ts';
import type { Model } from '../model.ts';
import { openThread } from '../rows/message-threads.ts';
import { footerLines, headerLine } from '../view/bars.ts';
import { inboxLines } from '../view/inbox-page.ts';
import { bodyRows, layoutScreen, sizeMin } from '../view/layout.ts';
import { listLines } from '../view/list-page.ts';
import { previewLines } from '../view/preview-box.ts';
import { cutLine, fitLine, type SpanLine, span } from '../view/spans.ts';
import { endedLines, textLines } from '../view/text-pages.ts';
import { messagePageLines } from './messages-page.ts';
import { teamLines } from './teams-page.ts';

export function renderScreen(model: Model): readonly SpanLine[] {
  const { page, size } = model;
  const layout = layoutScreen(model);
  if (layout.kind === 'small') return smallLines(model);
  if (page.kind === 'explain' || page.kind === 'help' || page.kind === 'log') {
    return withBars(model, slice(textLines(model), page.top, model));
  }
  if (page.kind === 'ended') {
    const { lines, chosen } = endedLines(model);
    return withBars(model, slice(lines, Math.max(0, chosen - bodyRows(size) + 1), model));
  }
  const scrolled = scrolledPage(model);
  if (scrolled !== null) return withBars(model, scrolled);
  if (model.inbox !== null) return withBars(model, inboxLines(model));
  const list = listLines(model, layout.list);
  if (layout.kind === 'alone') return withBars(model, list);
  const preview = previewLines(model, layout.preview);
  if (layout.kind === 'below') return withBars(model, [...list, ...preview]);
  const between = span(model.look.unicode ? ' │' : ' |', { dim: true });
  const both = list.map((line, index) => [...line, between, ...(preview[index] ?? [])]);
  return withBars(model, both.slice(0, bodyRows(size)));
}

/** Messages and teams: they stay above the line in which something is typed or asked. */
function scrolledPage(model: Model): readonly SpanLine[] | null {
  const { messages, teams, size } = model;
  // A long footer covers nothing of them.
  const rows = Math.max(1, size.rows - 1 - footerLines(model).length);
  if (messages !== null) {
    const { lines, chosen } = messagePageLines(model);
    const isThread = openThread(model) !== null;
    return slice(lines, isThread ? messages.top : chosen - rows + 1, model, rows);
  }
  if (teams === null) return null;
  const { lines, chosen } = teamLines(model);
  // A team is on the screen with some of its members.
  return slice(lines, chosen - (rows >> 1), model, rows);
}

/** The body between the bars; a long footer covers its last lines. */
function withBars(model: Model, body: readonly SpanLine[]): readonly SpanLine[] {
  const rows = model.size.rows - 1;
  const footer = footerLines(model).slice(-rows);
  return [headerLine(model), ...body.slice(0, rows - footer.length), ...footer];
}

/** The lines of a page of text from `top` on, as many as the body has rows. */
function slice(
  lines: readonly SpanLine[],
  top: number,
  { size }: Model,
  rows: number = bodyRows(size),
): readonly SpanLine[] {
  const from = Math.max(0, Math.min(top, lines.length - rows));
  const shown = lines.slice(from, from + rows).map((line) => fitLine(line, size.columns, ''));
  return [...shown, ...Array.from({ length: rows - shown.length }, (): SpanLine => [])];
}

/** The terminal is too small for the list: a sentence says so. */
function smallLines({ kind, size: { columns, rows } }: Model): readonly SpanLine[] {
  const least = sizeMin({ kind });
  const needed = `agtmux needs ${least.columns}x${least.rows}`;
  const text = `${needed}; this is ${columns}x${rows}. q quits.`;
  const lines = wrapText(text, Math.max(1, columns)).map(
    (line): SpanLine => cutLine([span(line)], columns, ''),
  );
  return Array.from({ length: Math.max(0, rows) }, (_, index) => lines[index] ?? []);
}
