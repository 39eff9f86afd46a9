// `agtmux hooks install|uninstall|status|diff`: the hooks by which agents tell their events. On
// this machine the work is done here, with the environment of whoever asks; on others by the
// daemon, which reaches them.

import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { renderHooks } from '../../render/hooks.ts';
import type { HooksAnswer, HooksInput } from '../../schema/api/hooks.ts';
import { type Call, isSet, textOf } from '../command.ts';
import { withDaemon } from '../daemon-link.ts';
import { CliProblem, EXIT_DEGRADED, EXIT_USAGE, exitCodeOf } from '../exit-codes.ts';
import { packageFile } from '../package-files.ts';
import { printJson } from '../print.ts';

/** A host far away is asked for each of a few dozen files. */
const REMOTE_TIMEOUT_MS = 60_000;
/** The row of E_HOOKS_FAILED in the table of problems, which is not loaded here. */
const RPC_CANNOT_WRITE = -32_012;

export async function runHooks(call: Call): Promise<number> {
  const input = inputOf(call);
  const answer =
    input.target === undefined || input.target === 'local'
      ? await hooksHere(call, input)
      : await withDaemon(call, (client) =>
          client.call('hooks', input, { timeoutMs: REMOTE_TIMEOUT_MS }),
        );
  if (isSet(call.flags, 'json')) printJson(call, answer);
  else call.io.writeOut(renderHooks(answer));
  return exitCodeFor(input.action, answer);
}

function inputOf(call: Call): HooksInput {
  const [, action] = call.path;
  const scope = textOf(call.flags, 'scope') === 'project' ? 'project' : 'user';
  const target = textOf(call.flags, 'target');
  const project = textOf(call.flags, 'project') ?? (target === undefined ? '.' : undefined);
  return {
    action: action as HooksInput['action'],
    ...(call.args.length === 0 ? {} : { agents: [...call.args] }),
    scope,
    ...(project === undefined
      ? {}
      : { project: target === undefined ? resolve(project) : project }),
    ...(target === undefined ? {} : { target }),
  };
}

/** The work on this machine. */
export async function hooksHere(call: Call, input: HooksInput): Promise<HooksAnswer> {
  const { hooksOn, unknownAgents } = await import('../../hooks/machine.ts');
  const { localEdits } = await import('../../hooks/local-edits.ts');
  const { FileEditError } = await import('../../hooks/edited-files.ts');
  const [unknown] = unknownAgents(input.agents ?? []);
  if (unknown !== undefined) {
    throw new CliProblem('E_AGENT_UNKNOWN', `no hooks are known of ${unknown}.`, {
      exitCode: EXIT_USAGE,
      hint: 'agtmux hooks status names those that are.',
    });
  }
  const machine = { files: localEdits, home: homedir(), env: call.io.env };
  const { project = resolve('.'), ...asked } = input;
  const emitterText = readFileSync(packageFile('emitter/agtmux-emit'), 'utf8');
  try {
    const job = { ...asked, project, emitterText, nowMs: Date.now() };
    return await hooksOn(machine, job, 'local');
  } catch (error) {
    if (!(error instanceof FileEditError)) throw error;
    throw new CliProblem('E_HOOKS_FAILED', `${error.message}.`, {
      exitCode: exitCodeOf(RPC_CANNOT_WRITE),
      hint: 'Nothing was half-written. Look at the file that is named, then try again.',
    });
  }
}

/** 1: a file had to be left, or `status` found an agent without them. */
function exitCodeFor(action: HooksInput['action'], { agents }: HooksAnswer): number {
  const isLeft = agents.some(({ state }) => state === 'unreadable');
  const isMissing = agents.some(
    ({ state, trust }) => state !== 'installed' || trust === 'untrusted',
  );
  return isLeft || (action === 'status' && isMissing) ? EXIT_DEGRADED : 0;
}
