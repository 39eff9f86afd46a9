// What `list deliveries` prints: queued prompts, and what came of earlier ones. Pure.

import type { DeliveryItem } from '../../schema/api/acting.ts';
import { type Cell, type Column, renderGrid } from '../grid.ts';
import { locationText } from '../typed-names.ts';
import { ageOf, type Ink, sanitise, type View } from '../view.ts';
import { resultInks } from './send-results.ts';

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

const inks: Readonly<Record<string, Ink>> = { ...resultInks, expired: 'red' };
