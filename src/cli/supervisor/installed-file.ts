// The service of the daemon on this machine: writes and removes its file, and has the service
// manager start and stop it. A file that somebody else wrote is left alone.

import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import { runChild } from '../../platform/process/launch.ts';
import type { Call } from '../command.ts';
import { CliProblem, EXIT_UNAVAILABLE } from '../exit-codes.ts';
import { type ServiceManager, serviceManager } from './supervisor-commands.ts';
import { SERVICE_MARK, type ServiceKind } from './supervisor-file.ts';

/** systemctl waits for the service itself. */
const COMMAND_TIMEOUT_MS = 30_000;
const OUTPUT_BYTES_MAX = 65_536;

/** The service manager of this machine. */
export const nativeKind = (): ServiceKind =>
  process.platform === 'darwin' ? 'launchd' : 'systemd';

export function managerOf({ io }: Call, kind: ServiceKind): ServiceManager {
  const uid = process.getuid?.() ?? 0;
  return serviceManager(kind, { home: homedir(), uid, configHome: io.env['XDG_CONFIG_HOME'] });
}

/** Whether the file is there: ours, or somebody else's. */
export function serviceFileState({
  file,
}: Pick<ServiceManager, 'file'>): 'absent' | 'ours' | 'foreign' {
  if (!existsSync(file)) return 'absent';
  return readFileSync(file, 'utf8').includes(SERVICE_MARK) ? 'ours' : 'foreign';
}

/** Writes the file in one step. */
export function writeServiceFile({ file }: ServiceManager, text: string): void {
  if (serviceFileState({ file }) === 'foreign') {
    throw new CliProblem('E_SERVICE_FAILED', `${file} was not written by agtmux.`, {
      exitCode: EXIT_UNAVAILABLE,
      hint: 'Move it away, or print a file for it with agtmux daemon install --print.',
    });
  }
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}.new`;
  writeFileSync(draft, text, { mode: 0o644 });
  renameSync(draft, file);
}

/** Has the service manager start the service, now and at every login. */
export async function startService(call: Call, manager: ServiceManager): Promise<void> {
  for (const command of manager.prepare) await run(call, command);
  for (const command of manager.start) {
    const problem = await run(call, command);
    if (problem === null) continue;
    const line = manager.start.map((words) => words.join(' ')).join(' && ');
    throw new CliProblem('E_SERVICE_FAILED', `${command.join(' ')}: ${problem}`, {
      exitCode: EXIT_UNAVAILABLE,
      hint: `${manager.file} is written. Start it by hand: ${line}`,
    });
  }
}

/**
 * Stops the service and removes its file: `removed` where it did not run, `absent` where there is
 * none of ours. Where it cannot be stopped, its file stays: without it, nobody finds what runs.
 */
export async function removeService(
  call: Call,
  manager: ServiceManager,
): Promise<'absent' | 'removed' | 'stopped'> {
  const { file, kind } = manager;
  if (serviceFileState(manager) !== 'ours') return 'absent';
  const isStopped = kind === nativeKind() && (await stopService(call, manager));
  rmSync(file, { force: true });
  return isStopped ? 'stopped' : 'removed';
}

/** False where it was not loaded. */
async function stopService(call: Call, manager: ServiceManager): Promise<boolean> {
  const { file, kind, stop, notLoaded } = manager;
  let isStopped = true;
  for (const command of stop) {
    const problem = await run(call, command);
    if (problem === null) continue;
    isStopped = false;
    if (notLoaded.test(problem)) continue;
    const line = stop.map((words) => words.join(' ')).join(' && ');
    throw new CliProblem('E_SERVICE_FAILED', `${command.join(' ')}: ${problem}`, {
      exitCode: EXIT_UNAVAILABLE,
      hint: `Stop it by hand, then try again: ${line}. Where no ${kind} runs, remove ${file}.`,
    });
  }
  return isStopped;
}

/** Null when the command succeeded; else why not. */
async function run({ io }: Call, [command, ...args]: readonly string[]): Promise<string | null> {
  const { code, error, stderr, timedOut } = await runChild({
    command: command ?? '',
    args,
    env: { ...io.env },
    timeoutMs: COMMAND_TIMEOUT_MS,
    stdoutBytesMax: OUTPUT_BYTES_MAX,
  });
  if (code === 0) return null;
  if (timedOut) return `no answer in ${COMMAND_TIMEOUT_MS / 1_000} s`;
  return error ?? (stderr.trim().split('\n').at(-1) || `exit code ${code}`);
}
