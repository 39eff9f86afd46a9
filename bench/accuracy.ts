// How often the classification of recorded screens of real agents is right. Prints the figures,
// writes docs/accuracy.md, and fails under its gate. For writers of rules: --misses lists every
// wrong answer, --agent NAME scores one folder, --quiet drops the tables.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { classifyPane, classifyRecord } from '../src/agents/classify/classify-pane.ts';
import type { Registry } from '../src/agents/registry.ts';
import { parseVisibleRecord } from '../src/schema/record.ts';
import { loadRegistry } from '../src/sources/rule-files.ts';
import { loadCorpus, type Recording } from './accuracy/corpus.ts';
import { type Check, type JudgedRecording, screenChecks, signalChecks } from './accuracy/gate.ts';
import { type Cost, checksText, missesOf, modeText, reportText } from './accuracy/report.ts';
import { answerOf, type Mode, truthOf } from './accuracy/truth.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const COST_MS_MAX = 1;
const ROUNDS = 5;

const { values: flags } = parseArgs({
  options: {
    misses: { type: 'boolean', default: false },
    agent: { type: 'string' },
    signals: { type: 'boolean', default: false },
    quiet: { type: 'boolean', default: false },
    corpus: { type: 'string' },
  },
});

function judge(recordings: readonly Recording[], registry: Registry, mode: Mode) {
  return recordings.map((recording): JudgedRecording => {
    const withSignals = mode === 'signals';
    const answer = classifyRecord(recording.raw, registry, { withSignals });
    if (answer === null) throw new Error(`${recording.name} is not a recording`);
    return {
      recording,
      truth: truthOf(recording, mode),
      answer: answerOf(answer, recording, mode),
      rule: answer.rule,
    };
  });
}

/** Milliseconds per screen, each by its best round: other work on the machine slows the rest. */
function measureCost(recordings: readonly Recording[], registry: Registry): Cost {
  const screens = recordings
    .map(({ raw }) => parseVisibleRecord(raw))
    .filter((each) => each !== null);
  const best = screens.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, screen] of screens.entries()) {
      const start = performance.now();
      classifyPane(screen, registry);
      best[index] = Math.min(best[index] ?? 0, performance.now() - start);
    }
  }
  const meanMs = best.reduce((sum, each) => sum + each, 0) / best.length;
  return { meanMs, maxMs: Math.max(...best) };
}

function printMisses(all: readonly JudgedRecording[]): void {
  for (const { recording, truth, answer, rule } of missesOf(all)) {
    const notes = recording.label.notes.slice(0, 90);
    console.log(`${recording.name}: is ${truth}, answered ${answer} by ${rule ?? '-'} | ${notes}`);
  }
}

function main(): number {
  const only = flags.agent;
  const registry = loadRegistry({});
  for (const { file, problem } of registry.problems) console.error(`${file}: ${problem}`);
  const recordings = loadCorpus(flags.corpus ?? join(root, 'corpus')).filter(
    ({ folder }) => only === undefined || folder === only,
  );
  const screen = judge(recordings, registry, 'screen');
  const withSignals = recordings.filter(({ screenOnly }) => !screenOnly);
  const signals = judge(withSignals, registry, 'signals');
  if (flags.misses) {
    printMisses(flags.signals ? signals : screen);
  } else if (!flags.quiet) {
    console.log(`## Screen only\n\n${modeText(screen, 'screen')}\n`);
    console.log(`## With signals\n\n${modeText(signals, 'signals')}\n`);
  }
  const cost = measureCost(recordings, registry);
  const checks: Check[] = [
    ...screenChecks(screen, only),
    ...(only === undefined ? signalChecks(signals) : []),
  ];
  console.log(checksText(checks));
  console.log(
    `\nOne screen costs ${cost.meanMs.toFixed(3)} ms on average, ` +
      `${cost.maxMs.toFixed(3)} ms at most.`,
  );
  if (only === undefined && flags.corpus === undefined) {
    writeFileSync(join(root, 'docs', 'accuracy.md'), reportText({ screen, signals, checks, cost }));
  }
  const isFastEnough = cost.maxMs < COST_MS_MAX;
  return checks.every(({ ok }) => ok) && isFastEnough && registry.problems.length === 0 ? 0 : 1;
}

process.exitCode = main();
