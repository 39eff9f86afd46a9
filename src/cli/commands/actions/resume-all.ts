// `agtmux resume --all`: after a reboot, the agents that ended with their tmux server are started
// again, each with its session in a window of its own, after a person has seen the list.

import type { DaemonClient } from '../../../client/client.ts';
import { renderBlockers, renderEndedAgents } from '../../../render/acting/ended-agents.ts';
import { safeText } from '../../../render/safe-text.ts';
import type { ActionReport } from '../../../schema/api/acting.ts';
import type { EndedAgentItem } from '../../../schema/api/actions.ts';
import { counted } from '../../../text/counted.ts';
import { callView } from '../../call-view.ts';
import { type Call, isSet, numberOf } from '../../command.ts';
import { confirm } from '../../confirm.ts';
import {
  EXIT_REFUSED,
  EXIT_UNAVAILABLE,
  EXIT_UNCONFIRMED,
  usageProblem,
} from '../../exit-codes.ts';
import { printJson } from '../../output/print.ts';

/** As long as the daemon waits for an agent to name its session. */
const OUTCOME_TIMEOUT_MS = 70_000;
const DAY_MS = 24 * 60 * 60_000;
/** What is under way at once: the daemon takes no more than 32. */
const AT_ONCE_MAX = 16;

interface Resumed {
  readonly agent: EndedAgentItem;
  readonly result: ActionReport['result'] | 'failed';
  readonly detail: string | null;
}

export async function resumeAll(call: Call, client: DaemonClient): Promise<number> {
  if (call.args.length > 0 || isSet(call.flags, 'last')) {
    throw usageProblem('--all takes no reference and no --last.');
  }
  const within_ms = numberOf(call.flags, 'within') ?? DAY_MS;
  const list = await client.call('list_ended_agents', { within_ms });
  const together = list.agents.filter((each) => each.with_server);
  const ofBundles = together.filter(({ bundle }) => bundle !== null);
  const single = together.filter(({ bundle }) => bundle === null);
  // The one that ended first was started first, so its window comes first again.
  const agents = single.filter(({ blocker }) => blocker === null).toReversed();
  const isJson = isSet(call.flags, 'json');
  const write = (text: string): void => (isJson ? call.io.writeErr(text) : call.io.writeOut(text));
  const view = callView(call, Date.parse(list.generated_at));
  if (agents.length > 0) write(renderEndedAgents(view, agents));
  write(
    renderBlockers(
      view,
      single.filter(({ blocker }) => blocker !== null),
    ),
  );
  write(bundlesText(ofBundles));
  if (agents.length === 0) write('No agent has ended with its tmux server and can go on.\n');
  if (agents.length === 0 || isSet(call.flags, 'dry-run')) {
    if (isJson) printJson(call, { schema_version: 1, agents, resumed: [] });
    return 0;
  }
  const question = `Start ${counted(agents.length, 'agent')} again?`;
  if (!(await confirm(call, question))) return EXIT_REFUSED;
  const resumed = await startEach(call, client, agents);
  if (isJson) {
    const items = resumed.map(({ agent, result, detail }) => ({
      ...{ runtime_id: agent.runtime_id, agent: agent.agent, result, detail },
    }));
    printJson(call, { schema_version: 1, agents, resumed: items });
  }
  if (resumed.some(({ result }) => result === 'failed')) return EXIT_UNAVAILABLE;
  return resumed.every(({ result }) => result === 'delivered') ? 0 : EXIT_UNCONFIRMED;
}

/** Members of bundles: their sessions are made, and owned, by another command. */
function bundlesText(agents: readonly EndedAgentItem[]): string {
  const counts = Map.groupBy(agents, ({ bundle }) => bundle);
  return [...counts]
    .map(
      ([bundle, members]) =>
        `${counted(members.length, 'member')} of ${safeText(bundle ?? '')}: ` +
        `agtmux bundle up ${safeText(bundle ?? '')}\n`,
    )
    .join('');
}

/** One start after the other, so that the first one starts the server; then their proofs. */
async function startEach(
  call: Call,
  client: DaemonClient,
  agents: readonly EndedAgentItem[],
): Promise<readonly Resumed[]> {
  const { startAgent } = await import('../../../tui/jump/start-agent.ts');
  const waits: Promise<Resumed>[] = [];
  for (const [index, agent] of agents.entries()) {
    await waits[index - AT_ONCE_MAX];
    const input = { ref: agent.runtime_id, args: [], caller_pid: process.pid };
    const report = (result: Resumed['result'], detail: string | null): Resumed => {
      const line = `${result}: ${detail ?? agent.agent}`;
      if (!isSet(call.flags, 'json')) call.io.writeOut(`${safeText(line)}\n`);
      return { agent, result, detail };
    };
    const failed = (error: unknown): Resumed =>
      report('failed', `${agent.agent} in ${agent.path ?? '-'}: ${messageOf(error)}`);
    try {
      const plan = await client.call('resume', input);
      const { action_id } = plan;
      if (action_id === null) continue;
      const started = await startAgent(plan, call.io.env);
      const what = started.ok ? { pane_id: started.paneId } : { failure: started.problem };
      const wait = { timeoutMs: OUTCOME_TIMEOUT_MS };
      waits[index] = client
        .call('resume_outcome', { action_id, ...what }, wait)
        .then(({ result, detail }) => report(result, detail))
        .catch(failed);
    } catch (error) {
      waits[index] = Promise.resolve(failed(error));
    }
  }
  return Promise.all(waits);
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
