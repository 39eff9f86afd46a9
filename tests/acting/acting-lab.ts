// A real daemon, real panes with a shell each, and stand-ins for Claude Code in them whose input
// can be read afterwards.

import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/script-entry.ts';
import type { DaemonClient } from '../../src/client/client.ts';
import type { PaneItem } from '../../src/schema/api/panes.ts';
import { LiveDaemon } from '../daemon-live/live-daemon.ts';
import { eventually } from '../live/tmux-server.ts';

export const AGENT_MS = 20_000;

/** What a stand-in wrote down. */
export interface Received {
  readonly pid: number;
  readonly submitted?: string;
  readonly chosen?: string;
}

export class ActingLab implements AsyncDisposable {
  readonly live: LiveDaemon;
  readonly log: string;
  readonly hits: string;
  client!: DaemonClient;

  constructor(options: ConstructorParameters<typeof LiveDaemon>[0]) {
    this.live = new LiveDaemon(options);
    this.log = join(this.live.folder, 'received');
    this.hits = join(this.live.folder, 'hits');
  }

  /** With `attach: 'always'` everything goes through a control client. */
  static async open(options?: ConstructorParameters<typeof LiveDaemon>[0]): Promise<ActingLab> {
    const lab = new ActingLab(options);
    mkdirSync(join(lab.live.folder, 'bin'), { recursive: true });
    mkdirSync(lab.hits);
    // Node under the agent's name, so that its process is recognised; and as one that hides it.
    for (const name of ['claude', 'ssh']) symlinkSync(process.execPath, lab.#program(name));
    writeFileSync(lab.log, '');
    lab.live.tmux.newSession('home', 'cat');
    await lab.live.start();
    lab.client = await lab.live.client(90_000);
    return lab;
  }

  #program(name: string): string {
    return join(this.live.folder, 'bin', name);
  }

  /** A pane with a plain shell in it. */
  openShell(session: string): string {
    const { tmux } = this.live;
    const shell = "exec env PS1='$ ' bash --norc --noprofile";
    return tmux
      .run(
        'new-session',
        '-d',
        '-P',
        '-F',
        '#{pane_id}',
        '-x',
        '100',
        '-y',
        '30',
        '-s',
        session,
        shell,
      )
      .trim();
  }

  /** Starts a stand-in in the shell of a pane and waits until the daemon sees it at rest. */
  async startAgent(
    paneId: string,
    { isLooped = false, program = 'claude' } = {},
  ): Promise<PaneItem> {
    const script = join(root, 'tests/acting/fake-claude.mjs');
    const once = `'${this.#program(program)}' '${script}' '${this.log}'`;
    this.typeLine(paneId, isLooped ? `while :; do ${once}; done` : once);
    return this.untilState(paneId, ['idle', 'completed']);
  }

  /** Types a line into a shell, as a person would. */
  typeLine(paneId: string, line: string): void {
    this.live.tmux.run('send-keys', '-t', paneId, '-l', line);
    this.live.tmux.run('send-keys', '-t', paneId, 'Enter');
  }

  async pane(paneId: string): Promise<PaneItem | undefined> {
    const { panes } = await this.client.call('list_panes', {});
    return panes.find(({ identity }) => identity?.pane_id === paneId);
  }

  async untilState(paneId: string, states: readonly string[]): Promise<PaneItem> {
    let found: PaneItem | undefined;
    await eventually(
      async () => {
        found = await this.pane(paneId);
        return found?.presence === 'managed' && states.includes(found.state);
      },
      `${paneId} is ${states.join(' or ')}`,
      AGENT_MS,
    ).catch((error: Error) => {
      const state = `${found?.presence} ${found?.state} ${found?.reason_code}`;
      throw new Error(`${error.message}; it is ${state}:\n${this.screen(paneId)}`);
    });
    if (!found) throw new Error('no pane');
    return found;
  }

  screen(paneId: string): string {
    return this.live.tmux.run('capture-pane', '-p', '-t', paneId);
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
  }
}
