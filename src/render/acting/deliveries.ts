// What `list deliveries` prints, and a `send` to many: whom it is for, and what came of each. Pure.

import type { ActionReport, DeliveryItem } from '../../schema/api/acting.ts';
import type { PaneItem } from '../../schema/api/panes.ts';
import { type Cell, type Column, renderGrid } from '../grid.ts';
import { locationText } from '../typed-names.ts';
import { ageOf, type Ink, sanitise, type View } from '../view.ts';

const deliveryColumns: readonly Column[] = [
  { title: 'ID', rank: 0, min: 12 },
  { title: 'TO', rank: 0, min: 6 },
  { title: 'STATUS', rank: 0, min: 9 },
  { title: 'DUE', rank: 1, min: 4 },
  { title: 'BY', rank: 4, min: 4 },
  { title: 'DETAIL', rank: 2, min: 10 },
  { title: 'TEXT', rank: 3, min: 10 },
];

/** Queued prompts, those that wait first. */
export function renderDeliveries(view: View, deliveries: readonly DeliveryItem[]): string {
  if (deliveries.length === 0) return 'No prompt is queued.\n';
  const rows = deliveries.map((each): readonly Cell[] => [
    { text: sanitise(view, each.delivery_id) },
    { text: sanitise(view, each.pane ? locationText(each.pane.identity) : 'gone') },
    { text: each.status, ink: inks[each.status] ?? null },
    { text: dueText(view, each) },
    { text: sanitise(view, each.actor) },
    { text: sanitise(view, each.detail ?? '') },
    { text: sanitise(view, each.text.replaceAll(/\s+/g, ' ')) },
  ]);
  return `${renderGrid(view, [...deliveryColumns], rows)}\n`;
}

/** `now`, or how long it takes until then. */
function dueText(view: View, { due_at, settled_at }: DeliveryItem): string {
  if (settled_at !== null) return `${ageOf(view, settled_at)} ago`;
  const leftMs = Date.parse(due_at) - view.nowMs;
  return leftMs <= 0 ? 'now' : `in ${ageOf({ ...view, nowMs: Date.parse(due_at) }, nowOf(view))}`;
}

const nowOf = ({ nowMs }: View): string => new Date(nowMs).toISOString();

const inks: Readonly<Record<string, Ink>> = {
  delivered: 'green',
  queued: 'green',
  unconfirmed: 'yellow',
  refused: 'red',
  expired: 'red',
};

/** What came of one of several sends. */
export interface SendResult {
  readonly ref: string;
  /** What to type for it. */
  readonly name: string;
  readonly pane_key: string;
  readonly runtime_id: string | null;
  readonly agent: string | null;
  readonly action_id: string | null;
  readonly result: NonNullable<ActionReport['result']>;
  /** The code of a refusal. */
  readonly code: string | null;
  readonly detail: string | null;
}

const targetColumns: readonly Column[] = [
  { title: 'PANE', rank: 0, min: 6 },
  { title: 'AGENT', rank: 1, min: 5 },
  { title: 'STATE', rank: 1, min: 5 },
  { title: 'TITLE', rank: 2, min: 8 },
];

/** Whom a text is for, before it is sent. */
export function renderSendTargets(
  view: View,
  panes: readonly PaneItem[],
  nameOf: (pane: PaneItem) => string,
): string {
  const rows = panes.map((pane): readonly Cell[] => [
    { text: sanitise(view, nameOf(pane)) },
    { text: sanitise(view, pane.agent ?? '-') },
    { text: pane.state },
    { text: sanitise(view, pane.title) },
  ]);
  return `${renderGrid(view, [...targetColumns], rows)}\n`;
}

const resultColumns: readonly Column[] = [
  { title: 'PANE', rank: 0, min: 6 },
  { title: 'AGENT', rank: 1, min: 5 },
  { title: 'RESULT', rank: 0, min: 9 },
  { title: 'DETAIL', rank: 2, min: 10 },
];

export function renderSendResults(view: View, results: readonly SendResult[]): string {
  const rows = results.map(({ name, agent, result, code, detail }): readonly Cell[] => [
    { text: sanitise(view, name) },
    { text: sanitise(view, agent ?? '-') },
    { text: code === null ? result : `${result} ${code}`, ink: inks[result] ?? null },
    { text: sanitise(view, detail ?? '') },
  ]);
  return `${renderGrid(view, [...resultColumns], rows)}\n`;
}
