// What a caller may have done to one pane without typing: naming it or its agent, marking its
// requests as seen, putting them off.

import { openNeeds } from '../core/state/snooze.ts';
import { resolveRef } from '../core/view/resolve-ref.ts';
import { id, type RequestId } from '../schema/ids.ts';
import { ok, refuse } from '../schema/outcome.ts';
import { checkAlias } from './answer/alias.ts';
import { refuseUnknownAgent } from './answer/known-names.ts';
import { header, paneItem } from './answer/pane-item.ts';
import { paneView } from './panes.ts';
import { isoOf } from './ports/iso-time.ts';
import { type Operation, operation } from './ports/operation.ts';

/** Where a caller gives no time. */
const SNOOZE_MS = 30 * 60_000;

export const actionOperations: readonly Operation[] = [
  operation('tag', {
    summary: 'Names the agent of a pane whose processes are hidden; null removes the name.',
    scope: 'control',
    actors: ['user'],
    ports: ['panes', 'actions', 'adapters'],
    run: async ({ panes, actions, adapters }, { ref, agent }, { signal }) => {
      const found = resolveRef(panes.world(), ref, 'act');
      if (!found.ok) return found;
      const refusal = agent === null ? null : refuseUnknownAgent(adapters, agent);
      const outcome = refusal ?? (await actions.tag(found.value.paneKey, agent, signal));
      return outcome.ok ? ok({ ok: true as const }) : outcome;
    },
  }),
  operation('name_pane', {
    summary:
      'Gives a pane a name of your own, which stays until the pane is gone; null removes it.',
    scope: 'control',
    actors: ['user'],
    ports: ['panes', 'actions'],
    run: ({ panes, actions }, { ref, alias }, call) => {
      const found = resolveRef(panes.world(), ref, 'act');
      if (!found.ok) return found;
      const { paneKey, goneAtMs } = found.value;
      if (goneAtMs !== null) return refuse('E_REF_NOT_FOUND', 'the pane does not exist any more');
      const name = alias === null ? ok(null) : checkAlias(panes.world(), found.value, alias);
      if (!name.ok) return name;
      actions.rename(paneKey, name.value);
      const view = paneView(panes);
      const pane = paneItem(view, view.world.panes.get(paneKey) ?? found.value);
      return ok({ ...header(call.nowMs()), pane });
    },
  }),
  operation('mark_seen', {
    summary: 'Marks requests of a pane as seen by a person; without ids, all of them.',
    scope: 'control',
    actors: ['user'],
    ports: ['panes', 'actions'],
    run: ({ panes, actions }, { ref, request_ids }) => {
      const found = resolveRef(panes.world(), ref, 'act');
      if (!found.ok) return found;
      const { paneKey, row } = found.value;
      const open = row.attention.requests.filter(({ seen }) => !seen);
      const named = request_ids?.map((each) => id<RequestId>(each));
      const requestIds = named ?? open.map(({ requestId }) => requestId);
      if (requestIds.length > 0) actions.markSeen(paneKey, requestIds);
      return ok({ ok: true as const });
    },
  }),
  operation('snooze', {
    summary: 'Puts off what a pane needs a person for, until a time or until that changes.',
    scope: 'control',
    actors: ['user'],
    ports: ['panes', 'actions'],
    run: ({ panes, actions }, { ref, for_ms = SNOOZE_MS }, call) => {
      const found = resolveRef(panes.world(), ref, 'act');
      if (!found.ok) return found;
      const { paneKey, row } = found.value;
      if (openNeeds(row.attention.requests).length === 0) {
        return refuse('E_PRECONDITION_FAILED', `nothing in ${ref} needs a person now`);
      }
      const untilMs = call.nowMs() + for_ms;
      actions.snooze(paneKey, untilMs);
      return ok({ ok: true as const, snoozed_until: isoOf(untilMs) });
    },
  }),
  operation('unsnooze', {
    summary: 'Ends a snooze: what is still open needs a person again.',
    scope: 'control',
    actors: ['user'],
    ports: ['panes', 'actions'],
    run: ({ panes, actions }, { ref }) => {
      const found = resolveRef(panes.world(), ref, 'act');
      if (!found.ok) return found;
      if (found.value.snooze) actions.unsnooze(found.value.paneKey);
      return ok({ ok: true as const });
    },
  }),
];
