// `agtmux spawn`: starts one agent in a tmux session of its own, or one member of a bundle. tmux is
// run from here, in the environment of the person; the daemon says when the agent is ready.

import { basename, resolve } from 'node:path';
import type { DaemonClient } from '../../../client/client.ts';
import { shellQuoteAll } from '../../../platform/text/shell-quote.ts';
import { safeText } from '../../../render/safe-text.ts';
import { renderBundleReport } from '../../../render/teams/bundles.ts';
import { callView } from '../../call-view.ts';
import { type Call, type CommandSpec, isSet, textOf } from '../../command.ts';
import { withDaemon } from '../../daemon-link.ts';
import { CliProblem, EXIT_REFUSED, EXIT_UNAVAILABLE, usageProblem } from '../../exit-codes.ts';
import { text } from '../../options.ts';
import { printJson } from '../../output/print.ts';
import { carryOut, reconcileParts } from './lifecycle.ts';

/** As long as the daemon waits for an agent to be ready. */
const OUTCOME_TIMEOUT_MS = 70_000;
const MEMBER = /^([A-Za-z0-9][A-Za-z0-9._-]*)\/([A-Za-z][A-Za-z0-9_-]*)$/;
/** What may be the name of a session and of a member; tmux would rewrite `.` and `:`. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$/;

export const spawnCommand: CommandSpec = {
  name: 'spawn',
  summary: 'start one agent in a tmux session of its own, or one member of a bundle',
  notes: [
    'AGENT is a program, such as claude; words after -- are its arguments, and no shell reads',
    'them. BUNDLE/MEMBER starts that member alone. It starts on your usual tmux server, in this',
    'environment, and the session is gone when the agent ends. agtmux stop ends it.',
    'Exit codes: 0 it is ready, 66 no such bundle or target, 69 it could not be started.',
  ],
  examples: [
    'agtmux spawn claude',
    'agtmux spawn codex --name api --dir ~/src/api -- --model gpt-5',
    'agtmux spawn review/tester',
  ],
  args: [
    { value: text('AGENT'), summary: 'a program, or a member as BUNDLE/MEMBER' },
    { value: text('ARG'), optional: true, repeated: true, summary: 'an argument of the program' },
  ],
  options: [
    { name: 'name', value: text('NAME'), summary: 'the name of its session (that of the agent)' },
    { name: 'dir', value: text('PATH'), summary: 'where it works (this folder; there: ~)' },
    { name: 'target', value: text('NAME', 'targets'), summary: 'the machine (local)' },
  ],
  run: (call) =>
    withDaemon(call, (client) => {
      const [what = '', ...args] = call.args;
      const [, bundle, member] = args.length === 0 ? (MEMBER.exec(what) ?? []) : [];
      return bundle === undefined || member === undefined
        ? spawnProgram(call, client, [what, ...args])
        : spawnMember(call, client, { bundle, member });
    }),
};

async function spawnMember(
  call: Call,
  client: DaemonClient,
  meant: { readonly bundle: string; readonly member: string },
): Promise<number> {
  const input = { ...meant, action: 'up', caller_pid: process.pid } as const;
  const { bundles, generated_at } = await client.call('plan_bundle', input);
  const [plan] = bundles;
  const { member } = meant;
  const report = plan && (await carryOut(call, client, plan, { action: 'up', member }));
  if (!report) return EXIT_REFUSED;
  if (isSet(call.flags, 'json')) printJson(call, { schema_version: 1, ...report });
  else call.io.writeOut(renderBundleReport(callView(call, Date.parse(generated_at)), report, 1));
  return report.outcome === 'failed' ? EXIT_UNAVAILABLE : 0;
}

async function spawnProgram(
  call: Call,
  client: DaemonClient,
  argv: readonly string[],
): Promise<number> {
  const target = textOf(call.flags, 'target') ?? 'local';
  const { plan } = await client.call('plan_spawn', { target, caller_pid: process.pid });
  const { spawnOne } = await import('../../../relay/bundles/spawn-one.ts');
  const parts = await reconcileParts(call, plan, null);
  const named = textOf(call.flags, 'name');
  const member = {
    id: named ?? nameOf(argv[0] ?? ''),
    directory: folderOf(textOf(call.flags, 'dir'), plan.target_kind),
    command: `exec ${shellQuoteAll(argv)}`,
  };
  if (!NAME.test(member.id)) {
    throw usageProblem(
      `"${safeText(member.id)}" is no name of a session.`,
      'Letters, digits, "_" and "-" make one.',
    );
  }
  const spawned = await spawnOne(parts, member, named === undefined);
  if (!spawned.ok) throw failed(argv, spawned.problem);
  const { paneId: pane_id, serverPid: server_pid } = spawned.created;
  const created = { id: spawned.name, pane_id, server_pid };
  const input = { target, server: plan.server, created, caller_pid: process.pid };
  const report = await client.call('spawn_outcome', input, { timeoutMs: OUTCOME_TIMEOUT_MS });
  const { failure, pane } = report;
  if (failure) {
    // What it printed is said; nothing else is left to look at.
    const { bringDown } = await import('../../../relay/bundles/reconcile.ts');
    await bringDown({ ...parts, only: spawned.name, confirm: async () => true });
    const printed = failure.cause.split('\n').map((line) => `${safeText(line)}\n`);
    if (!isSet(call.flags, 'json')) call.io.writeErr(printed.join(''));
    throw failed(argv, failure.reason);
  }
  await parts.tmux.release(pane_id);
  if (isSet(call.flags, 'json')) printJson(call, { ...report, session: spawned.name });
  else {
    const state = pane?.agent ? `${pane.agent} ${pane.state}` : 'runs; no agent that is known';
    call.io.writeOut(`${safeText(`${spawned.name}: ${state}, in ${pane_id}`)}\n`);
  }
  return 0;
}

const nameOf = (program: string): string =>
  basename(program)
    .replaceAll(/[^A-Za-z0-9_-]/g, '-')
    .slice(0, 60);

/** On another machine a folder of this one says nothing. */
function folderOf(dir: string | undefined, kind: 'local' | 'ssh'): string {
  if (kind === 'local') return resolve(dir ?? '.');
  if (dir === undefined) return '~';
  if (/^(?:\/|~\/|~$)/.test(dir)) return dir;
  throw usageProblem('On another machine --dir begins with / or ~.');
}

const failed = ([program = '']: readonly string[], why: string): CliProblem =>
  new CliProblem('E_AGENT_START_FAILED', `${safeText(program)} could not be started.`, {
    exitCode: EXIT_UNAVAILABLE,
    hint: safeText(why),
  });
