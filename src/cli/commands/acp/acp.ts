// `agtmux acp start|list|prompt|cancel|stop|attach`: agents without a terminal, which the daemon
// runs. They are agents like the others: send, approve, wait, log and msg work on them too.

import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DaemonClient } from '../../../client/client.ts';
import { renderAcpMembers } from '../../../render/acting/acp-members.ts';
import { safeText } from '../../../render/safe-text.ts';
import type { OperationMap } from '../../../schema/api/operations.ts';
import type { AcpMemberItem } from '../../../schema/relay/acp-api.ts';
import { type Call, type CommandSpec, isSet, listOf, numberOf, textOf } from '../../command.ts';
import { withDaemon } from '../../daemon-link.ts';
import { usageProblem } from '../../exit-codes.ts';
import { text } from '../../options.ts';
import { printJson, printReplyTo } from '../../output/print.ts';
import { ACTION_TIMEOUT_MS, printOutcome } from '../actions/action-options.ts';
import { findMember, memberName } from './find-member.ts';

const LOOK_MS = 150;
const STOP_TIMEOUT_MS = 20_000;
/** Longer than a start takes that is not from npm. */
const START_WAIT_MS = 30_000;

const nameArgument = { value: text('NAME'), summary: 'its name, as agtmux acp list shows it' };

const startCommand: CommandSpec = {
  name: 'start',
  summary: 'start an agent that speaks ACP, or one that was stopped',
  examples: [
    'agtmux acp start gemini',
    'agtmux acp start opencode --name tests --cwd /srv/app',
    'agtmux acp start claude --env ANTHROPIC_API_KEY',
    'agtmux acp start mine -- /opt/agent/bin/agent --acp',
  ],
  notes: [
    'Known by name: gemini, opencode, copilot, qwen, kilo, auggie, cline; claude and codex by',
    'their ACP adapters on npm. With a command line after --, AGENT is only what it is shown as.',
    'It gets your PATH, the environment of the daemon and what --env names. PATH and --env are',
    'kept, to start it again with the daemon. A stopped member goes on with its session.',
    'Exit codes: 0 it is ready, 1 it is not (see agtmux acp list), 75 it runs already.',
  ],
  args: [
    { value: text('AGENT'), summary: 'the kind of agent' },
    { value: text('CMD'), summary: 'its own command line', optional: true, repeated: true },
  ],
  options: [
    { name: 'name', value: text('NAME'), summary: 'what it is called (as its agent)' },
    { name: 'cwd', value: text('DIR'), summary: 'the folder that it works in (this one)' },
    {
      name: 'env',
      value: text('NAME[=VALUE]'),
      summary: 'a variable for it; without a value, as it is here',
      repeated: true,
    },
    { name: 'session', value: text('ID'), summary: 'go on with this session of the agent' },
    { name: 'auth', value: text('METHOD'), summary: 'log in by this method of the agent' },
    { name: 'no-tools', summary: 'without the tools of agtmux mcp' },
    {
      name: 'start-timeout',
      value: { kind: 'duration', label: 'TIME' },
      summary: 'how long it may take until it has a session (15s)',
    },
    {
      name: 'turn-timeout',
      value: { kind: 'duration', label: 'TIME' },
      summary: 'cancel a turn that takes longer (1d)',
    },
    { name: 'no-wait', summary: 'do not wait until it is ready' },
  ],
  run: runStart,
};

const listMembersCommand: CommandSpec = {
  name: 'list',
  summary: 'the ACP members, with the status of each',
  examples: ['agtmux acp list', 'agtmux acp list --json'],
  run: (call) =>
    printReplyTo(call, (client) => client.call('list_acp_members', {}), renderAcpMembers),
};

const promptCommand: CommandSpec = {
  name: 'prompt',
  summary: 'send a prompt to a member; as agtmux send acp:NAME does',
  examples: ["agtmux acp prompt gemini 'run the tests'"],
  notes: ['Exit codes: 0 the agent has it, 66 no such member, 75 it takes no prompt now.'],
  args: [nameArgument, { value: text('TEXT'), summary: 'the prompt' }],
  run: (call) =>
    withDaemon(call, async (client) => {
      const { pane_key: ref } = await findMember(client, call.args[0] ?? '');
      const input = { ref, text: call.args[1] ?? '', caller_pid: process.pid };
      return printOutcome(call, client.call('send', input, { timeoutMs: ACTION_TIMEOUT_MS }));
    }),
};

const cancelCommand: CommandSpec = {
  name: 'cancel',
  summary: 'end the turn of a member; as agtmux interrupt acp:NAME does',
  examples: ['agtmux acp cancel gemini'],
  notes: ['Exit codes: 0 it is over, 2 it is not over yet, 75 there is no turn.'],
  args: [nameArgument],
  run: (call) =>
    withDaemon(call, async (client) => {
      const { pane_key: ref } = await findMember(client, call.args[0] ?? '');
      const input = { ref, caller_pid: process.pid };
      return printOutcome(call, client.call('interrupt', input, { timeoutMs: ACTION_TIMEOUT_MS }));
    }),
};

const stopCommand: CommandSpec = {
  name: 'stop',
  summary: 'end a member; its next start goes on with its session',
  examples: ['agtmux acp stop gemini', 'agtmux acp stop gemini --forget'],
  args: [nameArgument],
  options: [{ name: 'forget', summary: 'forget it, with its session and its environment' }],
  run: (call) =>
    withDaemon(call, async (client) => {
      const input = {
        ...{ name: memberName(call.args[0] ?? ''), forget: isSet(call.flags, 'forget') },
        caller_pid: process.pid,
      };
      const member = await client.call('stop_acp_member', input, { timeoutMs: STOP_TIMEOUT_MS });
      if (isSet(call.flags, 'json')) printJson(call, member);
      return 0;
    }),
};

const attachMemberCommand: CommandSpec = {
  name: 'attach',
  summary: 'chat with a member in this terminal',
  examples: ['agtmux acp attach gemini'],
  notes: [
    'A line is a prompt. While it asks for a permission, the number of an option answers it.',
    'Ctrl-C cancels the turn, and without one leaves; the member goes on. Lines from a file or a',
    'pipe are sent one after the other, each when the turn before it is over.',
    'Exit codes: 0 left, 66 no such member, 69 it has ended.',
  ],
  args: [nameArgument],
  run: async (call) => (await import('./attach-member.ts')).runAttachMember(call),
};

export const acpCommand: CommandSpec = {
  name: 'acp',
  summary: 'agents without a terminal, by the Agent Client Protocol',
  commands: [
    ...[startCommand, listMembersCommand, promptCommand, cancelCommand],
    ...[stopCommand, attachMemberCommand],
  ],
  defaultCommand: 'list',
};

async function runStart(call: Call): Promise<number> {
  const { flags, io } = call;
  const waits = !isSet(flags, 'no-wait');
  return withDaemon(call, async (client) => {
    const input = await startInputOf(call, client);
    const member = await client.call('start_acp_member', input);
    const startMs = input.start_timeout_ms;
    const now = waits ? await whenStarted(client, member.name, startMs) : member;
    if (isSet(flags, 'json')) printJson(call, now);
    else io.writeOut(`acp:${now.name} ${now.status}${detailOf(now)}\n`);
    return now.status === 'ready' || !waits ? 0 : 1;
  });
}

type StartInput = OperationMap['start_acp_member']['input'];

async function startInputOf(call: Call, client: DaemonClient): Promise<StartInput> {
  const [agent = '', ...argv] = call.args;
  const { flags } = call;
  const name = memberName(textOf(flags, 'name') ?? agent);
  const { members } = await client.call('list_acp_members', {});
  // One that was stopped stays where it was.
  const isKnown = members.some((each) => each.name === name);
  const folder = textOf(flags, 'cwd') ?? (isKnown ? undefined : '.');
  const options = {
    argv: argv.length === 0 ? undefined : argv,
    cwd: folder === undefined ? undefined : resolve(folder),
    session_id: textOf(flags, 'session'),
    auth_method: textOf(flags, 'auth'),
    start_timeout_ms: numberOf(flags, 'start-timeout'),
    turn_timeout_ms: numberOf(flags, 'turn-timeout'),
  };
  return {
    ...{ name, agent, env: environmentOf(call), caller_pid: process.pid },
    with_tools: !isSet(flags, 'no-tools'),
    ...(Object.fromEntries(
      Object.entries(options).filter(([, value]) => value !== undefined),
    ) as Partial<StartInput>),
  };
}

const detailOf = ({ detail }: AcpMemberItem): string =>
  detail === null ? '' : `: ${safeText(detail)}`;

/** What came of the start, or how far it is after a while. */
async function whenStarted(
  client: DaemonClient,
  name: string,
  startMs: number | undefined,
): Promise<AcpMemberItem> {
  const endsAtMs = performance.now() + (startMs ?? START_WAIT_MS);
  for (;;) {
    const member = await findMember(client, name);
    if (member.status !== 'starting' || performance.now() > endsAtMs) return member;
    await sleep(LOOK_MS);
  }
}

function environmentOf(call: Call): Record<string, string> {
  const { env } = call.io;
  const named = listOf(call.flags, 'env').map((word) => {
    const at = word.indexOf('=');
    const name = at < 0 ? word : word.slice(0, at);
    const value = at < 0 ? env[word] : word.slice(at + 1);
    if (value === undefined) {
      throw usageProblem(`${safeText(name)} is not set here.`, 'Write --env NAME=VALUE.');
    }
    return [name, value] as const;
  });
  const path = env['PATH'];
  return { ...(path === undefined ? {} : { PATH: path }), ...Object.fromEntries(named) };
}
