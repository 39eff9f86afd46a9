// The changes of state in a window of the history: every one that was written since a step, in the
// order of writing, also of agents that came and went within it. Pure.

import type { OperationMap } from '../schema/api/operations.ts';

export type WindowEntry = OperationMap['history']['output']['entries'][number];

export interface Transition {
  readonly stepId: number;
  readonly paneKey: string;
  readonly ref: string | null;
  readonly name: string;
  /** Null: the agent was not there, or it is too long ago. */
  readonly before: string | null;
  readonly after: string;
  readonly at: string;
  readonly reason: string | null;
}

const EXITED = 'exited';

/** The last step that is known to a caller, and when; a bare time where no step is known. */
export interface WatchCursor {
  readonly atMs: number;
  readonly stepId: number | null;
}

export const watchCursorText = ({ at, stepId }: { readonly at: string; readonly stepId: number }) =>
  `${at}#${stepId}`;

/** Null: the text is neither a time nor a cursor of ours. */
export function watchCursorOf(text: string): WatchCursor | null {
  const [, at = '', step] = /^([^#]{1,40})(?:#(\d{1,15}))?$/.exec(text) ?? [];
  const atMs = /^\d{4}-\d\d-\d\dT/.test(at) ? Date.parse(at) : Number.NaN;
  if (Number.isNaN(atMs)) return null;
  return { atMs, stepId: step === undefined ? null : Number(step) };
}

export const isBehind = (
  { at, step_id: id }: Pick<WindowEntry, 'at' | 'step_id'>,
  { atMs, stepId }: WatchCursor,
): boolean => (stepId === null ? Date.parse(at) > atMs : id > stepId);

/** `entries` as `history` returns them, newest first, with some that are older than the window. */
export function transitionsIn(
  entries: readonly WindowEntry[],
  cursor: WatchCursor,
): readonly Transition[] {
  const last = new Map<string, { readonly name: string | null; readonly word: string | null }>();
  return entries.toReversed().flatMap((entry) => {
    const { pane_key: paneKey, at, ref, step_id: id } = entry;
    const earlier = last.get(paneKey);
    const name = entry.agent ?? earlier?.name ?? null;
    const before = earlier?.word ?? null;
    const after = wordOf(entry, before !== null);
    // An agent that has ended is not the next one in its pane.
    last.set(paneKey, {
      name: after === EXITED ? null : name,
      word: after === EXITED ? null : after,
    });
    if (!isBehind(entry, cursor) || name === null || after === null || after === before) return [];
    return [{ stepId: id, paneKey, ref, name, before, after, at, reason: entry.reason_code }];
  });
}

/** Null: no agent is there, and none was. */
function wordOf({ runtime_id, presence, state, agent }: WindowEntry, wasThere: boolean) {
  if (runtime_id !== null || presence === 'managed') return state;
  // How it ended is known, such as by an error.
  if (agent !== null && state !== 'unknown') return state;
  return wasThere ? EXITED : null;
}
