// How long a signal was on its way, from its own time to the client. Pure. Hooks and files carry
// their time; that of titles and OSC is when the lab's tap received them.

import type { AnswerChange } from './sample.ts';
import type { TapSignal } from './tap.ts';

export interface SignalLag {
  readonly source: string;
  readonly ms: number;
}

const tapKinds: Readonly<Record<string, TapSignal['kind']>> = {
  title: 'title',
  'osc-7501': 'osc7501',
};
/** Their time is that of our own poll, which says nothing about the latency. */
const polledSources = new Set(['screen', 'process', 'option']);

/**
 * They show that the work has stopped. That it was interrupted follows from the silence of the
 * sources that report completions, which takes its time however fast the signal was.
 */
const stopOnly = new Set(['osc-7501', 'title', 'claude-session-file']);
const isJudged = ({ answer, source }: AnswerChange): boolean =>
  answer === 'idle/interrupted' && stopOnly.has(source ?? '');

function signalTime(change: AnswerChange, signals: readonly TapSignal[]): number | null {
  const kind = tapKinds[change.source ?? ''];
  if (kind === undefined) return change.evidenceAtMs;
  const before = signals.findLast((signal) => signal.kind === kind && signal.atMs <= change.atMs);
  return before?.atMs ?? null;
}

/**
 * The lags of one pane. A change that tells of an older signal than the change before was not made
 * by that signal but by the end of another one, and is left out.
 */
export function lagsOf(
  changes: readonly AnswerChange[],
  signals: readonly TapSignal[],
): readonly SignalLag[] {
  return changes.flatMap((change, index) => {
    const { source, atMs } = change;
    const previous = changes[index - 1];
    if (source === null || polledSources.has(source) || previous === undefined) return [];
    // The same evidence as before: another source has added a reason.
    const isSame = previous.source === source && previous.evidenceAtMs === change.evidenceAtMs;
    if (isSame || isJudged(change)) return [];
    const signalMs = signalTime(change, signals);
    if (signalMs === null || signalMs <= previous.atMs || signalMs > atMs) return [];
    return [{ source, ms: atMs - signalMs }];
  });
}
