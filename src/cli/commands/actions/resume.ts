// `agtmux resume`: starts an ended agent again, with its session, in a new window of its folder.
// The daemon plans it; tmux is run from here, in the environment of the person.

import type { DaemonClient } from '../../../client/client.ts';
import { shellQuoteAll } from '../../../platform/text/shell-quote.ts';
import { renderBlockers, renderEndedAgents } from '../../../render/acting/ended-agents.ts';
import { safeText } from '../../../render/safe-text.ts';
import type { EndedAgentItem, ResumePlan } from '../../../schema/api/actions.ts';
import { callView } from '../../call-view.ts';
import { type Call, type CommandSpec, isSet, numberOf } from '../../command.ts';
import { askLine } from '../../confirm.ts';
import { withDaemon } from '../../daemon-link.ts';
import { EXIT_REFUSED, usageProblem } from '../../exit-codes.ts';
import { text } from '../../options.ts';
import { printJson } from '../../output/print.ts';
import { printOutcome } from './action-options.ts';
import { resumeAll } from './resume-all.ts';

/** As long as the daemon waits for the agent to name its session. */
const OUTCOME_TIMEOUT_MS = 70_000;
const DAY_MS = 24 * 60 * 60_000;

export const resumeCommand: CommandSpec = {
  name: 'resume',
  summary: 'start an ended agent again, with its own session',
  examples: [
    'agtmux resume',
    'agtmux resume --last',
    'agtmux resume work:0.1',
    'agtmux resume --last -- --model opus',
    'agtmux resume --all',
  ],
  notes: [
    'Without REF: the agents that have ended, to choose from.',
    'The agent starts in a new window of its folder. Where its tmux server has ended, a new one',
    'is started, with this environment. No option of its earlier life is taken over, such as one',
    'that skips approvals: words after -- are options for the agent.',
    '--all is for after a reboot: it lists the agents that ended with their tmux server, asks, and',
    'starts each in a window of its own. Members of bundles are left to agtmux bundle up.',
    'Exit codes: 0 it goes on with its session, 2 started but not confirmed, 66 no such agent,',
    '69 it could not be started, 75 refused.',
  ],
  args: [
    {
      value: text('REF', 'refs'),
      optional: true,
      summary: 'the pane it was in, the id of its session, or its name if only one has ended',
    },
    { value: text('ARG'), optional: true, repeated: true, summary: 'an option for the agent' },
  ],
  options: [
    { name: 'last', summary: 'the one that ended last' },
    { name: 'all', summary: 'all that ended with their tmux server, as by a reboot' },
    { name: 'yes', short: 'y', summary: 'with --all: do not ask' },
    {
      name: 'within',
      value: { kind: 'duration', label: 'DURATION' },
      summary: 'list those that ended within this time (24h)',
    },
    { name: 'dry-run', summary: 'print what would be started, and start nothing' },
  ],
  run: (call) => withDaemon(call, (client) => runResume(call, client)),
};

async function runResume(call: Call, client: DaemonClient): Promise<number> {
  const isLast = isSet(call.flags, 'last');
  const [ref, ...words] = call.args;
  if (isSet(call.flags, 'all')) return resumeAll(call, client);
  if (isLast) return resume(call, client, { last: true, args: [...call.args] });
  if (ref !== undefined) return resume(call, client, { ref, args: words });
  const agents = await printEnded(call, client);
  if (agents === null) return 0;
  const chosen = await choose(agents);
  if (chosen === null) return EXIT_REFUSED;
  return resume(call, client, { ref: chosen.runtime_id, args: [] });
}

/** Prints the list; null where nobody can choose. */
async function printEnded(
  call: Call,
  client: DaemonClient,
): Promise<readonly EndedAgentItem[] | null> {
  const within_ms = numberOf(call.flags, 'within') ?? DAY_MS;
  const list = await client.call('list_ended_agents', { within_ms });
  if (isSet(call.flags, 'json')) {
    printJson(call, list);
    return null;
  }
  const view = callView(call, Date.parse(list.generated_at));
  const agents = list.agents.filter(({ blocker }) => blocker === null);
  const others = list.agents.filter(({ blocker }) => blocker !== null);
  call.io.writeOut(renderEndedAgents(view, agents) + renderBlockers(view, others));
  return agents.length > 0 && process.stdin.isTTY && call.io.isTerminal ? agents : null;
}

async function choose(agents: readonly EndedAgentItem[]): Promise<EndedAgentItem | null> {
  const typed = (await askLine('Number of the agent, Enter for none: '))?.trim() ?? '';
  if (typed === '') return null;
  const chosen = /^\d{1,3}$/.test(typed) ? agents[Number(typed) - 1] : undefined;
  if (chosen) return chosen;
  throw usageProblem(`"${safeText(typed)}" is not a number of the list.`);
}

async function resume(
  call: Call,
  client: DaemonClient,
  what: { readonly ref?: string; readonly last?: boolean; readonly args: string[] },
): Promise<number> {
  const dry_run = isSet(call.flags, 'dry-run');
  const plan = await client.call('resume', { ...what, dry_run, caller_pid: process.pid });
  if (plan.action_id === null) return printPlan(call, plan);
  const { startAgent } = await import('../../../tui/jump/start-agent.ts');
  const started = await startAgent(plan, call.io.env);
  const report = started.ok
    ? { action_id: plan.action_id, pane_id: started.paneId }
    : { action_id: plan.action_id, failure: started.problem };
  const wait = { timeoutMs: OUTCOME_TIMEOUT_MS };
  return printOutcome(call, client.call('resume_outcome', report, wait));
}

function printPlan(call: Call, plan: ResumePlan): number {
  if (isSet(call.flags, 'json')) {
    printJson(call, plan);
    return 0;
  }
  const { agent, argv } = plan;
  const line = `would run ${shellQuoteAll(argv)} in ${agent.path} on ${agent.target}`;
  call.io.writeOut(`dry_run: ${safeText(line)}\n`);
  return 0;
}
