// What a caller may have done to one pane: naming its agent, marking its requests as seen.

import { id, type RequestId } from '../schema/ids.ts';
import { ok } from '../schema/outcome.ts';
import { refuseUnknownAgent, resolveExact } from './answer/resolve.ts';
import { type Operation, operation } from './ports/operation.ts';

export const actionOperations: readonly Operation[] = [
  operation('tag', {
    summary: 'Names the agent of a pane whose processes are hidden; null removes the name.',
    scope: 'control',
    actors: ['user'],
    ports: ['panes', 'actions', 'adapters'],
    run: async ({ panes, actions, adapters }, { ref, agent }, { signal }) => {
      const found = resolveExact(panes.world(), ref);
      if (!found.ok) return found;
      const refusal = agent === null ? null : refuseUnknownAgent(adapters, agent);
      const outcome = refusal ?? (await actions.tag(found.value.paneKey, agent, signal));
      return outcome.ok ? ok({ ok: true as const }) : outcome;
    },
  }),
  operation('mark_seen', {
    summary: 'Marks requests of a pane as seen by a person; without ids, all of them.',
    scope: 'control',
    actors: ['user'],
    ports: ['panes', 'actions'],
    run: ({ panes, actions }, { ref, request_ids }) => {
      const found = resolveExact(panes.world(), ref);
      if (!found.ok) return found;
      const { paneKey, row } = found.value;
      const open = row.attention.requests.filter(({ seen }) => !seen);
      const named = request_ids?.map((each) => id<RequestId>(each));
      const requestIds = named ?? open.map(({ requestId }) => requestId);
      if (requestIds.length > 0) actions.markSeen(paneKey, requestIds);
      return ok({ ok: true as const });
    },
  }),
];
