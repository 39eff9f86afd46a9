// Which ended agent a reference means: the id of its runtime or of its session, the pane that it
// was in, or its name where only one has it. Pure.

import type { PaneRecord } from '../../core/world.ts';
import type { EndedAgentItem } from '../../schema/api/actions.ts';
import { type Outcome, ok, refuse } from '../../schema/outcome.ts';

const CANDIDATES_MAX = 5;

/** The ended agent; without a reference the last one that can be started again. */
export function findEndedAgent(
  agents: readonly EndedAgentItem[],
  ref: string | null,
  pane: Outcome<PaneRecord> | null,
): Outcome<EndedAgentItem> {
  if (ref === null) {
    const last = agents.find(({ blocker }) => blocker === null);
    return last ? ok(last) : refuse('E_REF_NOT_FOUND', 'no agent has ended that can go on');
  }
  const runtimeId = ref.replace(/^runtime:/, '');
  const exact = agents.find(
    ({ runtime_id, session_key }) => runtime_id === runtimeId || session_key === ref,
  );
  if (exact) return ok(exact);
  if (pane?.ok && pane.value.row.runtimeId === null) return lastIn(agents, pane.value, ref);
  const isCalled = ({ agent, pane_id }: EndedAgentItem): boolean =>
    agent === ref || pane_id === ref;
  const named = agents.filter((each) => each.blocker === null && isCalled(each));
  const [only, ...others] = named;
  if (only && others.length === 0) return ok(only);
  if (only) return ambiguous(named, ref);
  if (pane?.ok) return refuse('E_PRECONDITION_FAILED', `the agent in ${ref} has not ended`);
  if (pane && pane.refusal.code !== 'E_REF_NOT_FOUND') return pane;
  const hint = 'agtmux resume lists the agents that have ended.';
  return refuse('E_REF_NOT_FOUND', `no ended agent is called "${ref.slice(0, 80)}"`, { hint });
}

/** The agent that was in the pane last. */
function lastIn(
  agents: readonly EndedAgentItem[],
  { paneKey }: PaneRecord,
  ref: string,
): Outcome<EndedAgentItem> {
  const found = agents.find(({ pane_key }) => pane_key === paneKey);
  if (found) return ok(found);
  const hint = 'agtmux resume lists the agents that have ended.';
  return refuse('E_REF_NOT_FOUND', `no agent has ended in ${ref}`, { hint });
}

function ambiguous(named: readonly EndedAgentItem[], ref: string): Outcome<never> {
  const ids = named.slice(0, CANDIDATES_MAX).map(({ session_key }) => session_key);
  const hint = `Name one by its session: ${ids.join(', ')}`;
  return refuse('E_REF_AMBIGUOUS', `${named.length} ended agents are called ${ref}`, { hint });
}
