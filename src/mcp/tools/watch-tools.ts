// Every change of state within a window of time.

import { z } from 'zod';
import { readOnly, type Tool, type ToolCall, tool } from '../tool.ts';
import { type ToolData, toolError, toolReply, withinLimit } from '../tool-result.ts';
import {
  isBehind,
  type Transition,
  transitionsIn,
  type WatchCursor,
  type WindowEntry,
  watchCursorOf,
  watchCursorText,
} from '../transitions.ts';
import { WAIT_S_MAX } from './tool-inputs.ts';

/** As many as one call of the daemon returns. */
const STEPS_MAX = 10_000;
/** Steps before the window say what each pane was in before. */
const EARLIER_MS = 600_000;

const watchAgents = tool({
  name: 'watch_agents',
  title: 'Watch agents',
  description:
    'Waits for a window of time (at most 50 s) and returns every change of state in it, in ' +
    'order, also those that were over at its end. Pass `next` as `since` to miss nothing.',
  input: z.object({
    timeout_s: z.number().min(0).max(WAIT_S_MAX).default(5).describe('How long to watch'),
    since: z.string().min(1).max(64).optional().describe('`next` of the last reply, or a time'),
  }),
  annotations: readOnly,
  waits: true,
  run: async (call, { timeout_s: seconds, since }) => {
    const from = since === undefined ? await newestStep(call) : watchCursorOf(since);
    if (from === null) return toolError('E_INPUT_INVALID', 'since is no `next` of a reply', null);
    // What is more than a reply holds needs no waiting for more.
    const early = since === undefined ? null : await readWindow(call, from);
    if (early?.['left_out'] !== undefined) return toolReply(early);
    await pause(seconds * 1_000, call.signal);
    return toolReply(await readWindow(call, from));
  },
});

async function newestStep({ call }: ToolCall): Promise<WatchCursor> {
  const { entries, generated_at: at } = await call('history', { limit: 1 });
  return { atMs: Date.parse(at), stepId: entries[0]?.step_id ?? 0 };
}

async function readWindow({ call }: ToolCall, from: WatchCursor): Promise<ToolData> {
  const { entries, generated_at: at } = await call('history', {
    since_ms: Math.max(0, from.atMs - EARLIER_MS),
    limit: STEPS_MAX,
  });
  const { panes } = await call('list_panes', {});
  const paneIds = new Map(panes.map((pane) => [pane.pane_key, pane.identity?.pane_id ?? null]));
  const found = transitionsIn(entries, from);
  const facts = found.map(({ stepId: _, paneKey, ...rest }) => ({
    pane_id: paneIds.get(paneKey) ?? null,
    ...rest,
  }));
  const newest = watchCursorText({ at, stepId: newestOf(entries, from) });
  const oldest = entries.at(-1);
  const isCut = entries.length >= STEPS_MAX && oldest !== undefined && isBehind(oldest, from);
  const head = {
    count: found.length,
    next: newest,
    ...(isCut ? { missed: 'There were more than 10,000 changes: the oldest are not here.' } : {}),
  };
  const data = withinLimit(head, 'transitions', facts);
  const shown = (data['transitions'] as readonly unknown[]).length;
  // The rest begins behind the last one that fits.
  return shown === found.length ? data : { ...data, next: cursorBehind(found[shown - 1], from) };
}

const newestOf = (entries: readonly WindowEntry[], { stepId }: WatchCursor): number =>
  Math.max(stepId ?? 0, entries[0]?.step_id ?? 0);

const cursorBehind = (last: Transition | undefined, from: WatchCursor): string =>
  last
    ? watchCursorText(last)
    : watchCursorText({ at: new Date(from.atMs).toISOString(), stepId: from.stepId ?? 0 });

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
  });
}

export const watchTools: readonly Tool[] = [watchAgents];
