// How long a signal was on its way, from its own time to the client. Pure. Hooks and files carry
// their time; that of titles and OSC is when the lab's tap heard them.

import type { ToldChange } from './sample.ts';
import type { Signal } from './tap.ts';

export interface SignalLag {
  readonly source: string;
  readonly ms: number;
}

const heard: Readonly<Record<string, Signal['kind']>> = {
  title: 'title',
  'osc-7501': 'osc7501',
};
/** Of these the time is that of our own look, which says nothing of the way. */
const looked = new Set(['screen', 'process', 'option']);

/**
 * They tell that the work has stopped. That it was interrupted is judged by the silence of those
 * who would tell a completion, which takes its time whatever the way.
 */
const stopOnly = new Set(['osc-7501', 'title', 'claude-session-file']);
const isJudged = ({ said, source }: ToldChange): boolean =>
  said === 'idle/interrupted' && stopOnly.has(source ?? '');

function signalTime(change: ToldChange, signals: readonly Signal[]): number | null {
  const kind = heard[change.source ?? ''];
  if (kind === undefined) return change.evidenceAtMs;
  const before = signals.findLast((signal) => signal.kind === kind && signal.atMs <= change.atMs);
  return before?.atMs ?? null;
}

/**
 * The lags of one pane. A change that tells of an older signal than the change before was not made
 * by that signal but by the end of another one, and is left out.
 */
export function lagsOf(
  told: readonly ToldChange[],
  signals: readonly Signal[],
): readonly SignalLag[] {
  return told.flatMap((change, index) => {
    const { source, atMs } = change;
    const previous = told[index - 1];
    if (source === null || looked.has(source) || previous === undefined) return [];
    // The same evidence as before: another source has added a reason.
    const isSame = previous.source === source && previous.evidenceAtMs === change.evidenceAtMs;
    if (isSame || isJudged(change)) return [];
    const signalMs = signalTime(change, signals);
    if (signalMs === null || signalMs <= previous.atMs || signalMs > atMs) return [];
    return [{ source, ms: atMs - signalMs }];
  });
}
