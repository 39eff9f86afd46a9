// The promise: figures under which `npm run bench:accuracy` fails. amp and cursor are reported and
// not gated, because they could not be driven through their states.

import type { Recording } from './corpus.ts';
import { type Judged, type Score, score } from './score.ts';
import { type Mode, NO_AGENT, stateClasses } from './truth.ts';

export interface JudgedRecording extends Judged {
  readonly recording: Recording;
  readonly rule: string | null;
}

export interface Check {
  readonly name: string;
  readonly value: number;
  readonly needs: string;
  readonly ok: boolean;
}

const MAIN = ['claude', 'codex', 'gemini', 'copilot', 'opencode'];
const OTHERS = ['auggie', 'cline', 'kilo', 'pi', 'qwen'];
const UNGATED = ['amp', 'cursor'];
const COUNT_MIN = 5;

const atLeast = (name: string, value: number, min: number): Check => ({
  name,
  value,
  needs: `>= ${min}`,
  ok: value >= min,
});

/** The recordings that the pooled figure counts. */
export const pooled = (all: readonly JudgedRecording[]): readonly JudgedRecording[] =>
  all.filter(({ recording }) => !UNGATED.includes(recording.folder));

/** The figure of one agent, over states with at least so many records. */
export function scoreAgent(
  all: readonly JudgedRecording[],
  agent: string,
  old: boolean,
  mode: Mode,
  countMin = COUNT_MIN,
): Score {
  const own = all.filter(({ recording }) => recording.folder === agent && recording.old === old);
  return score(own, stateClasses[mode], countMin);
}

/** Every gate of the screen-only run. `only` limits them to one agent. */
export function screenChecks(all: readonly JudgedRecording[], only?: string): readonly Check[] {
  const agents = [...MAIN, ...OTHERS].filter((agent) => only === undefined || agent === only);
  const perAgent = agents.flatMap((agent) => {
    const count = all.filter(({ recording }) => recording.folder === agent).length;
    if (count === 0) return [atLeast(`${agent} recordings`, count, 1)];
    const floor = MAIN.includes(agent) ? 0.95 : 0.9;
    const current = atLeast(
      `${agent} macro F1`,
      scoreAgent(all, agent, false, 'screen').macroF1,
      floor,
    );
    if (!all.some(({ recording }) => recording.folder === agent && recording.old)) return [current];
    const old = scoreAgent(all, agent, true, 'screen').macroF1;
    return [current, atLeast(`${agent} old-* macro F1`, old, 0.92)];
  });
  const whole = score(pooled(all), stateClasses.screen);
  const claimed = all.filter(
    ({ truth, answer }) => truth === NO_AGENT && answer !== NO_AGENT,
  ).length;
  // One agent alone need not have every state.
  const states = only === undefined ? [atLeast('pooled macro F1', whole.macroF1, 0.95)] : [];
  const global = [
    atLeast('recordings', all.length, 1),
    ...states,
    atLeast('pooled waiting recall', whole.waiting.recall, 0.97),
    atLeast('pooled waiting precision', whole.waiting.precision, 0.97),
    {
      name: 'no_agent records called managed',
      value: claimed,
      needs: '0',
      ok: claimed === 0,
    },
  ];
  return [...global, ...perAgent];
}

/** The gate of the run with signals, completed and idle apart. */
export function signalChecks(all: readonly JudgedRecording[]): readonly Check[] {
  const whole = score(pooled(all), stateClasses.signals);
  return [atLeast('with signals, pooled macro F1', whole.macroF1, 0.985)];
}
