// The agents of a first hour: thirty in ten sessions of this machine, one that answers keys, and
// two on each of two hosts over ssh; each in the state that its screen shows.

import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/script-entry.ts';
import { runCli } from '../../src/cli/main.ts';
import type { PaneItem, PaneList } from '../../src/schema/api/panes.ts';
import { eventually, type PrivateTmux } from '../live/tmux-server.ts';
import { fakeCommand, LivePane, recording } from './live-agents.ts';
import { type CliResult, LiveDaemon } from './live-daemon.ts';
import { introduce, RemoteHost } from './remote-host.ts';

/** For what takes a login, a probe and a look at every pane, on a busy machine. */
const REACH_MS = 60_000;

const APPROVAL = 'claude/111-waiting_approval';
const QUESTION = 'claude/124-waiting_input';
const RUNNING = 'claude/104-running';
const IDLE = 'claude/101-idle';
const COMPLETED = 'claude/106-completed';
const FAILED = 'claude/132-error';
const CODEX_APPROVAL = 'codex/110-waiting_approval';
const CODEX_QUESTION = 'codex/129-waiting_input';
const CODEX_RUNNING = 'codex/103-running';
const CODEX_IDLE = 'codex/101-idle';

/** What the agents of a session show: two beside each other, and one in a window of its own. */
type Screens = readonly [string, string, string];
const localSessions: Readonly<Record<string, Screens>> = {
  api: [APPROVAL, RUNNING, IDLE],
  web: [CODEX_RUNNING, CODEX_APPROVAL, COMPLETED],
  docs: [QUESTION, IDLE, RUNNING],
  infra: [RUNNING, FAILED, CODEX_IDLE],
  mobile: [IDLE, RUNNING, CODEX_QUESTION],
  data: [CODEX_RUNNING, IDLE, APPROVAL],
  auth: [RUNNING, APPROVAL, IDLE],
  search: [COMPLETED, CODEX_IDLE, RUNNING],
  billing: [IDLE, QUESTION, RUNNING],
  tools: [RUNNING, CODEX_RUNNING, IDLE],
};
/** One agent a window; the session `api` is also one of this machine. */
const remoteSessions = {
  'build-box': { session: 'api', screens: [APPROVAL, RUNNING] },
  'gpu-box': { session: 'train', screens: [QUESTION, CODEX_RUNNING] },
} as const;

/** Wide enough for two panes of 80 columns, with the line between them. */
const TWO_PANES = ['-x', '161', '-y', '24'];
const ONE_PANE = ['-x', '80', '-y', '24'];

export interface StagedAgent {
  readonly target: string;
  /** `session:window.pane`. */
  readonly location: string;
  readonly pane: LivePane;
  readonly screen: string;
}

export class FirstHourLab implements AsyncDisposable {
  readonly live: LiveDaemon = new LiveDaemon();
  readonly hosts: Readonly<Record<keyof typeof remoteSessions, RemoteHost>>;
  readonly agents: readonly StagedAgent[];

  private constructor(hosts: FirstHourLab['hosts']) {
    this.hosts = hosts;
    introduce(this.live, hosts);
    const local = Object.entries(localSessions).flatMap(([session, screens]) =>
      stageSession(this.live.tmux, session, screens),
    );
    const remote = Object.entries(remoteSessions).flatMap(([target, { session, screens }]) =>
      stageWindows(hosts[target as keyof typeof hosts].tmux, target, session, screens),
    );
    this.agents = [...local, ...remote];
  }

  static async open(): Promise<FirstHourLab> {
    const [build, gpu] = await Promise.all([RemoteHost.start(), RemoteHost.start()]);
    return new FirstHourLab({ 'build-box': build, 'gpu-box': gpu });
  }

  /** Lets every agent show its screen; a turn that has ended was at work before. */
  async showAll(): Promise<void> {
    const completed = this.agents.filter(({ screen }) => screen === COMPLETED);
    for (const { pane, screen } of this.agents) pane.show(screen === COMPLETED ? RUNNING : screen);
    await this.until(
      (rows) => completed.every((agent) => rowOf(rows, agent)?.state === 'running'),
      'the agents that will end their turn are at work',
    );
    for (const { pane } of completed) pane.show(COMPLETED);
    await this.until(
      (rows) => this.agents.every((agent) => rowOf(rows, agent)?.state === stateOf(agent)),
      'every agent is in the state that its screen shows',
    );
  }

  /** Waits until the listing is as it should be, and returns it. */
  async until(check: (rows: readonly PaneItem[]) => boolean, what: string): Promise<PaneList> {
    let list: PaneList | null = null;
    await eventually(
      async () => {
        list = await this.list();
        return check(list.panes);
      },
      what,
      REACH_MS,
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}; it is\n${this.differences(list?.panes ?? [])}`);
    });
    return list ?? this.list();
  }

  async list(...options: readonly string[]): Promise<PaneList> {
    return JSON.parse((await this.agtmux('list', ...options, '--json')).out) as PaneList;
  }

  /** Each agent whose row is not in the state of its screen. */
  differences(rows: readonly PaneItem[]): string {
    return this.agents
      .map((agent) => ({ agent, row: rowOf(rows, agent) }))
      .filter(({ agent, row }) => row?.state !== stateOf(agent))
      .map(({ agent, row }) => {
        const found = row === null ? 'not listed' : `${row.state} ${row.reason_code}`;
        return `${agent.target}/${agent.location} shows ${agent.screen}, is ${found}`;
      })
      .join('\n');
  }

  /** Runs a command line in this process: a hundred of them need no Node of their own. */
  async agtmux(...args: readonly string[]): Promise<CliResult> {
    let out = '';
    let err = '';
    const options = ['--socket-path', this.live.socketPath, '--color', 'never'];
    const code = await runCli(['node', 'agtmux', ...options, ...args], {
      writeOut: (text) => {
        out += text;
      },
      writeErr: (text) => {
        err += text;
      },
    });
    return { code, out, err };
  }

  /** A stand-in for Claude Code that answers keys, in a session of its own. */
  openAnswering(session: string): LivePane {
    const { folder, tmux } = this.live;
    const program = join(folder, 'answering', 'claude');
    mkdirSync(join(folder, 'answering'));
    // Node under the agent's name, so that its process is recognised.
    symlinkSync(process.execPath, program);
    const script = join(root, 'tests/acting/fake-claude.mjs');
    const command = `exec '${program}' '${script}' '${join(folder, 'answers')}'`;
    return LivePane.of(tmux, tmux.newSession(session, command));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.live[Symbol.asyncDispose]();
    for (const host of Object.values(this.hosts)) await host[Symbol.asyncDispose]();
  }
}

const stateOf = ({ screen }: StagedAgent): string => recording(screen).state;

/** The row of an agent in a listing. */
export function rowOf(rows: readonly PaneItem[], agent: StagedAgent): PaneItem | null {
  const isAgent = ({ target, identity }: PaneItem): boolean =>
    target === agent.target && identity?.pane_id === agent.pane.paneId;
  return rows.find(isAgent) ?? null;
}

/** A pane with a fake agent; the command of tmux makes it and prints its id. */
function stage(tmux: PrivateTmux, screen: string, ...command: readonly string[]): LivePane {
  const agent = fakeCommand(tmux, recording(screen).agent);
  const [name = '', ...options] = command;
  return new LivePane(tmux, tmux.run(name, '-d', '-P', '-F', '#{pane_id}', ...options, agent));
}

/** Two agents beside each other in the first window, and one in the second. */
function stageSession(
  tmux: PrivateTmux,
  session: string,
  [first, second, third]: Screens,
): readonly StagedAgent[] {
  const panes: readonly (readonly [string, string, LivePane])[] = [
    [`${session}:0.0`, first, stage(tmux, first, 'new-session', '-s', session, ...TWO_PANES)],
    [`${session}:0.1`, second, stage(tmux, second, 'split-window', '-h', '-t', `=${session}:0`)],
    [`${session}:1.0`, third, stage(tmux, third, 'new-window', '-t', `=${session}:1`)],
  ];
  // Windows keep their sizes also when a smaller client shows them.
  tmux.run('resize-window', '-t', `=${session}:0`, ...TWO_PANES);
  tmux.run('resize-window', '-t', `=${session}:1`, ...ONE_PANE);
  return panes.map(([location, screen, pane]) => ({ target: 'local', location, pane, screen }));
}

function stageWindows(
  tmux: PrivateTmux,
  target: string,
  session: string,
  screens: readonly string[],
): readonly StagedAgent[] {
  return screens.map((screen, index) => {
    const first = ['new-session', '-s', session, ...ONE_PANE];
    const command = index === 0 ? first : ['new-window', '-t', `=${session}:${index}`];
    const pane = stage(tmux, screen, ...command);
    return { target, location: `${session}:${index}.0`, pane, screen };
  });
}
