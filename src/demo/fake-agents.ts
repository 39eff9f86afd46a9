// Panes with fake agents: a program with the agent's name, so that its process is recognised. It
// writes what is typed into a file, from which player.ts knows what to show on the terminal.

import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { runChild } from '../platform/process/launch.ts';
import type { Role } from './cast.ts';
import { type Machine, tmux } from './machine.ts';
import type { Stage } from './stage.ts';

const TRY_MS = 5_000;
/** The exit code that proves that a copy works as a shell; BusyBox under another name does not. */
const ANSWER = 7;

export interface FakePane {
  readonly paneId: string;
  readonly tty: string;
  /** What was typed into it. */
  readonly typedPath: string;
}

const SIZE = ['-x', '80', '-y', '24'];
const PLACE = ['-P', '-F', '#{pane_id} #{pane_tty}'];

/** Makes a pane for the role; the first role of a session makes the session. */
export async function openPane(machine: Machine, role: Role, isFirst: boolean): Promise<FakePane> {
  const typedPath = join(machine.stage.folder, `typed-${randomUUID()}`);
  const program = [...(await agentProgram(machine.stage, role.agent)), typedPath];
  const window = ['-n', role.agent, '-c', makeWorktree(machine, role)];
  const start = isFirst
    ? ['new-session', '-d', '-s', role.session, ...window, ...SIZE]
    : ['new-window', '-d', '-t', `=${role.session}:`, ...window];
  const title = titled(role.session);
  return paneOf(await tmux(machine, ...start, ...PLACE, ...program, ...title), typedPath);
}

/** A folder that looks like the worktree of a repository; on the second machine any folder. */
function makeWorktree({ stage, tmuxSocket }: Machine, { worktree, branch }: Role): string {
  if (tmuxSocket !== stage.tmuxSocket) return '/';
  const folder = join(stage.env['HOME'] ?? '/', worktree);
  mkdirSync(join(folder, '.git'), { recursive: true });
  writeFileSync(join(folder, '.git', 'HEAD'), `ref: refs/heads/${branch}\n`);
  return folder;
}

/** Sets the title of the newest window of a session, which is the host name by default. */
const titled = (session: string): readonly string[] => [
  ...[';', 'select-pane', '-t', `=${session}:{end}`, '-T', session],
];

/** Makes a session with a shell in it. */
export async function openShell(machine: Machine, session: string): Promise<void> {
  const title = titled(session);
  await tmux(machine, 'new-session', '-d', '-s', session, ...SIZE, '/bin/sh', ...title);
}

/** Restarts the agent of a pane, which gives the pane a new terminal. */
export async function restart(
  machine: Machine,
  role: Role,
  { paneId, typedPath }: FakePane,
): Promise<FakePane> {
  const program = [...(await agentProgram(machine.stage, role.agent)), typedPath];
  await tmux(machine, 'respawn-pane', '-k', '-t', paneId, ...program);
  const [, format = ''] = PLACE.slice(1);
  const line = await tmux(machine, 'display-message', '-p', '-t', paneId, format);
  return paneOf(line, typedPath);
}

function paneOf(line: string, typedPath: string): FakePane {
  const [paneId = '', tty = ''] = line.split(' ');
  return { paneId, tty, typedPath };
}

/** The command line of a fake agent, without the file that it writes. */
async function agentProgram(stage: Stage, agent: string): Promise<readonly string[]> {
  const folder = join(stage.folder, 'bin');
  const program = join(folder, agent);
  const known = lstatSync(program, { throwIfNoEntry: false });
  if (known) return known.isSymbolicLink() ? byNode(program) : byShell(program);
  mkdirSync(folder, { recursive: true });
  copyFileSync('/bin/sh', program);
  chmodSync(program, 0o755);
  const tried = await runChild({
    command: program,
    args: ['-c', `exit ${ANSWER}`],
    env: stage.env,
    timeoutMs: TRY_MS,
    stdoutBytesMax: 1,
  });
  if (tried.code === ANSWER) return byShell(program);
  rmSync(program);
  symlinkSync(process.execPath, program);
  return byNode(program);
}

/** Every key as it comes; `exit` keeps some shells from becoming `cat`, which has another name. */
const READ_BY_SHELL = 'umask 077; stty raw -echo; cat >>"$0"; exit';
const READ_BY_NODE = `process.stdin.setRawMode(true);
const options = { flags: 'a', mode: 0o600 };
process.stdin.pipe(require('node:fs').createWriteStream(process.argv[1], options));`;

const byShell = (program: string): readonly string[] => [program, '-c', READ_BY_SHELL];
const byNode = (program: string): readonly string[] => [program, '-e', READ_BY_NODE];
