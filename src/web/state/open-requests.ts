// What agents ask of a person, over all panes: approvals and questions, the oldest first. Pure.

import type { ChooseInput } from '../../schema/api/acting.ts';
import type { PaneItem } from '../../schema/api/panes.ts';
import { byText } from '../../schema/order/order.ts';
import type { Fleet } from './fleet.ts';

export type PaneRequestItem = PaneItem['attention']['requests'][number];

/** A request as a person was shown it, with whose it is. */
export interface InboxItem {
  readonly pane: PaneItem;
  readonly request: PaneRequestItem;
}

export const inboxKey = ({ pane, request }: InboxItem): string =>
  `${pane.pane_key}\n${request.request_id}`;

/** With all that a person reads of it: under one id may come the next question of a dialog. */
export function shownKey(item: InboxItem): string {
  const { kind, detail, note } = item.request;
  const { tool, command, file, text, options } = detail ?? {};
  const labels = options?.map(({ label }) => label);
  return JSON.stringify([inboxKey(item), kind, tool, command, file, text, note, labels]);
}

const isOpenKind = ({ kind }: PaneRequestItem): boolean =>
  kind === 'approval' || kind === 'question';

export const inboxItemsOf = (pane: PaneItem): readonly InboxItem[] =>
  pane.attention.requests
    .filter(isOpenKind)
    .map((request) => ({ pane, request }))
    .toSorted((a, b) => byText(a.request.since, b.request.since));

export const isSnoozed = ({ attention }: PaneItem): boolean => attention.snoozed_until !== null;

/** The oldest first; what a person has put off comes last. */
export const inboxItems = ({ panes }: Fleet): readonly InboxItem[] =>
  [...panes.values()]
    .filter(({ presence }) => presence !== 'missing')
    .flatMap(inboxItemsOf)
    .toSorted(
      (a, b) =>
        Number(isSnoozed(a.pane)) - Number(isSnoozed(b.pane)) ||
        byText(a.request.since, b.request.since) ||
        byText(inboxKey(a), inboxKey(b)),
    );

export type OptionMood = 'yes' | 'no' | 'other';

/** How an option looks; what is chosen is always its label. */
export function optionMood(label: string): OptionMood {
  if (/^(?:yes|allow|approve|accept|ok|continue|proceed|run)\b/i.test(label)) return 'yes';
  return /^(?:no|deny|reject|cancel|abort|stop|don.t)\b/i.test(label) ? 'no' : 'other';
}

/** Whether several options may be chosen. */
export const hasCheckboxes = ({ detail }: PaneRequestItem): boolean =>
  detail?.options?.some(({ checked }) => checked !== undefined) ?? false;

/** The input of `choose`: what was shown must still be so, else it is refused. */
export function chooseInput(
  { pane, request }: InboxItem,
  choice: ChooseInput['choice'],
  requestRef: string,
) {
  const { runtime_id: runtime, state_version: version } = pane;
  return {
    ref: actionRef(pane),
    ...(runtime === null ? {} : { if_runtime: runtime }),
    if_version: version,
    request_id: request.request_id,
    request_ref: requestRef,
    choice,
  };
}

/** The runtime where there is one: a name may mean another agent by now. */
export const actionRef = ({ runtime_id, ref }: PaneItem): string =>
  runtime_id === null ? ref : `runtime:${runtime_id}`;

/** What every other action names of what was shown. */
export const shownGuards = ({ runtime_id }: PaneItem) =>
  runtime_id === null ? {} : { if_runtime: runtime_id };

/** The lines of a command or a diff, with what each does in a diff. */
export function diffLines(
  text: string,
): readonly { readonly text: string; readonly kind: 'plus' | 'minus' | 'place' | 'same' }[] {
  const lines = text.split('\n');
  const isDiff = lines.some((line) => line.startsWith('@@')) || /^[-+]{3} /m.test(text);
  return lines.map((line) => {
    if (!isDiff) return { text: line, kind: 'same' };
    if (line.startsWith('@@')) return { text: line, kind: 'place' };
    if (line.startsWith('+')) return { text: line, kind: 'plus' };
    return { text: line, kind: line.startsWith('-') ? 'minus' : 'same' };
  });
}
