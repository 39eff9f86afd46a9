// `agtmux hooks install|uninstall|status|diff`: the hooks that report what agents do. On this
// machine the command edits them itself, with the caller's environment; on others the daemon does,
// because it holds the connection.

import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { packageFile } from '../../../platform/package-files.ts';
import { renderHooks, sharedPathWarning } from '../../../render/hooks.ts';
import type { HooksAnswer, HooksInput } from '../../../schema/api/hooks.ts';
import { nearest } from '../../../text/nearest-word.ts';
import { type Call, type CommandSpec, isSet, type OptionSpec, textOf } from '../../command.ts';
import { confirm } from '../../confirm.ts';
import { withDaemon } from '../../daemon-link.ts';
import { CliProblem, EXIT_DEGRADED, EXIT_USAGE, exitCodeOf } from '../../exit-codes.ts';
import { choice, text } from '../../options.ts';
import { printJson } from '../../output/print.ts';

/** A distant host reads a few dozen files, one round trip each. */
const REMOTE_TIMEOUT_MS = 60_000;
/** The JSON-RPC code of E_HOOKS_FAILED in schema/problem.ts, which is not loaded here. */
const RPC_CANNOT_WRITE = -32_012;

type HooksAction = HooksInput['action'];

const yesOption: OptionSpec = {
  name: 'yes',
  short: 'y',
  summary: 'do not ask before a path of your home goes into a shared project file',
};

const hookCommand = (action: HooksAction, summary: string, example: string): CommandSpec => ({
  name: action,
  summary,
  notes: [
    'Without AGENT: every agent found on the machine.',
    'With --scope project, a file that stays out of the repository is used if the agent has one.',
    'Exit codes: 0 done, 1 a file was not changed, or status found an agent without hooks.',
  ],
  examples: [example],
  args: [
    {
      value: text('AGENT', 'agents'),
      summary: 'an agent, such as claude or codex',
      optional: true,
      repeated: true,
    },
  ],
  options: [
    {
      name: 'scope',
      value: choice('SCOPE', ['user', 'project']),
      summary: 'for all your projects, or for one project (user)',
    },
    { name: 'project', value: text('DIR'), summary: 'the folder of the project (this one)' },
    {
      name: 'target',
      value: text('NAME', 'targets'),
      summary: 'the machine to work on (this one)',
    },
    ...(action === 'install' ? [yesOption] : []),
  ],
  run: (call) => runHooks(call, action),
});

export const hooksCommand: CommandSpec = {
  name: 'hooks',
  summary: 'the hooks through which agents report their state',
  notes: [
    'agtmux watches agents without hooks too, by what they show and write.',
    'Your own entries, comments and layout stay; a copy of each changed file is kept.',
  ],
  commands: [
    hookCommand(
      'install',
      'install or update the hooks of agents',
      'agtmux hooks install claude codex',
    ),
    hookCommand(
      'uninstall',
      'remove the hooks and restore every file as it was',
      'agtmux hooks uninstall --scope project',
    ),
    hookCommand('status', 'print which agents have hooks', 'agtmux hooks status --target vm1'),
    hookCommand(
      'diff',
      'print what install would change, without changing it',
      'agtmux hooks diff claude',
    ),
  ],
};

async function runHooks(call: Call, action: HooksAction): Promise<number> {
  const input = inputOf(call, action);
  if (action === 'install' && !(await isShareConfirmed(call, input))) {
    call.io.writeOut('Nothing was changed.\n');
    return 0;
  }
  const answer = await editHooks(call, input);
  if (isSet(call.flags, 'json')) printJson(call, answer);
  else call.io.writeOut(renderHooks(answer, action));
  return exitCodeFor(action, answer);
}

const editHooks = (call: Call, input: HooksInput): Promise<HooksAnswer> =>
  input.target === undefined || input.target === 'local'
    ? editLocalHooks(call, input)
    : withDaemon(call, (client) => client.call('hooks', input, { timeoutMs: REMOTE_TIMEOUT_MS }));

/** Asks before a path of the home folder goes into a file that a project shares. */
async function isShareConfirmed(call: Call, input: HooksInput): Promise<boolean> {
  if (input.scope !== 'project' || isSet(call.flags, 'yes')) return true;
  const warning = sharedPathWarning(await editHooks(call, { ...input, action: 'diff' }));
  if (warning === null) return true;
  call.io.writeErr(`${warning}\n`);
  return confirm(call, 'Continue?');
}

function inputOf(call: Call, action: HooksAction): HooksInput {
  const scope = textOf(call.flags, 'scope') === 'project' ? 'project' : 'user';
  const target = textOf(call.flags, 'target');
  const project = textOf(call.flags, 'project') ?? (target === undefined ? '.' : undefined);
  return {
    action,
    ...(call.args.length === 0 ? {} : { agents: [...call.args] }),
    scope,
    ...(project === undefined
      ? {}
      : { project: target === undefined ? resolve(project) : project }),
    ...(target === undefined ? {} : { target }),
  };
}

export async function editLocalHooks(call: Call, input: HooksInput): Promise<HooksAnswer> {
  const { hookAgents, runHooksJob, unknownAgents } = await import('../../../hooks/machine.ts');
  const { localEdits } = await import('../../../hooks/local-edits.ts');
  const { FileEditError } = await import('../../../hooks/edited-files.ts');
  const [unknown] = unknownAgents(input.agents ?? []);
  if (unknown !== undefined) {
    const near = nearest(unknown, hookAgents);
    throw new CliProblem('E_AGENT_UNKNOWN', `agtmux has no hooks for ${unknown}.`, {
      exitCode: EXIT_USAGE,
      hint:
        near === undefined
          ? 'agtmux hooks status lists the agents that have hooks.'
          : `Did you mean ${near}?`,
    });
  }
  const machine = { files: localEdits, home: homedir(), env: call.io.env };
  const { project = resolve('.'), ...rest } = input;
  const emitterText = readFileSync(packageFile('emitter/agtmux-emit'), 'utf8');
  try {
    const job = { ...rest, project, emitterText, nowMs: Date.now() };
    return await runHooksJob(machine, job, 'local');
  } catch (error) {
    if (!(error instanceof FileEditError)) throw error;
    throw new CliProblem('E_HOOKS_FAILED', `${error.message}.`, {
      exitCode: exitCodeOf(RPC_CANNOT_WRITE),
      hint: 'No file is half-written. Check the file that is named, then try again.',
    });
  }
}

/** 1: a file was left alone, or `status` found an agent without hooks. */
function exitCodeFor(action: HooksAction, { agents }: HooksAnswer): number {
  const isLeft = agents.some(({ state }) => state === 'unreadable');
  const isMissing = agents.some(
    ({ state, trust }) => state !== 'installed' || trust === 'untrusted',
  );
  return isLeft || (action === 'status' && isMissing) ? EXIT_DEGRADED : 0;
}
