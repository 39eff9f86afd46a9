// The private environment of a demo: a folder with HOME and XDG folders, and a tmux server on its
// own socket. No file of the user is read or written. The exit script makes the folder; at the end
// it kills all processes that have the folder in their environment, and removes it.

import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Fault } from '../platform/fault.ts';
import { type ExitScript, startExitScript } from '../platform/process/exit-script.ts';
import { runChild } from '../platform/process/launch.ts';

/** A socket path has at most 107 bytes. */
const TEMP_LENGTH_MAX = 48;
const TMUX_TIMEOUT_MS = 10_000;
const STDOUT_BYTES_MAX = 100_000;
/** The exit script sends SIGTERM, and SIGKILL after 3 s; this is more than it takes. */
const END_TIMEOUT_MS = 15_000;

/** The name is random, and mkdir fails if the folder exists, so the folder is ours alone. */
const MAKE_FOLDER = 'umask 077; mkdir "$1"';

/**
 * Ends the processes of the demo: SIGTERM first, SIGKILL after 3 s. A process is ours if the folder
 * is in its environment, so that no other is touched; sshd, which hides its environment, is found
 * by its configuration file. Without /proc the tmux servers are ended through their sockets, and
 * the rest ends with us.
 */
const END_ALL = `ours() {
  grep -ls -- "XDG_STATE_HOME=$1/state" /proc/[0-9]*/environ 2>/dev/null |
    sed 's|^/proc/||; s|/environ$||'
}
sshd=$(cat "$1/sshd.pid" 2>/dev/null)
grep -qs -- "$1/sshd_config" "/proc/$sshd/cmdline" && kill "$sshd"
count=0
while [ "$count" -lt 60 ]; do
  pids=$(ours "$1")
  [ -n "$pids" ] || break
  [ "$count" -ne 0 ] || kill -s TERM $pids
  [ "$count" -lt 30 ] || kill -s KILL $pids
  sleep 0.1
  count=$((count + 1))
done
for socket in "$1"/tmux.sock "$1"/vm/tmux-*/default; do
  tmux -N -S "$socket" kill-server
done
rm -rf -- "$1"`;

/** The variables of the user that programs need to run and to draw. */
const KEPT_NAMES = /^(?:PATH|LANG|LC_\w+|TERM|COLORTERM|COLORFGBG|NO_COLOR|TZ|AGTMUX_LOG)$/;

export class Stage {
  readonly folder: string;
  readonly socketPath: string;
  readonly tmuxSocket: string;
  /** The demo's ssh script, before the real ssh in its PATH. */
  readonly sshProgram: string;
  readonly env: Readonly<Record<string, string>>;
  readonly #exitScript: ExitScript;

  private constructor(folder: string, exitScript: ExitScript, env: NodeJS.ProcessEnv) {
    this.folder = folder;
    this.#exitScript = exitScript;
    this.tmuxSocket = join(folder, 'tmux.sock');
    this.socketPath = join(folder, 'run', 'agtmux', 'agtmuxd.sock');
    const tools = join(folder, 'tools');
    this.sshProgram = join(tools, 'ssh');
    mkdirSync(tools);
    const own = { PATH: `${tools}:${env['PATH'] ?? ''}` };
    this.env = { ...kept(env), ...own, ...this.#ownFolders() };
  }

  /** Makes the stage. Rejects with a Fault. */
  static async build(env: NodeJS.ProcessEnv, config: string): Promise<Stage> {
    const temp = tmpdir().length > TEMP_LENGTH_MAX ? '/tmp' : tmpdir();
    const folder = join(temp, `agtmux-demo-${randomBytes(6).toString('hex')}`);
    const exitScript = startExitScript({
      first: MAKE_FOLDER,
      last: END_ALL,
      args: [folder],
      env: kept(env),
    });
    if (!(await exitScript.ready)) {
      throw new Fault('E_DEMO_FAILED', { about: temp, detail: 'a folder cannot be created there' });
    }
    const stage = new Stage(folder, exitScript, env);
    const configFolder = join(folder, 'config', 'agtmux');
    mkdirSync(configFolder, { recursive: true });
    writeFileSync(join(configFolder, 'config.toml'), config);
    return stage;
  }

  #ownFolders(): Record<string, string> {
    const folderOf = (name: string): string => {
      const path = join(this.folder, name);
      mkdirSync(path, { recursive: true, mode: 0o700 });
      return path;
    };
    return {
      SHELL: '/bin/sh',
      HOME: folderOf('home'),
      XDG_STATE_HOME: folderOf('state'),
      XDG_CONFIG_HOME: folderOf('config'),
      XDG_RUNTIME_DIR: folderOf('run'),
      AGTMUX_TMUX_SOCKET_PATH: this.tmuxSocket,
    };
  }

  /** Runs one tmux command line on a private server and returns what it printed. */
  async tmux(socket: string, args: readonly string[]): Promise<string> {
    const done = await runChild({
      command: 'tmux',
      args: ['-u', '-S', socket, '-f', '/dev/null', ...args],
      env: this.env,
      cwd: this.env['HOME'] ?? '/',
      timeoutMs: TMUX_TIMEOUT_MS,
      stdoutBytesMax: STDOUT_BYTES_MAX,
    });
    if (done.code === 0) return done.stdout.trimEnd();
    const how = done.timedOut ? 'it hangs' : `it ended with ${done.code ?? done.signal}`;
    const detail = done.error?.includes('ENOENT') ? 'it is not installed' : done.error;
    throw new Fault('E_DEMO_FAILED', {
      about: 'tmux',
      detail: detail ?? (done.stderr.trim() || how),
    });
  }

  /** Ends everything that runs here and removes the folder. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#exitScript.runNow(END_TIMEOUT_MS);
  }
}

function kept(env: NodeJS.ProcessEnv): Record<string, string> {
  const entries = Object.entries(env).filter(([name]) => KEPT_NAMES.test(name));
  return Object.fromEntries(entries.map(([name, value]) => [name, value ?? '']));
}
