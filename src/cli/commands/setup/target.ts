// `agtmux target add|connect|list|remove`: the machines that are watched.

import { renderTargets } from '../../../render/health.ts';
import { safeText } from '../../../render/safe-text.ts';
import type { TargetItem } from '../../../schema/api/targets.ts';
import { type ArgumentSpec, type Call, type CommandSpec, isSet, textOf } from '../../command.ts';
import { confirm } from '../../confirm.ts';
import { withDaemon } from '../../daemon-link.ts';
import { EXIT_UNAVAILABLE } from '../../exit-codes.ts';
import { choice, text } from '../../options.ts';
import { printed, printReplyTo } from '../../output/print.ts';

/** ssh may take most of this time to report that a host does not answer. */
const CONNECT_TIMEOUT_MS = 60_000;
/** A person waits for it, and the daemon goes on trying after it. */
const ADD_TIMEOUT_MS = 15_000;

const newTarget: ArgumentSpec = { value: text('NAME'), summary: 'the name of the target' };
const targetArgument: ArgumentSpec = { ...newTarget, value: text('NAME', 'targets') };

export const targetCommand: CommandSpec = {
  name: 'target',
  summary: 'the machines that are watched',
  commands: [
    {
      name: 'add',
      summary: 'watch another machine by ssh; nothing is installed on it',
      notes: [
        'This machine is always watched, as the target local.',
        `Waits up to ${ADD_TIMEOUT_MS / 1_000} s and says whether it connected.`,
        'A target that does not answer is added too; agtmux keeps trying to connect.',
      ],
      examples: ['agtmux target add vm1', 'agtmux target add build --ssh-target dev@10.0.0.7'],
      args: [newTarget],
      options: [
        {
          name: 'kind',
          value: choice('KIND', ['local', 'ssh']),
          summary: 'how it is reached (ssh)',
        },
        {
          name: 'ssh-target',
          value: text('HOST'),
          summary: 'a host, ssh://HOST:PORT, or an alias of your ssh configuration (NAME)',
        },
        { name: 'no-wait', summary: 'do not wait for the connection' },
      ],
      run: addTarget,
    },
    {
      name: 'connect',
      summary: 'connect to a target now and print whether it answers',
      notes: ['Exit codes: 0 connected, 69 not connected.'],
      examples: ['agtmux target connect vm1'],
      args: [targetArgument],
      run: connectTarget,
    },
    {
      name: 'list',
      summary: 'list every target and its health',
      examples: ['agtmux target list'],
      run: (call) => printReplyTo(call, (client) => client.call('list_targets', {}), renderTargets),
    },
    {
      name: 'remove',
      summary: 'stop watching a target',
      examples: ['agtmux target remove vm1 --yes'],
      args: [targetArgument],
      options: [{ name: 'yes', short: 'y', summary: 'do not ask for confirmation' }],
      run: removeTarget,
    },
  ],
};

async function addTarget(call: Call): Promise<number> {
  const host = textOf(call.flags, 'ssh-target');
  const kind = textOf(call.flags, 'kind') === 'local' ? 'local' : 'ssh';
  const name = nameOf(call);
  const reference = host === undefined ? {} : { connection_ref: host };
  const target = await withDaemon(call, async (client) => {
    const added = await client.call('add_target', { name, kind, ...reference });
    if (kind === 'local' || isSet(call.flags, 'no-wait')) return added;
    const limits = { timeoutMs: CONNECT_TIMEOUT_MS };
    return client.call('connect_target', { name, timeout_ms: ADD_TIMEOUT_MS }, limits);
  });
  const local = `${target.name} is this machine, which is always watched`;
  return printTarget(call, target, ...(kind === 'ssh' ? addedLines(call, target) : [local]));
}

/** Whether it connected, and why not. */
function addedLines(
  call: Call,
  { name, connection_ref, health, detail }: TargetItem,
): readonly string[] {
  const watched = `${name} is watched by ssh ${connection_ref}`;
  if (health === 'ok') return [`${watched}, and connected`];
  if (isSet(call.flags, 'no-wait')) return [watched];
  const why = detail ?? `it did not answer within ${ADD_TIMEOUT_MS / 1_000} s`;
  const retry = `agtmux keeps trying. To try now, run agtmux target connect ${name}.`;
  const undo = `If ${connection_ref} is not what you meant: agtmux target remove ${name}.`;
  return [`${watched}, but not connected: ${why}`, retry, undo];
}

async function connectTarget(call: Call): Promise<number> {
  const target = await withDaemon(call, (client) =>
    client.call('connect_target', { name: nameOf(call) }, { timeoutMs: CONNECT_TIMEOUT_MS }),
  );
  const why = target.detail === null ? '' : ` (${target.detail})`;
  printTarget(call, target, `${target.name}: ${target.health}${why}`);
  return target.health === 'ok' ? 0 : EXIT_UNAVAILABLE;
}

async function removeTarget(call: Call): Promise<number> {
  const name = nameOf(call);
  const question = `Stop watching ${safeText(name)}, and forget its panes?`;
  const reply = await withDaemon(call, async (client) => {
    const { targets } = await client.call('list_targets', {});
    // Of one that is not there the daemon says so, and nobody need agree to that.
    const isKnown = targets.some((each) => each.name === name);
    if (isKnown && !(await confirm(call, question))) return null;
    return client.call('remove_target', { name });
  });
  if (reply === null) return 1;
  return printed(call, reply, `${safeText(name)} is no longer watched\n`);
}

const nameOf = (call: Call): string => call.args[0] ?? '';

function printTarget(call: Call, target: TargetItem, ...lines: readonly string[]): 0 {
  return printed(call, target, lines.map((line) => `${safeText(line)}\n`).join(''));
}
