// Ended agents, and the start of one with its own session: planned here, carried out by the caller,
// in its own environment.

import { resolveRef } from '../../core/view/resolve-ref.ts';
import { id, type RuntimeId } from '../../schema/ids.ts';
import { ok, refuse } from '../../schema/outcome.ts';
import { findEndedAgent } from '../answer/ended-agent-ref.ts';
import { dated, header } from '../answer/pane-item.ts';
import { type Operation, operation, witnessOf } from '../ports/operation.ts';

/** As far back as a reference may mean. */
const WITHIN_MS = 14 * 24 * 60 * 60_000;
/** The start of an agent, and its first sign of life. */
const OUTCOME_MS = 60_000;

export const resumeOperations: readonly Operation[] = [
  operation('list_ended_agents', {
    summary: 'Agents that have ended, the newest first, and why one cannot be started again.',
    scope: 'read',
    ports: ['resumes'],
    run: ({ resumes }, { within_ms }, call) =>
      ok({ ...header(call.nowMs()), agents: [...resumes.endedAgents(within_ms)] }),
  }),
  operation('resume', {
    summary: 'Plans the start of an ended agent with its own session; the caller starts it.',
    scope: 'control',
    actors: ['user'],
    ports: ['panes', 'resumes'],
    run: ({ panes, resumes }, input, { actor, nowMs }) => {
      const { ref = null, last } = input;
      if ((ref === null) !== last) {
        return refuse('E_INPUT_INVALID', 'give either a reference or `last`');
      }
      const agents = resumes.endedAgents(WITHIN_MS);
      const pane = ref === null ? null : resolveRef(panes.world(), ref, 'act');
      const found = findEndedAgent(agents, ref, pane);
      if (!found.ok) return found;
      const runtimeId = id<RuntimeId>(found.value.runtime_id);
      const witness = witnessOf(actor, input.caller_pid);
      const call = { actor: `${actor.kind}:${actor.id}`, witness };
      const plan = resumes.begin(runtimeId, input, call);
      return dated(plan, { nowMs });
    },
  }),
  operation('resume_outcome', {
    summary: 'What came of a start that was planned: whether the agent goes on with its session.',
    scope: 'control',
    actors: ['user'],
    deadlineMs: OUTCOME_MS,
    ports: ['resumes'],
    run: ({ resumes }, { action_id, pane_id, failure }, call) => {
      const started = { paneId: pane_id ?? null, failure: failure ?? null };
      return resumes.outcome(action_id, started, call.signal);
    },
  }),
];
