// What `list requests` and `history --actions` print: what agents ask, and what was done. Pure.

import type { ActionList, OpenRequestItem, RequestList } from '../schema/api/acting.ts';
import type { PaneItem } from '../schema/api/panes.ts';
import { type Column, renderGrid } from './grid.ts';
import { optionsText, requestText, unreadText } from './pane-notes.ts';
import { locationText, typedNames } from './typed-names.ts';
import { ageOf, paint, sanitise, type View } from './view.ts';
import { wrapText } from './width.ts';

/** Each request as a block: whose it is, what is asked, which options there are. */
export function renderRequests(view: View, { requests }: RequestList): string {
  if (requests.length === 0) return 'Nothing is asked.\n';
  return `${requests.map((request) => requestBlock(view, request)).join('\n\n')}\n`;
}

function requestBlock(view: View, request: OpenRequestItem): string {
  const { pane, kind, since } = request;
  const place = `${locationText(pane.identity)}  ${pane.agent ?? '-'}`;
  const head = `${place}  ${kind} for ${ageOf(view, since)}`;
  const options = optionsText(request);
  const lines = [requestText(request) || unreadText(kind, pane), options].filter(isFilled);
  if (options === '' && !request.takes_text) lines.push('Answer it in its pane: agtmux attach.');
  const indented = lines.flatMap((line) =>
    wrapText(sanitise(view, line), Math.max(20, view.width - 2)).map((row) => `  ${row}`),
  );
  return [paint(view, 'bold', sanitise(view, head)), ...indented].join('\n');
}

const isFilled = (line: string): boolean => line !== '';

const columns: readonly Column[] = [
  { title: 'AGO', rank: 0, min: 3 },
  { title: 'WHAT', rank: 0, min: 4 },
  { title: 'PANE', rank: 1, min: 3, isWhole: true },
  { title: 'RESULT', rank: 0, min: 7 },
  { title: 'BY', rank: 3, min: 4 },
  { title: 'DETAIL', rank: 2, min: 10 },
];

/** The audit trail, newest first; panes by what is typed for them, where they are still there. */
export function renderActions(
  view: View,
  { actions }: ActionList,
  panes: readonly PaneItem[],
): string {
  if (actions.length === 0) return 'No actions.\n';
  const nameOf = typedNames(panes);
  const names = new Map(panes.map((pane) => [pane.pane_key, nameOf(pane)]));
  const rows = actions.map(({ asked_at, kind, pane_key, result, code, actor, detail }) => [
    { text: ageOf(view, asked_at) },
    { text: kind },
    { text: sanitise(view, names.get(pane_key) ?? paneText(pane_key)) },
    { text: code === null ? (result ?? 'running') : `${result} ${code}` },
    { text: sanitise(view, actor) },
    { text: sanitise(view, detail ?? '') },
  ]);
  return `${renderGrid(view, [...columns], rows)}\n`;
}

/** `%3`, or `vm1 %3`: a pane that is gone has no other name. */
function paneText(paneKey: string): string {
  const [target = '', , , , escapedId = ''] = paneKey.split('|');
  const number = /^%25(\d+)$/.exec(escapedId)?.[1];
  if (number === undefined) return paneKey;
  return target === 'local' ? `%${number}` : `${target} %${number}`;
}
