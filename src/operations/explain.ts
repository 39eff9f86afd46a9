// Why a pane is in its state, and which states it went through.

import { nameToType } from '../core/view/pane-names.ts';
import { resolveRef } from '../core/view/resolve-ref.ts';
import { liveRuntime } from '../core/world.ts';
import type { HistoryEntry } from '../schema/api/ledger.ts';
import type { HistoryStep } from '../schema/history.ts';
import type { AgentName, PaneKey } from '../schema/ids.ts';
import { ok } from '../schema/outcome.ts';
import { ledgerClaims, whyOf } from './answer/ledger.ts';
import { header, type PaneView, paneItem, refOf } from './answer/pane-item.ts';
import { summarizeTimes, timeSpentItem } from './answer/time-spent.ts';
import { paneView } from './panes.ts';
import { isoOf } from './ports/iso-time.ts';
import { type Operation, operation } from './ports/operation.ts';

const EVENTS_SHOWN = 20;
const HISTORY_SHOWN = 100;
const SUMMARY_MS = 7 * 86_400_000;
const WAITS_SHOWN = 5;

const explain = operation('explain', {
  summary: 'The whole ledger of one pane: every source, its claim, who won and why others lost.',
  scope: 'read',
  ports: ['panes', 'history'],
  run: ({ panes, history: port }, input, call) => {
    const view = paneView(panes);
    const found = resolveRef(view.world, input.ref, 'read');
    if (!found.ok) return found;
    const pane = found.value;
    const nowMs = call.nowMs();
    const runtime = liveRuntime(view.world, pane.runtimeId);
    // Of a pane whose agent is gone: how it came to that.
    const subject = runtime?.runtimeId ?? pane.ending?.runtimeId;
    const sightings = panes.sightings();
    const limit = input.events ?? EVENTS_SHOWN;
    return ok({
      ...header(nowMs),
      pane: paneItem(view, pane),
      why: whyOf(pane, nowMs),
      process: {
        basis: runtime?.basis ?? null,
        pid: runtime?.pid ?? null,
        started_at: runtime ? isoOf(runtime.startedAtMs) : null,
        suspended: runtime?.suspended ?? false,
      },
      claims: runtime ? ledgerClaims({ world: view.world, sightings, pane, runtime, nowMs }) : [],
      events: subject && limit > 0 ? [...port.eventsOfRuntime(subject, limit)] : [],
    });
  },
});

const history = operation('history', {
  summary: 'The states that panes went through, newest first.',
  scope: 'read',
  ports: ['panes', 'history'],
  run: ({ panes, history: port }, input, call) => {
    const view = paneView(panes);
    const found = input.ref === undefined ? null : resolveRef(view.world, input.ref, 'read');
    if (found && !found.ok) return found;
    const steps = port.history({
      ...(found ? { paneKey: found.value.paneKey } : {}),
      ...(input.since_ms === undefined ? {} : { sinceMs: input.since_ms }),
      limit: input.limit ?? HISTORY_SHOWN,
    });
    return ok({
      ...header(call.nowMs()),
      filters: { ...input },
      entries: historyEntries(view, steps),
    });
  },
});

const historySummary = operation('history_summary', {
  summary: 'How long agents were in each state, and how long they waited for a person.',
  scope: 'read',
  ports: ['panes', 'history'],
  run: async ({ panes, history: port }, input, call) => {
    const view = paneView(panes);
    const found = input.ref === undefined ? null : resolveRef(view.world, input.ref, 'read');
    if (found && !found.ok) return found;
    const nowMs = call.nowMs();
    const query = {
      paneKey: found?.value.paneKey ?? null,
      sinceMs: Math.min(nowMs, input.since_ms ?? nowMs - SUMMARY_MS),
      by: input.by ?? 'agent',
      timeZone: input.time_zone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone,
      waitCount: input.waits ?? WAITS_SHOWN,
      nowMs,
    };
    const summary = await summarizeTimes(port, query, call.signal);
    return ok({ ...header(nowMs), filters: { ...input }, ...timeSpentItem(view, query, summary) });
  },
});

/** A state lasted until the next step of the same pane, which stands before it in the list. */
function historyEntries(view: PaneView, steps: readonly HistoryStep[]): HistoryEntry[] {
  const nextAtMs = new Map<string, number>();
  const names = new Map<string, string | null>();
  const nameOf = (paneKey: PaneKey): string | null => {
    if (!names.has(paneKey)) {
      const pane = view.world.panes.get(paneKey);
      names.set(paneKey, pane ? nameToType(view.world, pane) : null);
    }
    return names.get(paneKey) ?? null;
  };
  return steps.map((step, index) => {
    const until = nextAtMs.get(step.paneKey);
    nextAtMs.set(step.paneKey, step.atMs);
    const pane = view.world.panes.get(step.paneKey);
    return {
      step_id: step.stepId,
      at: isoOf(step.atMs),
      pane_key: step.paneKey,
      ref: pane ? refOf(pane, pane.facts?.locations[0], view.crowded) : null,
      pane: nameOf(step.paneKey),
      agent: step.agent ?? endedAgent(steps, index, pane?.ending?.agent),
      runtime_id: step.runtimeId,
      state: step.state,
      reason_code: step.reasonCode,
      presence: step.presence,
      source: step.source,
      state_version: step.stateVersion,
      lasted_ms: until === undefined ? null : Math.max(0, until - step.atMs),
    };
  });
}

/** A step that shows how an agent ended has no runtime: its agent is that of the step before. */
function endedAgent(
  steps: readonly HistoryStep[],
  index: number,
  latest: AgentName | undefined,
): AgentName | null {
  const step = steps[index];
  if (!step || step.state === 'unknown') return null;
  const before = steps.slice(index + 1).find(({ paneKey }) => paneKey === step.paneKey);
  return before?.agent ?? latest ?? null;
}

export const explainOperations: readonly Operation[] = [explain, history, historySummary];
