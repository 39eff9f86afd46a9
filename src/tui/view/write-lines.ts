// What stands above the keys while a message is written, and the question of ours before sessions
// of a team are ended. Pure.

import { partyName } from '../../render/messages/threads.ts';
import { sanitise } from '../../render/view.ts';
import { wrapText } from '../../render/width.ts';
import type { Model, TeamConfirmPage, WrittenMessage } from '../model.ts';
import { modelView } from './layout.ts';
import { cutLine, OWN, type SpanLine, span } from './spans.ts';

const ruleLine = ({ look, size }: Model): SpanLine => [
  span((look.unicode ? '─' : '-').repeat(size.columns), { dim: true }),
];

/** Whom a message is for. */
export function addresseeText(draft: WrittenMessage): string {
  if (draft.kind === 'new') return draft.to.isBundle ? `all of ${draft.to.name}` : draft.to.name;
  const { message, isToAll } = draft;
  return isToAll ? `${partyName(message.from)} and all others` : partyName(message.from);
}

/** Whom the message is for, above the line in which it is typed. */
export function writeLines(model: Model, draft: WrittenMessage): readonly SpanLine[] {
  const { columns } = model.size;
  const view = modelView(model, columns);
  const verb = draft.kind === 'new' ? 'Message to' : 'Reply to';
  const words = wrapText(sanitise(view, `${verb} ${addresseeText(draft)}:`), columns - 2);
  const lines = words.map((line): SpanLine => [span(` ${line}`, { bold: true })]);
  return [ruleLine(model), ...lines].map((line) => cutLine(line, columns, ''));
}

/** What is about to be done to a team, and to whom: those that work or wait come first. */
export function teamQuestionLines(
  model: Model,
  { bundle, action }: TeamConfirmPage,
): readonly SpanLine[] {
  const { columns } = model.size;
  const view = modelView(model, columns);
  const found = model.teams?.list?.bundles.find(({ id }) => id === bundle);
  const live = (found?.sessions ?? []).filter(({ presence }) => presence === 'live');
  const busy = live.filter(({ state }) => state !== 'idle' && state !== 'completed');
  const members = [...busy, ...live.filter((each) => !busy.includes(each))].map(
    ({ id, name, state }) => `${name ?? id}${state === null ? '' : ` (${state})`}`,
  );
  const who = members.length === 0 ? '' : ` That ends ${members.join(', ')}.`;
  const question =
    action === 'restart'
      ? `End the sessions of team ${bundle} and start them anew?${who}`
      : `End the sessions of team ${bundle}?${who}`;
  const words = wrapText(sanitise(view, question), Math.max(1, columns - 2)).map(
    (line): SpanLine => [span(` ${line}`, { foreground: OWN.yellow, bold: true })],
  );
  return [ruleLine(model), ...words].map((line) => cutLine(line, columns, ''));
}
