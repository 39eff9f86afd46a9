// `agtmux daemon reset`: takes the database away, so that the next daemon starts with a new one.
// For a database that is damaged or of a newer agtmux.

import { existsSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { safeText } from '../../../render/safe-text.ts';
import { type Call, type CommandSpec, isSet } from '../../command.ts';
import { confirm } from '../../confirm.ts';
import { findDaemon, pathsOf, socketPathOf } from '../../daemon-link.ts';
import { CliProblem, exitCodeOf } from '../../exit-codes.ts';
import { printed } from '../../output/print.ts';
import { stopDaemon } from './stop-daemon.ts';

/** The JSON-RPC code of E_DAEMON_RUNNING in schema/problem.ts, which is not loaded here. */
const RPC_CONFLICT = -32_002;

/** The database first: its log without it is refused, and it without its log is not noticed. */
const suffixes: readonly string[] = ['', '-wal', '-shm', '-journal'];

export const daemonResetCommand: CommandSpec = {
  name: 'reset',
  summary: 'discard the database; the next daemon starts with a new one',
  notes: [
    'The database holds history, alerts, ssh targets and disabled agents.',
    'Refuses while a daemon runs, unless --stop is given. Asks first; see --yes.',
  ],
  examples: ['agtmux daemon reset --keep-copy', 'agtmux daemon reset --keep-copy --stop --yes'],
  options: [
    { name: 'keep-copy', summary: 'keep the old database beside the new one, under a dated name' },
    { name: 'stop', summary: 'stop a running daemon first' },
    { name: 'yes', short: 'y', summary: 'do not ask for confirmation' },
  ],
  run: runReset,
};

async function runReset(call: Call): Promise<number> {
  const path = pathsOf(call).databaseFile;
  const copy = isSet(call.flags, 'keep-copy') ? `${path}.${stamp()}` : null;
  if (!isSet(call.flags, 'stop')) await refuseIfRunning(call);
  if (!suffixes.some((suffix) => existsSync(`${path}${suffix}`))) {
    return print(call, { path, copy: null }, `There is no database at ${safeText(path)}.\n`);
  }
  if (!(await confirm(call, question(path, copy)))) {
    return print(call, { path, copy: null }, 'Nothing was changed.\n');
  }
  if (isSet(call.flags, 'stop')) await stopDaemon(call);
  await withLock(call, () => takeAway(path, copy));
  const done = copy === null ? 'was removed' : `is now ${safeText(copy)}`;
  return print(call, { path, copy }, `The database ${done}.\nThe next daemon makes a new one.\n`);
}

/** As in `agtmux.db.2026-11-16T16-40-00-123Z`. */
const stamp = (): string => new Date().toISOString().replaceAll(/[:.]/g, '-');

function question(path: string, copy: string | null): string {
  const what = copy === null ? 'is removed for good' : `is renamed to ${safeText(copy)}`;
  return `${safeText(path)} ${what}.\nContinue?`;
}

function takeAway(path: string, copy: string | null): void {
  for (const suffix of suffixes) {
    const from = `${path}${suffix}`;
    if (copy === null) rmSync(from, { force: true });
    else if (existsSync(from)) renameSync(from, `${copy}${suffix}`);
  }
}

async function refuseIfRunning(call: Call): Promise<void> {
  const client = await findDaemon(call);
  if (client === null) return;
  const { pid } = await client.call('hello', { client: 'cli' });
  client.close();
  throw running(`a daemon runs (pid ${pid}).`, 'Use --stop, or run agtmux daemon stop first.');
}

const running = (message: string, hint: string): CliProblem =>
  new CliProblem('E_DAEMON_RUNNING', message, { exitCode: exitCodeOf(RPC_CONFLICT), hint });

/** Holds the daemon's own lock, so that none starts meanwhile, nor one with another socket runs. */
async function withLock(call: Call, work: () => void): Promise<void> {
  const { waitForInstanceLock } = await import('../../../daemon/life/instance-lock.ts');
  const path = join(dirname(pathsOf(call).databaseFile), 'agtmuxd.lock');
  const lock = await waitForInstanceLock(path, socketPathOf(call));
  if (!lock.ok) throw running(lock.refusal.message, 'Stop that daemon first.');
  try {
    work();
  } finally {
    lock.value[Symbol.dispose]();
  }
}

function print(
  call: Call,
  { path, copy }: { readonly path: string; readonly copy: string | null },
  text: string,
): number {
  return printed(call, { database: path, copy }, text);
}
