// The pages of text: the ledger of a pane, in the words of `agtmux explain`, and the help. Pure.

import { renderExplanation } from '../render/ledger.ts';
import { markOf, show } from '../render/view.ts';
import { wrapText } from '../render/width.ts';
import { states } from '../text/state-words.ts';
import { ansiLines } from './ansi-lines.ts';
import { helpKeys } from './key-table.ts';
import { bodyRows, viewOf } from './layout.ts';
import type { Model } from './model.ts';
import { inkStyle, type Line, type PieceStyle, piece } from './styled.ts';

const DIM: PieceStyle = { dim: true };

/** Every line of the ledger, however many. */
export function ledgerLines(model: Model): readonly Line[] {
  const { ledger, size, look } = model;
  const told = ledger?.told;
  if (!told) {
    const text = ledger?.problem ?? 'Asking the daemon.';
    return wrapText(show(viewOf(model, size.columns), text), size.columns - 1).map((line) => [
      piece(line, DIM),
    ]);
  }
  const view = { ...viewOf(model, size.columns), nowMs: Date.parse(told.generated_at) };
  const text = renderExplanation(view, told).trimEnd();
  return ansiLines(text.split('\n'), look.unicode);
}

const topMax = (lines: readonly Line[], { size }: Model): number =>
  Math.max(0, lines.length - bodyRows(size));

export const ledgerTopMax = (model: Model): number => topMax(ledgerLines(model), model);
export const helpTopMax = (model: Model): number => topMax(helpLines(model), model);

const KEY_CELLS = 18;

const stateMeanings: Readonly<Record<(typeof states)[number], string>> = {
  error: 'failed',
  waiting_approval: 'asks whether it may do something',
  waiting_input: 'asks a question',
  running: 'works',
  completed: 'has finished its turn',
  idle: 'waits for its next task',
  unknown: 'not known; the reason stands beside it',
};

/** Every line of the help, however many. */
export function helpLines({ size, look, nowMs }: Model): readonly Line[] {
  const view = viewOf({ look, nowMs }, size.columns);
  const heading = (text: string): Line => [piece(text, { bold: true })];
  return [
    heading('Keys'),
    ...helpKeys(look.unicode).map(
      ({ keys, does }): Line => [piece(`  ${keys.padEnd(KEY_CELLS)} `), piece(does, DIM)],
    ),
    [],
    heading('Marks'),
    ...states.map((state): Line => {
      const { mark, ink } = markOf(view, state);
      const word = `${mark} ${state}`.padEnd(KEY_CELLS);
      return [piece(`  ${word} `, inkStyle(ink)), piece(stateMeanings[state], DIM)];
    }),
    [],
    heading('List'),
    ...wrapText(
      'One heading for each session of each target, one line for each pane: mark, state, how ' +
        'long it has been so, agent, window and pane, title, branch. Who needs you comes ' +
        'first. A bold mark means that something in the pane was not seen yet.',
      Math.max(1, size.columns - 3),
    ).map((line): Line => [piece(`  ${line}`, DIM)]),
  ];
}
