// A real daemon, real panes with a shell each, here or behind a real sshd, and stand-ins for Claude
// Code in them whose input can be read afterwards.

import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/script-entry.ts';
import type { DaemonClient } from '../../src/client/client.ts';
import type { PaneItem } from '../../src/schema/api/panes.ts';
import { LiveDaemon } from '../daemon-live/live-daemon.ts';
import { introduce, RemoteHost } from '../daemon-live/remote-host.ts';
import { eventually, type PrivateTmux } from '../live/tmux-server.ts';

export const AGENT_MS = 20_000;
export const SSH_TARGET = 'vm1';

export interface ActingLabOptions {
  /** With `always` everything goes through a control client. */
  readonly attach?: 'when_safe' | 'always';
  /** The panes are behind an sshd. */
  readonly isRemote?: boolean;
  /** What the daemon finds when it starts. */
  readonly prepare?: (live: LiveDaemon) => void;
}

/** What a stand-in wrote down. */
export interface Received {
  readonly pid: number;
  readonly submitted?: string;
  /** A command that it ran, with its exit code and output. */
  readonly ran?: string;
  readonly code?: number;
  readonly out?: string;
  readonly chosen?: string;
  /** How it was answered, and the reason that came with it. */
  readonly how?: string;
  readonly message?: string;
  /** Of the dialog that was answered. */
  readonly command?: string;
  /** How long it had been open, where it took the place of another. */
  readonly ageMs?: number;
}

export class ActingLab implements AsyncDisposable {
  readonly live: LiveDaemon;
  /** Where the panes are, if not here. */
  readonly remote: RemoteHost | null;
  readonly log: string;
  readonly hits: string;
  client!: DaemonClient;

  constructor(live: LiveDaemon, remote: RemoteHost | null) {
    this.live = live;
    this.remote = remote;
    this.log = join(this.live.folder, 'received');
    this.hits = join(this.live.folder, 'hits');
  }

  static async open(options: ActingLabOptions = {}): Promise<ActingLab> {
    const { attach, isRemote = false, prepare } = options;
    const remote = isRemote ? await RemoteHost.start() : null;
    const lab = new ActingLab(new LiveDaemon(attach ? { attach } : {}), remote);
    mkdirSync(join(lab.live.folder, 'bin'), { recursive: true });
    mkdirSync(lab.hits);
    // Node under the agent's name, so that its process is recognised; and as one that hides it.
    for (const name of ['claude', 'opencode', 'kilo', 'ssh'])
      symlinkSync(process.execPath, lab.program(name));
    writeFileSync(lab.log, '');
    prepare?.(lab.live);
    lab.live.tmux.newSession('home', 'cat');
    if (remote) {
      remote.tmux.newSession('far', 'cat');
      introduce(lab.live, { [SSH_TARGET]: remote });
    }
    await lab.start();
    if (remote) await lab.client.call('add_target', { name: SSH_TARGET, kind: 'ssh' });
    return lab;
  }

  /** Starts a daemon, also again; returns its pid. */
  async start(): Promise<number> {
    const pid = await this.live.start();
    this.client = await this.live.client(90_000);
    return pid;
  }

  /** The server that the panes are on. */
  get tmux(): PrivateTmux {
    return this.remote?.tmux ?? this.live.tmux;
  }

  /** Node under the name of an agent. */
  program(name: string): string {
    return join(this.live.folder, 'bin', name);
  }

  /** A pane with a plain shell in it. */
  openShell(session: string): string {
    const shell = "exec env PS1='$ ' bash --norc --noprofile";
    const size = ['-x', '100', '-y', '30'];
    const words = ['-d', '-P', '-F', '#{pane_id}', ...size, '-s', session, shell];
    return this.tmux.run('new-session', ...words).trim();
  }

  /** Starts a stand-in in the shell of a pane and waits until the daemon sees it at rest. */
  async startAgent(
    paneId: string,
    { isLooped = false, program = 'claude', script = 'fake-claude.mjs', more = '', runs = 1 } = {},
  ): Promise<PaneItem> {
    const path = join(root, 'tests/acting', script);
    const once = `'${this.program(program)}' '${path}' '${this.log}' ${more}`;
    const line = Array.from({ length: runs }, () => once).join('; ');
    this.typeLine(paneId, isLooped ? `while :; do ${line}; done` : line);
    return this.untilState(paneId, ['idle', 'completed']);
  }

  /** Types a line into a shell, as a person would. */
  typeLine(paneId: string, line: string): void {
    this.tmux.run('send-keys', '-t', paneId, '-l', line);
    this.tmux.run('send-keys', '-t', paneId, 'Enter');
  }

  /** Presses keys in a pane by the names that tmux has for them. */
  typeKeys(paneId: string, ...names: readonly string[]): void {
    this.live.tmux.run('send-keys', '-t', paneId, ...names);
  }

  async pane(paneId: string): Promise<PaneItem | undefined> {
    const { panes } = await this.client.call('list_panes', {});
    const place = this.remote ? SSH_TARGET : 'local';
    return panes.find(
      ({ identity, target, presence }) =>
        identity?.pane_id === paneId && target === place && presence !== 'missing',
    );
  }

  async untilState(paneId: string, states: readonly string[]): Promise<PaneItem> {
    let found: PaneItem | undefined;
    await eventually(
      async () => {
        found = await this.pane(paneId);
        return found?.presence === 'managed' && states.includes(found.state);
      },
      `${paneId} is ${states.join(' or ')}`,
      this.remote ? 2 * AGENT_MS : AGENT_MS,
    ).catch((error: Error) => {
      const state = `${found?.presence} ${found?.state} ${found?.reason_code}`;
      throw new Error(`${error.message}; it is ${state}:\n${this.screen(paneId)}`);
    });
    if (!found) throw new Error('no pane');
    return found;
  }

  screen(paneId: string): string {
    return this.tmux.run('capture-pane', '-p', '-t', paneId);
  }

  received(): readonly Received[] {
    return readFileSync(this.log, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Received);
  }

  /** A text that leaves a file behind if a shell runs it. */
  hitText(name: string): string {
    return `touch ${join(this.hits, name)}`;
  }

  wasRunByShell(name: string): boolean {
    return existsSync(join(this.hits, name));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.live[Symbol.asyncDispose]();
    await this.remote?.[Symbol.asyncDispose]();
  }
}
