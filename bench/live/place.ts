// A private place for one benchmark: a folder with its own HOME and XDG folders, and a tmux server
// on its own socket. Whatever was started here ends when the place is closed, also on a signal.

import { spawnSync } from 'node:child_process';
import {
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root: string = fileURLToPath(new URL('../../', import.meta.url));
export const agtmuxBin: string = join(root, 'bin', 'agtmux.js');
export const emitterFile: string = join(root, 'emitter', 'agtmux-emit');

const TMUX_TIMEOUT_MS = 20_000;
/** A thousand panes are a thousand terminals in one tmux server. */
const WITH_MANY_FILES = 'ulimit -n 8192 2>/dev/null; exec "$@"';

/** Where tmux has the socket of its default server, under TMUX_TMPDIR. */
export const DEFAULT_SOCKET: string = join(`tmux-${process.getuid?.() ?? 0}`, 'default');

/** Whatever the version of tmux: control clients, and taps. */
export const ATTACH_ALWAYS = '[tmux]\nattach = "always"\n';

export class Place implements Disposable {
  readonly folder: string;
  readonly socket: string;
  readonly env: NodeJS.ProcessEnv;
  readonly #endings: (() => void)[] = [];
  readonly #onSignal = (): void => {
    this[Symbol.dispose]();
    process.exit(130);
  };

  constructor(socketName = 'tmux.sock') {
    this.folder = mkdtempSync(join(tmpdir(), 'agtmux-bench-'));
    this.socket = join(this.folder, socketName);
    mkdirSync(dirname(this.socket), { recursive: true, mode: 0o700 });
    const folderOf = (name: string): string => {
      const path = join(this.folder, name);
      mkdirSync(path, { mode: 0o700 });
      return path;
    };
    this.env = {
      PATH: process.env['PATH'] ?? '/usr/bin:/bin',
      LC_ALL: 'C.UTF-8',
      HOME: folderOf('home'),
      XDG_STATE_HOME: folderOf('state'),
      XDG_CONFIG_HOME: folderOf('config'),
      XDG_RUNTIME_DIR: folderOf('run'),
      AGTMUX_TMUX_SOCKET_PATH: this.socket,
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, this.#onSignal);
    }
  }

  /** Runs one tmux command line on the private server and returns what it printed. */
  tmux(...args: readonly string[]): string {
    const tmux = ['tmux', '-u', '-S', this.socket, '-f', '/dev/null', ...args];
    const { status, stdout, stderr } = spawnSync(
      '/bin/sh',
      ['-c', WITH_MANY_FILES, 'sh', ...tmux],
      {
        env: this.env,
        encoding: 'utf8',
        timeout: TMUX_TIMEOUT_MS,
      },
    );
    if (status !== 0) throw new Error(`tmux ${args[0]} ended with ${status}: ${stderr}`);
    return stdout.trim();
  }

  /** The tmux server's process. */
  serverPid(): number {
    return Number(this.tmux('display-message', '-p', '#{pid}'));
  }

  /**
   * A copy of the Node binary, made once. No other process maps its pages, so that the memory of
   * what runs it can be measured.
   */
  ownNode(): string {
    const file = join(this.folder, 'node');
    if (!existsSync(file)) copyFileSync(process.execPath, file, constants.COPYFILE_FICLONE);
    return file;
  }

  /** Writes the configuration of a daemon that is started here. */
  configure(toml: string): void {
    const folder = join(this.folder, 'config', 'agtmux');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'config.toml'), toml);
  }

  /** Something to end before the folder goes; the last one first. It must not wait. */
  atEnd(ending: () => void): void {
    this.#endings.push(ending);
  }

  [Symbol.dispose](): void {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.off(signal, this.#onSignal);
    }
    for (const ending of this.#endings.splice(0).reverse()) ending();
    spawnSync('tmux', ['-S', this.socket, 'kill-server'], { timeout: TMUX_TIMEOUT_MS });
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }
}
