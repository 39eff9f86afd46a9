// `agtmux target add|connect|list|remove`: the machines that are watched.

import { renderTargets } from '../../render/health.ts';
import { safeText } from '../../render/safe-text.ts';
import type { TargetItem } from '../../schema/api/targets.ts';
import { type Call, isSet, textOf } from '../command.ts';
import { confirm } from '../confirm.ts';
import { withDaemon } from '../daemon-link.ts';
import { printAnswer, printJson } from '../print.ts';

/** A host that does not answer takes its time to say so. */
const CONNECT_TIMEOUT_MS = 60_000;
const EXIT_NOT_REACHED = 69;

export async function runTarget(call: Call): Promise<number> {
  const [, action] = call.path;
  if (action === 'add') return add(call);
  if (action === 'connect') return connect(call);
  if (action === 'remove') return remove(call);
  const told = await withDaemon(call, (client) => client.call('list_targets', {}));
  printAnswer(call, told, (view) => renderTargets(view, told));
  return 0;
}

async function add(call: Call): Promise<number> {
  const host = textOf(call.flags, 'ssh-target');
  const kind = textOf(call.flags, 'kind') === 'local' ? 'local' : 'ssh';
  const target = await withDaemon(call, (client) =>
    client.call('add_target', {
      name: nameOf(call),
      kind,
      ...(host === undefined ? {} : { connection_ref: host }),
    }),
  );
  const how = kind === 'ssh' ? `by ssh ${target.connection_ref}` : 'always: it is this machine';
  tell(call, target, `${target.name} is watched ${how}`);
  return 0;
}

async function connect(call: Call): Promise<number> {
  const target = await withDaemon(call, (client) =>
    client.call('connect_target', { name: nameOf(call) }, { timeoutMs: CONNECT_TIMEOUT_MS }),
  );
  const why = target.detail === null ? '' : ` (${target.detail})`;
  tell(call, target, `${target.name}: ${target.health}${why}`);
  return target.health === 'ok' ? 0 : EXIT_NOT_REACHED;
}

async function remove(call: Call): Promise<number> {
  const name = nameOf(call);
  const question = `No longer watch ${safeText(name)}, and forget its rows?`;
  if (!(await confirm(call, question))) return 1;
  const done = await withDaemon(call, (client) => client.call('remove_target', { name }));
  if (isSet(call.flags, 'json')) printJson(call, done);
  else call.io.writeOut(`${safeText(name)} is no longer watched\n`);
  return 0;
}

const nameOf = (call: Call): string => call.args[0] ?? '';

function tell(call: Call, target: TargetItem, sentence: string): void {
  if (isSet(call.flags, 'json')) printJson(call, target);
  else call.io.writeOut(`${safeText(sentence)}\n`);
}
