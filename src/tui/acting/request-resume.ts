// Starts an ended agent again: the daemon plans and proves it, the process of the person starts it,
// with their environment. Loaded with the first one.

import type { ActionReport } from '../../schema/api/acting.ts';
import type { EndedAgentItem } from '../../schema/api/actions.ts';
import { startAgent } from '../jump/start-agent.ts';
import type { DaemonReply, Message } from '../message.ts';
import { ACTION_WAIT_MS, type CallDaemon } from './request-action.ts';

/** Resolves when the agent has named its session, or is not known to have. */
export async function requestResume(
  call: CallDaemon,
  agent: EndedAgentItem,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Message> {
  return { type: 'resumed', agent, answer: await start(call, agent, env) };
}

async function start(
  call: CallDaemon,
  agent: EndedAgentItem,
  env: Readonly<Record<string, string | undefined>>,
): Promise<DaemonReply<ActionReport>> {
  const order = { ref: agent.runtime_id, caller_pid: process.pid };
  const plan = await call('resume', order, ACTION_WAIT_MS);
  if (!plan.ok) return plan;
  const { action_id } = plan.value;
  if (action_id === null) return { ok: false, problem: 'the daemon only made a plan' };
  const started = await startAgent(plan.value, env);
  const place = started.ok ? { pane_id: started.paneId } : { failure: started.problem };
  return call('resume_outcome', { action_id, ...place }, ACTION_WAIT_MS);
}
