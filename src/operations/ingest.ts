// What callers tell the daemon: events, which agent is in a pane, and what a person has seen.

import { id, type RequestId } from '../schema/ids.ts';
import { ok } from '../schema/outcome.ts';
import { type Operation, operation } from './operation.ts';
import { refuseUnknownAgent, resolveExact } from './resolve.ts';

const ingestEvents = operation('ingest_events', {
  summary: 'Hands in events of hooks and scripts; each is answered by what became of it.',
  access: 'control',
  run: async (context, { events }) => ok({ results: [...(await context.ingest(events))] }),
});

const tag = operation('tag', {
  summary: 'Says which agent is in a pane that cannot be looked into; null takes it back.',
  access: 'control',
  run: async (context, { ref, agent }) => {
    const found = resolveExact(context.world(), ref);
    if (!found.ok) return found;
    const unknown = agent === null ? null : refuseUnknownAgent(context, agent);
    const outcome = unknown ?? (await context.tag(found.value.paneKey, agent));
    return outcome.ok ? ok({ ok: true as const }) : outcome;
  },
});

const markSeen = operation('mark_seen', {
  summary: 'Notes that a person has seen what a pane asks; without ids, all of it.',
  access: 'control',
  run: (context, { ref, request_ids }) => {
    const found = resolveExact(context.world(), ref);
    if (!found.ok) return found;
    const { paneKey, row } = found.value;
    const open = row.attention.requests.filter(({ seen }) => !seen);
    const asked = request_ids?.map((each) => id<RequestId>(each));
    const requestIds = asked ?? open.map(({ requestId }) => requestId);
    if (requestIds.length > 0) context.markSeen(paneKey, requestIds);
    return ok({ ok: true as const });
  },
});

export const ingestOperations: readonly Operation[] = [ingestEvents, tag, markSeen];
