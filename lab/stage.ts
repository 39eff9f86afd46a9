// The world of one scenario: a home, a folder to work in, a private tmux server, a fake model, the
// daemon from the sources that watches it, and a client that samples what the daemon says. All of
// it is new and is gone afterwards. Over ssh the agent's tmux server is on another machine; in an
// opaque mode its shell is inside another tmux or an ssh in the pane.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shellQuote } from '../src/platform/text/shell-quote.ts';
import { LiveDaemon } from '../tests/daemon-live/live-daemon.ts';
import { introduce, RemoteHost } from '../tests/daemon-live/remote-host.ts';
import { eventually } from '../tests/live/tmux-server.ts';
import type { AgentRecipe, LabPlace } from './agent.ts';
import { FakeModel } from './fake-model/fake-model.ts';
import { installHooks } from './hooks.ts';
import { nestedTmuxLine, SHELL_PROMPT, sshLine } from './inner-shell.ts';
import { isOpaque, type Mode } from './mode.ts';
import { LabPane } from './pane.ts';
import { Sampler } from './sample.ts';

export interface StageOptions {
  readonly recipe: AgentRecipe;
  readonly install: string;
  readonly mode: Mode;
}

const REMOTE = 'far';
const TARGET_MS = 30_000;

/** What is open now, for a run that is ended from outside. */
const openStages = new Set<AsyncDisposable>();

export async function closeAllStages(): Promise<void> {
  await Promise.allSettled([...openStages].map((stage) => stage[Symbol.asyncDispose]()));
}

export class Stage implements AsyncDisposable {
  readonly recipe: AgentRecipe;
  readonly place: LabPlace;
  readonly live: LiveDaemon;
  readonly model: FakeModel;
  readonly sampler: Sampler;
  readonly socketPath: string;
  readonly mode: Mode;
  readonly #remote: RemoteHost | null;
  readonly #ending: AsyncDisposableStack;

  private constructor(
    parts: Pick<Stage, 'recipe' | 'place' | 'live' | 'model' | 'sampler' | 'socketPath' | 'mode'>,
    remote: RemoteHost | null,
    ending: AsyncDisposableStack,
  ) {
    this.recipe = parts.recipe;
    this.place = parts.place;
    this.live = parts.live;
    this.model = parts.model;
    this.sampler = parts.sampler;
    this.socketPath = parts.socketPath;
    this.mode = parts.mode;
    this.#remote = remote;
    this.#ending = ending;
  }

  static async open(options: StageOptions): Promise<Stage> {
    const ending = new AsyncDisposableStack();
    openStages.add(ending);
    try {
      return await Stage.#build(ending, options);
    } catch (error) {
      openStages.delete(ending);
      await ending.disposeAsync();
      throw error;
    }
  }

  static async #build(
    ending: AsyncDisposableStack,
    { recipe, install, mode }: StageOptions,
  ): Promise<Stage> {
    const isTarget = mode === 'over ssh';
    const hasRemote = isTarget || mode === 'inside ssh';
    const model = ending.use(await FakeModel.start());
    const remote = hasRemote ? ending.use(await RemoteHost.start()) : null;
    const live = ending.use(new LiveDaemon());
    const watched = isTarget ? remote : null;
    if (watched !== null) introduce(live, { [REMOTE]: watched });
    live.tmux.newSession('home', 'cat');
    watched?.tmux.newSession('home', 'cat');
    const home = remote?.sshd.home ?? live.env['HOME'] ?? '';
    const work = workFolder(join(live.folder, 'work'));
    const hasHooks = mode === 'with hooks';
    const place: LabPlace = { home, work, install, modelUrl: model.url, hasHooks };
    recipe.seed(place);
    await live.start();
    if (hasHooks) await installHooks(live, recipe.name);
    const target = watched === null ? 'local' : await addTarget(live);
    const sampler = ending.use(new Sampler(await live.client(), target));
    const { socketPath } = (watched ?? live).tmux;
    const parts = { recipe, place, live, model, sampler, socketPath, mode };
    return new Stage(parts, remote, ending);
  }

  /** The same world for another agent, which is seeded into it; it ends with this one. */
  alongside(recipe: AgentRecipe, install: string): Stage {
    const { live, model, sampler, socketPath, mode } = this;
    const place = { ...this.place, install };
    recipe.seed(place);
    const parts = { recipe, place, live, model, sampler, socketPath, mode };
    return new Stage(parts, this.#remote, this.#ending);
  }

  /** Only the screen of its panes shows the agent. */
  get isOpaque(): boolean {
    return isOpaque(this.mode);
  }

  /** The environment of the shell in a pane, and of the agent in it. */
  get #env(): Readonly<Record<string, string>> {
    const { env } = this.live;
    const own = { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8', SHELL: '/bin/bash' };
    const state = { XDG_STATE_HOME: env['XDG_STATE_HOME'] ?? '' };
    return { ...own, HOME: this.place.home, ...(this.#remote === null ? state : {}) };
  }

  /** A pane with a shell, which in an opaque mode is an inner one. */
  async openPane(name: string): Promise<LabPane> {
    const place = { folder: this.place.work, name, env: this.#env };
    const pane = await LabPane.open(this.socketPath, place);
    const inner = { folder: this.live.folder, name, env: this.#env };
    if (this.mode === 'in nested tmux') await enter(pane, nestedTmuxLine(inner));
    if (this.mode === 'inside ssh' && this.#remote !== null)
      await enter(pane, sshLine(this.#remote.sshd, inner));
    return pane;
  }

  /**
   * A line for the shell in a pane that starts the agent in that shell's own process tree, and
   * leaves the id of its process in a file.
   */
  startLine(
    { paneId }: LabPane,
    extra: readonly string[] = [],
    work: string = this.place.work,
  ): string {
    const { argv, env } = this.recipe.start(this.place);
    const file = join(this.live.folder, `start-${paneId.slice(1)}`);
    const settings = Object.entries(env).map(
      ([name, value]) => `export ${name}=${shellQuote(value)}`,
    );
    const enterWork = `cd ${shellQuote(work)}`;
    const keepPid = `echo $$ >${shellQuote(this.#pidFile(paneId))}`;
    const run = `exec ${[...argv, ...extra].map(shellQuote).join(' ')}`;
    writeFileSync(file, [...settings, enterWork, keepPid, run, ''].join('\n'));
    return `sh ${file}`;
  }

  /** The process of the agent that was started last in a pane; it leads its own group. */
  agentPid({ paneId }: LabPane): number {
    return Number(readFileSync(this.#pidFile(paneId), 'utf8'));
  }

  #pidFile(paneId: string): string {
    return join(this.live.folder, `agent-${paneId.slice(1)}.pid`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    openStages.delete(this.#ending);
    await this.#ending.disposeAsync();
  }
}

/** Opens a shell inside the pane's own, on a screen that shows nothing of before. */
async function enter(pane: LabPane, line: string): Promise<void> {
  await pane.type(line);
  await pane.press(['Enter']);
  await pane.shows(SHELL_PROMPT, 'the inner shell');
  await pane.settled();
}

/** A small repository, because some agents ask more questions outside of one. */
function workFolder(folder: string): string {
  mkdirSync(join(folder, 'build'), { recursive: true });
  writeFileSync(join(folder, 'notes.txt'), 'one\ntwo\nthree\n');
  writeFileSync(join(folder, 'build', 'out.txt'), 'built\n');
  execFileSync('git', ['init', '-q', folder], { stdio: 'ignore' });
  return folder;
}

async function addTarget(live: LiveDaemon): Promise<string> {
  const client = await live.client();
  await client.call('add_target', { name: REMOTE, kind: 'ssh' });
  const isListed = async (): Promise<boolean> =>
    (await client.call('list_panes', { target: REMOTE })).panes.length > 0;
  await eventually(isListed, 'the other machine is watched', TARGET_MS);
  return REMOTE;
}
