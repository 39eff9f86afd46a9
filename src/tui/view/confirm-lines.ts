// The question of ours before something is done to an agent: what is done, to whom, and for an
// approval all that the agent asks. Pure.

import { locationText } from '../../render/typed-names.ts';
import { sanitise } from '../../render/view.ts';
import { wrapText } from '../../render/width.ts';
import type { PaneItem } from '../../schema/api/panes.ts';
import type { ConfirmPage, Model, Order } from '../model.ts';
import { modelView } from './layout.ts';
import { optionLines, questionLines } from './request-lines.ts';
import { cutLine, OWN, type SpanLine, span } from './spans.ts';

/** The header, a line of the list, and the keys. */
const ROWS_LEFT = 3;

/** What is about to be done, to whom. */
function questionOf(order: Order, who: string): string {
  switch (order.kind) {
    case 'approve':
      return `Approve this for ${who}, once?`;
    case 'deny':
      return `Deny this to ${who}?`;
    case 'interrupt':
      return `Stop the turn of ${who}?`;
    case 'kill':
      return `Send SIG${order.signal} to ${who} and to all that it started?`;
    default:
      return `Do this to ${who}?`;
  }
}

/** `claude in vm1/work:0.1`. */
function agentText(pane: PaneItem): string {
  const place = pane.identity === null ? '' : ` in ${pane.target}/${locationText(pane.identity)}`;
  return `${pane.agent ?? 'the pane'}${place}`;
}

/** `claude in vm1/work:0.1 (running, pid 4242)`. */
function whoOf({ shown: { pane }, order }: ConfirmPage): string {
  const pid = pane.pid === null ? [] : [`pid ${pane.pid}`];
  const facts = order.kind === 'kill' ? [pane.state, ...pid] : [];
  const about = facts.length === 0 ? '' : ` (${facts.join(', ')})`;
  return `${agentText(pane)}${about}`;
}

const ruleLine = ({ look, size }: Model): SpanLine => [
  span((look.unicode ? '─' : '-').repeat(size.columns), { dim: true }),
];

/** The lines above the keys. */
export function confirmLines(model: Model, page: ConfirmPage): readonly SpanLine[] {
  const { columns } = model.size;
  const view = modelView(model, columns);
  const { pane, request } = page.shown;
  const details = request
    ? [...questionLines(view, request, pane), ...optionLines(view, request)]
    : [];
  const question = questionOf(page.order, whoOf(page));
  const words = wrapText(sanitise(view, question), Math.max(1, columns - 2)).map(
    (line): SpanLine => [span(` ${line}`, { foreground: OWN.yellow, bold: true })],
  );
  return [ruleLine(model), ...details, ...words].map((line) => cutLine(line, columns, ''));
}

/** Whether all of it can be read at once. */
export const fitsConfirm = (model: Model, page: ConfirmPage): boolean =>
  confirmLines(model, page).length <= model.size.rows - ROWS_LEFT;

/** Whom it is for, the question and its options: above the line in which something is typed. */
export function answerLines(model: Model): readonly SpanLine[] {
  const { page, inbox, size, panes } = model;
  // The inbox shows it all the time.
  if (page.kind !== 'prompt' || inbox !== null) return [];
  const { columns } = size;
  const view = modelView(model, columns);
  const pane = page.shown?.pane ?? panes.get(page.paneKey);
  const words = pane ? wrapText(sanitise(view, `For ${agentText(pane)}:`), columns - 2) : [];
  const who = words.map((line): SpanLine => [span(` ${line}`, { bold: true })]);
  const request = page.about === 'send' ? null : page.shown?.request;
  const question =
    request && pane ? [...questionLines(view, request, pane), ...optionLines(view, request)] : [];
  return [ruleLine(model), ...who, ...question].map((line) => cutLine(line, columns, ''));
}

export const fitsAnswer = (model: Model): boolean =>
  answerLines(model).length <= model.size.rows - ROWS_LEFT;
