// A second machine for the demo: this one again, reached by ssh through the demo's own sshd on a
// loopback port. Keys, configuration and known hosts are in the demo's folder, and a script called
// ssh, first in its PATH, uses them: the user's own keys are not read.

import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { startChild } from '../platform/process/child.ts';
import { runChild } from '../platform/process/launch.ts';
import type { Stage } from './stage.ts';

/** Its target name, which is also its host name for the demo's ssh. */
export const SECOND_NAME = 'build-vm';

const SSHD_PATHS = ['/usr/sbin/sshd', '/usr/local/sbin/sshd', '/usr/bin/sshd'];
/** sshd as root needs this folder; making it would change the machine. */
const ROOT_FOLDER = '/run/sshd';
const LISTEN_MS = 3_000;
const COMMAND_MS = 5_000;
const STDOUT_BYTES_MAX = 10_000;
/** Paths that need no quoting in the files below. */
const PLAIN_PATH = /^[\w./-]+$/;

/** The demo's folder is first in PATH; the script removes it to find the real ssh. */
const SSH_SCRIPT = `#!/bin/sh
PATH=\${PATH#*:} exec ssh -F "\${0%/*}/../ssh_config" "$@"
`;

export interface SecondMachine {
  /** The socket of its default tmux server after a login. */
  readonly tmuxSocket: string;
  readonly [Symbol.dispose]: () => void;
}

/** Sets it up and logs in once. Null when that fails: the demo then has one machine. */
export async function openSecondMachine(stage: Stage): Promise<SecondMachine | null> {
  const sshd = SSHD_PATHS.find((place) => existsSync(place));
  const isRefused = process.getuid?.() === 0 && !existsSync(ROOT_FOLDER);
  if (sshd === undefined || isRefused || !PLAIN_PATH.test(stage.folder)) return null;
  const socketFolder = join(stage.folder, 'vm', `tmux-${process.getuid?.() ?? 0}`);
  mkdirSync(socketFolder, { recursive: true, mode: 0o700 });
  const keys = ['host_key', 'user_key'].map((name) =>
    succeeds(stage, 'ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', join(stage.folder, name)),
  );
  if ((await Promise.all(keys)).includes(false)) return null;
  const port = await freePort();
  writeServerFiles(stage, port);
  writeClientFiles(stage, port);
  const close = await startServer(stage, sshd);
  if (close === null) return null;
  if (await succeeds(stage, stage.sshProgram, '-o', 'BatchMode=yes', SECOND_NAME, 'exit 0')) {
    return { tmuxSocket: join(socketFolder, 'default'), [Symbol.dispose]: close };
  }
  close();
  return null;
}

async function succeeds(
  { env }: Stage,
  command: string,
  ...args: readonly string[]
): Promise<boolean> {
  const limits = { timeoutMs: COMMAND_MS, stdoutBytesMax: STDOUT_BYTES_MAX };
  return (await runChild({ command, args, env, ...limits })).code === 0;
}

/** A free port; if another process takes it meanwhile, sshd does not start. */
async function freePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const server = createServer();
  server.once('error', () => resolve(0));
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    resolve(typeof address === 'object' && address !== null ? address.port : 0);
  });
  const port = await promise;
  server.close();
  return port;
}

function writeServerFiles({ folder }: Stage, port: number): void {
  const keys = readFileSync(join(folder, 'user_key.pub'));
  writeFileSync(join(folder, 'authorized_keys'), keys, { mode: 0o600 });
  const home = join(folder, 'vm');
  // The exit script finds the processes by this state folder.
  const session = [`HOME=${home}`, `TMUX_TMPDIR=${home}`, `XDG_STATE_HOME=${folder}/state-vm`];
  const lines = [
    `ListenAddress 127.0.0.1:${port}`,
    `HostKey ${join(folder, 'host_key')}`,
    `AuthorizedKeysFile ${join(folder, 'authorized_keys')}`,
    `PidFile ${join(folder, 'sshd.pid')}`,
    'UsePAM no',
    'StrictModes no',
    'PermitRootLogin prohibit-password',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'PrintMotd no',
    // sshd reads it from the user's real home, whatever HOME is.
    'PermitUserRC no',
    `SetEnv ${session.join(' ')}`,
  ];
  writeFileSync(join(folder, 'sshd_config'), `${lines.join('\n')}\n`);
}

function writeClientFiles(stage: Stage, port: number): void {
  const { folder } = stage;
  const [type, key] = readFileSync(join(folder, 'host_key.pub'), 'utf8').trim().split(' ');
  writeFileSync(join(folder, 'known_hosts'), `[127.0.0.1]:${port} ${type} ${key}\n`);
  const lines = [
    `Host ${SECOND_NAME}`,
    'HostName 127.0.0.1',
    `Port ${port}`,
    `User ${userInfo().username}`,
    `IdentityFile ${join(folder, 'user_key')}`,
    'IdentitiesOnly yes',
    'IdentityAgent none',
    `UserKnownHostsFile ${join(folder, 'known_hosts')}`,
    'GlobalKnownHostsFile /dev/null',
    'StrictHostKeyChecking yes',
  ];
  writeFileSync(join(folder, 'ssh_config'), `${lines.join('\n')}\n`);
  writeFileSync(stage.sshProgram, SSH_SCRIPT);
  chmodSync(stage.sshProgram, 0o755);
}

/** Resolves, once sshd listens, with the function that ends it; null when it does not listen. */
async function startServer({ folder, env }: Stage, sshd: string): Promise<(() => void) | null> {
  const { promise: listens, resolve } = Promise.withResolvers<boolean>();
  let output = '';
  const server = startChild({
    command: sshd,
    args: ['-D', '-e', '-f', join(folder, 'sshd_config')],
    env,
    isTethered: true,
    onStdout: () => {},
    onStderr: (text) => {
      output = (output + text).slice(-STDOUT_BYTES_MAX);
      if (output.includes('Server listening')) resolve(true);
    },
    onExit: () => resolve(false),
  });
  const timer = setTimeout(() => resolve(false), LISTEN_MS);
  const isUp = await listens;
  clearTimeout(timer);
  if (!isUp) server.kill('SIGKILL');
  return isUp ? () => server.kill('SIGTERM') : null;
}
