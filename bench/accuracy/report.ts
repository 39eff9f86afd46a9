// The report, as Markdown: what docs/accuracy.md holds and what the terminal shows. No dates in it,
// and times only by their order of magnitude, so that the same rules over the same recordings give
// the same file.

import { type Check, type JudgedRecording, pooled, scoreAgent } from './gate.ts';
import { type ClassScore, type Score, score } from './score.ts';
import { type Mode, NO_AGENT, stateClasses, UNKNOWN, WRONG_AGENT } from './truth.ts';

export interface Cost {
  readonly meanMs: number;
  readonly maxMs: number;
}

export interface ReportParts {
  readonly screen: readonly JudgedRecording[];
  readonly signals: readonly JudgedRecording[];
  readonly checks: readonly Check[];
  readonly cost: Cost;
}

/** Four digits, truncated: only a figure without a miss reads 1.0000. */
const figure = (value: number): string => (Math.floor(value * 10_000 + 1e-6) / 10_000).toFixed(4);

const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');
}

/** The records that were answered wrongly. */
export const missesOf = (all: readonly JudgedRecording[]): readonly JudgedRecording[] =>
  all.filter(({ truth, answer }) => truth !== answer);

/** The gates and whether they hold. */
export const checksText = (checks: readonly Check[]): string =>
  table(
    ['gate', 'value', 'needs', ''],
    checks.map(({ name, value, needs, ok }) => [
      name,
      needs === '0' ? value : figure(value),
      needs,
      ok ? 'ok' : 'FAILS',
    ]),
  );

const classCells = ({ name, count, precision, recall, f1 }: ClassScore) => [
  name,
  count,
  figure(precision),
  figure(recall),
  figure(f1),
];

function classesText(figures: Score): string {
  return [
    table(['state', 'records', 'precision', 'recall', 'F1'], figures.classes.map(classCells)),
    '',
    `Macro F1 ${figure(figures.macroF1)}, weighted F1 ${figure(figures.weightedF1)}; ` +
      `waiting (either kind) precision ${figure(figures.waiting.precision)}, ` +
      `recall ${figure(figures.waiting.recall)}; ` +
      `${figures.correct} of ${figures.count} records right.`,
  ].join('\n');
}

function confusionText(figures: Score, mode: Mode): string {
  const columns = [...stateClasses[mode], NO_AGENT, UNKNOWN, WRONG_AGENT];
  const rows = [...stateClasses[mode], NO_AGENT]
    .filter((truth) => figures.confusion.has(truth))
    .map((truth) => [
      `**${truth}**`,
      ...columns.map((answer) => figures.confusion.get(truth)?.get(answer) ?? ''),
    ]);
  return table(['truth \\ answer', ...columns], rows);
}

/** Each agent, its older versions apart: the name, all its states, and those that count. */
function agentScores(all: readonly JudgedRecording[], mode: Mode) {
  const agents = [...new Set(all.map(({ recording }) => recording.folder))];
  return agents
    .filter((agent) => agent !== 'negative')
    .flatMap((agent) => [false, true].map((old) => ({ agent, old })))
    .map(({ agent, old }) => ({
      name: old ? `${agent} (old)` : agent,
      every: scoreAgent(all, agent, old, mode, 1),
      counted: scoreAgent(all, agent, old, mode),
    }))
    .filter(({ every }) => every.count > 0);
}

function agentsText(all: readonly JudgedRecording[], mode: Mode): string {
  const scores = agentScores(all, mode);
  const summary = scores.map(({ name, every, counted }) => [
    name,
    every.count,
    counted.classes.length === 0 ? '-' : figure(counted.macroF1),
    figure(every.weightedF1),
  ]);
  const states = scores.flatMap(({ name, every }) =>
    every.classes.map((each) => [name, ...classCells(each)]),
  );
  return [
    'Per agent. Macro is over states with at least 5 records, weighted over all:',
    '',
    table(['agent', 'records', 'macro F1', 'weighted F1'], summary),
    '',
    'Per agent and state:',
    '',
    table(['agent', 'state', 'records', 'precision', 'recall', 'F1'], states),
  ].join('\n');
}

function missesText(all: readonly JudgedRecording[]): string {
  const rows = missesOf(all).map(({ recording, truth, answer, rule }) => [
    recording.name,
    truth,
    answer,
    rule ?? '',
  ]);
  if (rows.length === 0) return 'No record is answered wrongly.';
  return [
    'Answered wrongly, labels that their own screen proves wrong included',
    '(`bench/accuracy/doubtful-labels.md`):',
    '',
    table(['record', 'is', 'answered', 'by'], rows),
  ].join('\n');
}

/** One mode: pooled figures, confusion table, misses, and each agent. */
export function modeText(all: readonly JudgedRecording[], mode: Mode): string {
  const figures = score(pooled(all), stateClasses[mode]);
  return [
    classesText(figures),
    '',
    'Rows are what the recording shows, columns what was answered:',
    '',
    confusionText(figures, mode),
    '',
    missesText(all),
    '',
    agentsText(all, mode),
  ].join('\n');
}

const STEPS_MS = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];

/** The next step above a time: what it costs, without the noise of one run. */
const under = (ms: number): string => {
  const step = STEPS_MS.find((each) => ms < each);
  return step === undefined ? `over ${STEPS_MS.at(-1)} ms` : `under ${step} ms`;
};

const costText = ({ meanMs, maxMs }: Cost): string =>
  `Classifying one screen costs ${under(meanMs)} on average and ${under(maxMs)} for the slowest ` +
  'one, from what tmux captured to the answer. The gate is 1 ms for the slowest.';

const intro = (records: number): string => `# Accuracy on recorded screens

Generated by \`npm run bench:accuracy\`; do not edit. To reproduce, run that in a checkout (no
network, no tmux, some seconds): it scores every file of \`corpus/\`, writes this page, and exits
with 1 when a gate fails. \`node bench/accuracy.ts --misses\` lists the wrong answers with their
notes (\`--signals\` for those with signals), \`--agent NAME\` keeps to one agent.

What the figures are: answers on ${records} recordings of real CLIs, **the same recordings that
the rules were written from; nothing was held out**. They show that the rules fit what was seen,
across the recorded versions and widths. They are no estimate for versions and screens that nobody
recorded.

What counts: *screen only* is nothing but what tmux shows of a pane and its process tree; there,
\`rest\` is \`completed\` or \`idle\`, which look alike. *With signals* adds what hooks, status
files and escape sequences told at that moment, and keeps the two apart. A plain-text question at
the end of a turn counts as completed, a picker that the person opened as waiting or idle. amp and
cursor are not gated: they could not be driven through their states, and of cursor there is no
recording.`;

/** The whole page. */
export function reportText({ screen, signals, checks, cost }: ReportParts): string {
  return `${[
    intro(screen.length),
    '## Gates',
    checksText(checks),
    costText(cost),
    '## Screen only',
    modeText(screen, 'screen'),
    '## With signals',
    modeText(signals, 'signals'),
  ].join('\n\n')}\n`;
}
