// What a `send` to several agents prints: whom it is for, and what came of each. Pure.

import type { ActionReport } from '../../schema/api/acting.ts';
import type { PaneItem } from '../../schema/api/panes.ts';
import { type Cell, type Column, renderGrid } from '../grid.ts';
import { type Ink, sanitise, type View } from '../view.ts';

export const resultInks: Readonly<Record<string, Ink>> = {
  delivered: 'green',
  queued: 'green',
  unconfirmed: 'yellow',
  refused: 'red',
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
    { text: code === null ? result : `${result} ${code}`, ink: resultInks[result] ?? null },
    { text: sanitise(view, detail ?? '') },
  ]);
  return `${renderGrid(view, [...resultColumns], rows)}\n`;
}
