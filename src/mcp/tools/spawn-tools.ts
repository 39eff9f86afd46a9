// Starting another agent: one of those that agtmux knows, in a session of its own, or a member of a
// bundle. The daemon decides whether the caller may, and remembers who has started whom; tmux is
// run from here, in the environment of the caller, as by `agtmux spawn`.

import { resolve } from 'node:path';
import { z } from 'zod';
import type { BundlePlan } from '../../schema/relay/bundle-api.ts';
import { destructive, type Tool, type ToolCall, tool } from '../tool.ts';
import { shortText, type ToolReply, toolError, toolReply } from '../tool-result.ts';

/** As long as the daemon waits for an agent to be ready, and some. */
const OUTCOME_TIMEOUT_MS = 70_000;
const HINT = 'agtmux spawn by a person shows what it printed.';

const name = z.string().regex(/^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$/);

const spawnAgent = tool({
  name: 'spawn_agent',
  title: 'Start another agent',
  description:
    'Starts one agent in a tmux session of its own, or one member of a declared team. Off unless ' +
    'the policy of the caller grants spawn. Give it its task with send_message. You can answer ' +
    'no request of an agent that you started.',
  input: z.object({
    agent: name.optional().describe('Which agent, such as claude or codex, with its own defaults'),
    member: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*\/[A-Za-z][A-Za-z0-9_-]*$/)
      .max(140)
      .optional()
      .describe('Or a member of a team, as TEAM/MEMBER'),
    name: name.optional().describe('The name of its session; absent: that of the agent'),
    directory: z
      .string()
      .min(1)
      .max(4_096)
      .optional()
      .describe('Where it works; absent: where you do (on another machine: ~)'),
    target: name.default('local').describe('The machine'),
  }),
  annotations: destructive,
  waits: true,
  run: async (call, { agent, member, ...place }) => {
    if ((agent === undefined) === (member === undefined)) {
      return toolError('E_INPUT_INVALID', 'name either an agent or a member', null);
    }
    await call.prove();
    if (member !== undefined) return spawnMember(call, member);
    return spawnProgram(call, agent ?? '', place);
  },
});

async function partsOf({ env }: ToolCall, plan: BundlePlan, only: string | null) {
  const { tmuxThere } = await import('../../relay/bundles/tmux-there.ts');
  const sleep = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));
  // Nothing that may be missed is ended.
  return { plan, only, tmux: tmuxThere(plan, env), confirm: async () => false, sleep };
}

async function spawnMember(call: ToolCall, meant: string): Promise<ToolReply> {
  const { bringUp } = await import('../../relay/bundles/reconcile.ts');
  const [bundle = '', member = ''] = meant.split('/');
  const about = { bundle, member, action: 'up' } as const;
  const { bundles } = await call.call('plan_bundle', { ...about, caller_pid: process.pid });
  const [plan] = bundles;
  if (!plan) return toolError('E_BUNDLE_UNKNOWN', `no bundle is called ${bundle}`, null);
  const done = await bringUp(await partsOf(call, plan, member));
  if (done.kind !== 'done') {
    const why = done.kind === 'unreachable' ? done.problem : 'sessions would be ended';
    return toolError('E_AGENT_START_FAILED', `${meant} could not be started: ${why}`, HINT);
  }
  const input = { ...about, ...done.outcome, caller_pid: process.pid };
  const report = await call.call('bundle_outcome', input, { timeoutMs: OUTCOME_TIMEOUT_MS });
  const [failed] = report.failed_startups;
  if (failed) {
    const why = shortText(failed.reason, 400);
    return toolError('E_AGENT_START_FAILED', `${meant} could not be started: ${why}`, HINT);
  }
  return toolReply({ member: meant, started: report.created_sessions.includes(member) });
}

interface Place {
  readonly name?: string | undefined;
  readonly directory?: string | undefined;
  readonly target: string;
}

async function spawnProgram(call: ToolCall, agent: string, place: Place): Promise<ToolReply> {
  const { target, name: named } = place;
  const { plan } = await call.call('plan_spawn', { target, caller_pid: process.pid });
  // Any program at all would be a way out of the sandbox of the caller.
  const { adapters } = await call.call('list_adapters', {});
  if (!adapters.some((each) => each.agent === agent)) {
    const known = adapters.map((each) => each.agent).join(', ');
    return toolError('E_AGENT_UNKNOWN', `${agent} is no agent that agtmux knows`, known);
  }
  const { directory } = place;
  const isLocal = plan.target_kind === 'local';
  const isAbsolute = directory === undefined || /^(?:\/|~\/|~$)/.test(directory);
  if (!isLocal && !isAbsolute) {
    return toolError('E_INPUT_INVALID', 'on another machine a directory begins with / or ~', null);
  }
  const { spawnOne } = await import('../../relay/bundles/spawn-one.ts');
  const parts = await partsOf(call, plan, null);
  const member = {
    id: named ?? agent,
    directory: isLocal ? resolve(directory ?? '.') : (directory ?? '~'),
    command: `exec ${agent}`,
  };
  const spawned = await spawnOne(parts, member, named === undefined);
  if (!spawned.ok) return failedStart(agent, spawned.problem);
  const { paneId: pane_id, serverPid: server_pid } = spawned.created;
  const created = { id: spawned.name, pane_id, server_pid };
  const { pane, failure } = await call.call(
    'spawn_outcome',
    { target, server: plan.server, created, caller_pid: process.pid },
    { timeoutMs: OUTCOME_TIMEOUT_MS },
  );
  if (failure) {
    const { bringDown } = await import('../../relay/bundles/reconcile.ts');
    await bringDown({ ...parts, only: spawned.name, confirm: async () => true });
    return failedStart(agent, `${failure.reason} ${failure.cause}`);
  }
  await parts.tmux.release(pane_id);
  const { ref = null, agent: found = null, state = null } = pane ?? {};
  return toolReply({ session: spawned.name, pane_id, ref, name: found, state });
}

const failedStart = (agent: string, why: string): ToolReply =>
  toolError('E_AGENT_START_FAILED', `${agent} could not be started: ${shortText(why, 400)}`, HINT);

export const spawnTools: readonly Tool[] = [spawnAgent];
