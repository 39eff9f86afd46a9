// A real daemon, run as it is built, on a real tmux server of its own: with its own home, folders
// and sockets, and everything ended afterwards. Fake agents are live-agents.ts.

import { execFile, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectDaemon, type DaemonClient } from '../../src/client/client.ts';
import type { PaneItem } from '../../src/schema/api/panes.ts';
import { builtProgram } from '../built-program.ts';
import { eventually, isAlive, type PrivateTmux, privateTmux } from '../live/tmux-server.ts';

/** Generous: two busy cores may need many seconds to start a Node and a tmux. */
export const START_MS = 45_000;

export interface CliResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export class LiveDaemon implements AsyncDisposable {
  readonly tmux: PrivateTmux = privateTmux();
  readonly folder: string = this.tmux.folder;
  readonly socketPath: string = join(this.folder, 'run', 'agtmux', 'agtmuxd.sock');
  readonly spool: string = join(this.folder, 'state', 'agtmux', 'spool');
  readonly env: Record<string, string>;
  readonly #attach: 'when_safe' | 'always';
  readonly #clients: DaemonClient[] = [];

  /**
   * With `attach: 'always'` it has control clients and taps whatever the version of tmux: what is
   * tested of them holds for every version that can be attached to.
   */
  constructor({ attach = 'when_safe' }: { readonly attach?: 'when_safe' | 'always' } = {}) {
    this.#attach = attach;
    for (const name of ['home', 'run', 'state', 'config']) mkdirSync(join(this.folder, name));
    chmodSync(join(this.folder, 'run'), 0o700);
    this.env = {
      PATH: process.env['PATH'] ?? '',
      LANG: 'C.UTF-8',
      HOME: join(this.folder, 'home'),
      XDG_RUNTIME_DIR: join(this.folder, 'run'),
      XDG_STATE_HOME: join(this.folder, 'state'),
      XDG_CONFIG_HOME: join(this.folder, 'config'),
      AGTMUX_TMUX_SOCKET_PATH: this.tmux.socketPath,
    };
    if (attach === 'always') this.configure('');
  }

  /** Writes the configuration file. */
  configure(toml: string): void {
    const folder = join(this.folder, 'config', 'agtmux');
    mkdirSync(folder, { recursive: true });
    const attach = `[tmux]\nattach = "${this.#attach}"\n`;
    const whole = toml.includes('[tmux]\n') ? toml.replace('[tmux]\n', attach) : toml + attach;
    writeFileSync(join(folder, 'config.toml'), whole);
  }

  /** Starts a daemon in the background and waits until it answers and has listed the panes. */
  async start(): Promise<number> {
    const errors = openSync(join(this.folder, 'stderr'), 'a');
    const child = spawn(process.execPath, [...builtProgram, 'daemon', 'run'], {
      env: this.env,
      stdio: ['ignore', 'ignore', errors],
    });
    const pid = child.pid ?? 0;
    await eventually(
      async () => {
        if (child.exitCode !== null) throw new Error(`no daemon: ${this.errors()}`);
        const client = await connectDaemon({ socketPath: this.socketPath }).catch(() => null);
        const info = await client?.call('daemon_info', {}).catch(() => null);
        client?.close();
        return info?.pid === pid && info.servers[0]?.status === 'connected';
      },
      'the daemon answers and sees tmux',
      START_MS,
    );
    return pid;
  }

  /** What daemons wrote to stderr, and their log. */
  errors(): string {
    return readFileSync(join(this.folder, 'stderr'), 'utf8');
  }

  /** A client of the daemon that runs now; closed at the end. */
  async client(timeoutMs = 10_000): Promise<DaemonClient> {
    const client = await connectDaemon({ socketPath: this.socketPath, timeoutMs });
    this.#clients.push(client);
    return client;
  }

  /** Runs one command line. */
  cli(...args: readonly string[]): Promise<CliResult> {
    return this.cliWith({}, ...args);
  }

  cliWith(env: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<CliResult> {
    const options = { env: { ...this.env, ...env }, timeout: 60_000, maxBuffer: 64 * 1024 ** 2 };
    return new Promise((resolve) => {
      const done = execFile(
        process.execPath,
        [...builtProgram, ...args],
        options,
        (_, out, err) => {
          resolve({ code: done.exitCode ?? -1, out, err });
        },
      );
    });
  }

  /** Waits until a process that this lab or the daemon started is gone. */
  async ended(pid: number): Promise<void> {
    await eventually(() => !isAlive(pid) || isDefunct(pid), `process ${pid} has ended`);
  }

  async kill(pid: number, signal: NodeJS.Signals): Promise<void> {
    process.kill(pid, signal);
    if (signal === 'SIGKILL' || signal === 'SIGTERM') await this.ended(pid);
  }

  /** The clients of our tmux server, as processes: pid and whether it speaks control mode. */
  tmuxClients(): readonly { readonly pid: number; readonly control: boolean }[] {
    const format = '#{client_control_mode} #{client_pid}';
    return this.tmux
      .run('list-clients', '-F', format)
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => ({ control: line.startsWith('1'), pid: Number(line.slice(2)) }));
  }

  /** Every process that was started in this lab's folders, by its environment. */
  processes(): readonly { readonly pid: number; readonly command: string }[] {
    // tmux clients have a small environment.
    const mark = `HOME=${this.env['HOME']}`;
    return readdirSync('/proc').flatMap((name) => {
      if (!/^\d+$/.test(name)) return [];
      try {
        if (!readFileSync(`/proc/${name}/environ`, 'utf8').includes(mark)) return [];
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return command === '' ? [] : [{ pid: Number(name), command }];
      } catch {
        return [];
      }
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#clients) client.close();
    // First what would bring a daemon back (a live view, a watch), then the daemons, then their
    // tmux clients: a server waits for the last of its clients.
    const orders = [/agtmux\.js (?!daemon)/, /daemon run/, /(?:)/];
    for (const order of orders) {
      const ours = this.processes().filter(({ command }) => order.test(command));
      for (const { pid } of ours) {
        if (!isAlive(pid) || isDefunct(pid)) continue;
        process.kill(pid, 'SIGKILL');
        await this.ended(pid);
      }
    }
    this.tmux[Symbol.dispose]();
  }
}

/**
 * A child of the daemon that it has not yet reaped, or ours. A process whose other threads still
 * end keeps its locks, although it is a zombie already.
 */
function isDefunct(pid: number): boolean {
  try {
    const isZombie = / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\)/, ''));
    return isZombie && readdirSync(`/proc/${pid}/task`).length <= 1;
  } catch {
    return true;
  }
}

interface ToldState {
  readonly target: string;
  readonly paneId: string;
  /** `state` or `state/reason`. */
  readonly state: string;
}

/** A subscriber: every pane as it was last published, and each state that it went through. */
export class Subscriber implements Disposable {
  readonly rows: Map<string, PaneItem> = new Map();
  /** In order. */
  readonly states: ToldState[] = [];
  readonly #client: DaemonClient;
  readonly #ended: Promise<void>;

  constructor(client: DaemonClient, options: { readonly resume?: boolean } = {}) {
    this.#client = client;
    this.#ended = this.#read(options);
  }

  /** The pane of this machine as it was last published, in its first place. */
  row(paneId: string): PaneItem | null {
    const found = [...this.rows.values()].filter(
      ({ identity, presence, target }) =>
        identity?.pane_id === paneId && presence !== 'missing' && target === 'local',
    );
    return found[0] ?? null;
  }

  /** Waits until the pane is as it should be, and returns its row. */
  until(paneId: string, check: (row: PaneItem) => boolean, what: string): Promise<PaneItem> {
    return eventually(() => {
      const row = this.row(paneId);
      return row !== null && check(row) ? row : null;
    }, what).catch((error: unknown) => {
      throw new Error(`${String(error)}; it is ${describe(this.row(paneId))}`);
    });
  }

  /** Waits until the pane is in the state. */
  state(paneId: string, state: PaneItem['state'], what: string = state): Promise<PaneItem> {
    return this.until(paneId, (row) => row.state === state, `${paneId} is ${what}`);
  }

  async #read(options: { readonly resume?: boolean }): Promise<void> {
    for await (const message of this.#client.subscribe({}, options)) {
      if (message.type === 'snapshot') this.rows.clear();
      if (message.type === 'snapshot' || message.type === 'state_changed') {
        for (const pane of message.data.panes) this.#note(pane);
      }
      if (message.type === 'state_changed') {
        for (const key of message.data.removed) this.rows.delete(key);
      }
    }
  }

  #note(pane: PaneItem): void {
    const before = this.rows.get(pane.pane_key);
    this.rows.set(pane.pane_key, pane);
    const paneId = pane.identity?.pane_id ?? '';
    if (before === undefined || before.state_version !== pane.state_version) {
      this.states.push({ target: pane.target, paneId, state: wordOf(pane) });
    }
  }

  [Symbol.dispose](): void {
    this.#client.close();
    void this.#ended.catch(() => null);
  }
}

/** `state` or `state/reason`. */
export const wordOf = ({ state, reason_code: reason }: PaneItem): string =>
  reason === null ? state : `${state}/${reason}`;

const describe = (row: PaneItem | null): string =>
  row === null
    ? 'not listed'
    : `${row.presence} ${row.agent} ${wordOf(row)} by ${row.evidence.source} ${row.evidence.rule}`;
