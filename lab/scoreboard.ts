// docs/scoreboard.md from the figures. Pure.

import { EarlierPage } from './earlier-page.ts';
import { type Figures, percent, percentile, type RunLabel } from './figures.ts';
import { GATED_MODES_TEXT } from './gate.ts';
import { GRACE_MS, type Latency, type WrongTime } from './score.ts';

export interface Machine {
  readonly cores: number;
  readonly memoryGb: number;
  readonly system: string;
  readonly tmux: string;
}

const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return tableOf(head, rows.map(row));
}

const tableOf = (head: readonly string[], rows: readonly string[]): string =>
  [row(head), row(head.map(() => '---')), ...rows].join('\n');

const ms = (value: number): string => (Number.isFinite(value) ? value.toFixed(0) : '-');
const spread = (values: readonly number[]): readonly string[] => [
  String(values.length),
  ms(percentile(values, 0.5)),
  ms(percentile(values, 0.95)),
];

const wrongSeconds = (wrong: readonly WrongTime[]): number =>
  wrong.reduce((sum, { seconds }) => sum + seconds, 0);

function summaryRow(figures: Figures): string {
  const { agent, version, mode, scenarios, day, load, score, waits, wrong } = figures;
  const missed = waits.filter(({ kind }) => kind === 'missed').length;
  const overstayed = waits.length - missed;
  const seconds = wrongSeconds(wrong).toFixed(1);
  const played = [scenarios.length, load.toFixed(1), day];
  return row([agent, version, mode, percent(score), missed, overstayed, seconds, ...played]);
}

const summaryHead: readonly string[] = [
  ...['agent', 'version', 'mode', 'score', 'waits missed', 'waits overstayed'],
  ...['wrong seconds', 'scenarios', 'load', 'measured'],
];

export const summaryTable = (all: readonly Figures[]): string =>
  tableOf(summaryHead, all.map(summaryRow));

export function statesTable({ states }: Figures): string {
  const rows = states.map(({ state, right, total }) => [state, total, percent(right / total)]);
  return table(['state', 'samples', 'right'], rows);
}

export function latencyTable(latencies: readonly Latency[]): string {
  const groups = Map.groupBy(latencies, ({ transition }) => transition);
  const rows = [...groups].map(([transition, found]) => {
    const measuredMs = found.flatMap((latency) => (latency.ms === null ? [] : [latency.ms]));
    return [transition, ...spread(measuredMs), found.length - measuredMs.length];
  });
  return table(['transition', 'n', 'p50 ms', 'p95 ms', 'never reported'], rows);
}

export const lagTable = (all: readonly Figures[]): string => tableOf(lagHead, lagRows(all));

const lagHead: readonly string[] = ['source', 'n', 'p50 ms', 'p95 ms'];

/** Those that were measured, and of the other sources what was there before. */
function lagRows(all: readonly Figures[], earlier?: EarlierPage): readonly string[] {
  const lags = all.flatMap((figures) => figures.lags);
  const rows = new Map(earlier?.lagRows());
  for (const [source, found] of Map.groupBy(lags, (lag) => lag.source)) {
    rows.set(source, row([source, ...spread(found.map((lag) => lag.ms))]));
  }
  return [...rows].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, text]) => text);
}

export function wrongTable(wrong: readonly WrongTime[]): string {
  const rows = wrong.map(({ before, truth, scenario, step, answer, seconds }) => [
    `${before ?? 'start'} → ${truth}`,
    `${scenario}: ${step}`,
    answer,
    seconds.toFixed(1),
  ]);
  return table(['transition', 'step', 'answer', 'seconds'], rows);
}

function section(figures: Figures): string {
  const { agent, mode, scenarios, wrong, latencies, faults } = figures;
  return [
    `## ${agent} ${mode}`,
    `Scenarios: ${scenarios.toSorted().join(', ')}.`,
    statesTable(figures),
    latencyTable(latencies),
    wrong.length === 0 ? 'No wrong second.' : wrongTable(wrong),
    ...faults.map((fault) => `The driver failed in ${fault}`),
  ].join('\n\n');
}

/** What came before, for the runs of which there are no figures. */
export interface EarlierRuns {
  /** All that the page may have, in its order. */
  readonly labels: readonly RunLabel[];
  readonly text: string;
}

export function scoreboard(
  all: readonly Figures[],
  machine: Machine,
  { labels, text }: EarlierRuns = { labels: all, text: '' },
): string {
  const earlier = new EarlierPage(text);
  const parts = labels.map((label) => {
    const figures = all.find(({ agent, mode }) => agent === label.agent && mode === label.mode);
    if (figures) return { row: summaryRow(figures), section: section(figures) };
    const before = earlier.row(label);
    return { row: before, section: before === null ? null : earlier.section(label) };
  });
  const rows = parts.flatMap((part) => part.row ?? []);
  const sections = parts.flatMap((part) => part.section ?? []);
  const { cores, memoryGb, system, tmux } = machine;
  return `# Scoreboard: the live daemon against real agents

Generated by \`npm run lab\`; do not edit. It installs the agents from npm, runs them in a private
tmux against a fake model on loopback, drives them through their states and compares what a
subscribed client of the daemon receives with what truly happened. Each state is held for 4 to 6 s
and sampled every 50 ms. A state's share is that of right samples from ${GRACE_MS} ms after the
truth changed; the score is the mean over states. The first second is the latency table: from the
key that was sent, or the moment the model's answer was whole, to the client. Steps under 1.5 s
count there only, and may end before a report. Reasons count where the truth has one, as in
\`idle/interrupted\`. A turn of opencode begins with its request to the model: it takes a prompt and
does nothing for seconds. Codex runs with \`--no-daemon\`. Copilot is interrupted by Ctrl-C.

Over ssh the daemon watches the tmux of another machine. In nested tmux and inside ssh the agent is
behind a program in a local pane, where only its screen can be read: the truth \`left\` is an agent
that has ended there, and \`unknown\` is right until it counts as gone after 45 s. The load is that
of the machine while the lab ran, of which the lab itself is about 2.

Machine: ${cores} cores, ${memoryGb} GB, ${system}, ${tmux}. ${GATED_MODES_TEXT}

${tableOf(summaryHead, rows)}

## From a signal's own time to the client

The start of the emitter, the time in a file, the bytes of a title or an OSC in the lab's own tap.
Claude writes its transcript some time after the time in its lines, so that is not under the gate.

${tableOf(lagHead, lagRows(all, earlier))}

${sections.join('\n\n')}
`;
}
