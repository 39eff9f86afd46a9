// The world of one scenario: a home, a folder to work in, a private tmux server, a fake model, the
// daemon from the sources that watches it, and a client that samples what the daemon says. All of
// it is new and is gone afterwards. Over ssh the agent's tmux server is on another machine.

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shellQuote } from '../src/platform/text/shell-quote.ts';
import { LiveDaemon } from '../tests/daemon-live/live-daemon.ts';
import { introduce, RemoteHost } from '../tests/daemon-live/remote-host.ts';
import { eventually } from '../tests/live/tmux-server.ts';
import type { AgentRecipe, LabPlace } from './agent.ts';
import { FakeModel } from './fake-model/fake-model.ts';
import { installHooks } from './hooks.ts';
import { LabPane } from './pane.ts';
import { Sampler } from './sample.ts';

export type Mode = 'without hooks' | 'with hooks' | 'over ssh';

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
  readonly isRemote: boolean;
  readonly #ending: AsyncDisposableStack;

  private constructor(
    parts: Pick<Stage, 'recipe' | 'place' | 'live' | 'model' | 'sampler' | 'socketPath'>,
    isRemote: boolean,
    ending: AsyncDisposableStack,
  ) {
    this.recipe = parts.recipe;
    this.place = parts.place;
    this.live = parts.live;
    this.model = parts.model;
    this.sampler = parts.sampler;
    this.socketPath = parts.socketPath;
    this.isRemote = isRemote;
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
    const isRemote = mode === 'over ssh';
    const model = ending.use(await FakeModel.start());
    const remote = isRemote ? ending.use(await RemoteHost.start()) : null;
    const live = ending.use(new LiveDaemon());
    if (remote !== null) introduce(live, { [REMOTE]: remote });
    live.tmux.newSession('home', 'cat');
    remote?.tmux.newSession('home', 'cat');
    const home = remote?.sshd.home ?? live.env['HOME'] ?? '';
    const work = workFolder(join(live.folder, 'work'));
    const hasHooks = mode === 'with hooks';
    const place: LabPlace = { home, work, install, modelUrl: model.url, hasHooks };
    recipe.seed(place);
    await live.start();
    if (hasHooks) await installHooks(live, recipe.name);
    const target = remote === null ? 'local' : await addTarget(live);
    const sampler = ending.use(new Sampler(await live.client(), target));
    const socketPath = remote?.tmux.socketPath ?? live.tmux.socketPath;
    const parts = { recipe, place, live, model, sampler, socketPath };
    return new Stage(parts, isRemote, ending);
  }

  /** The environment of the shell in a pane, and of the agent in it. */
  get #env(): Readonly<Record<string, string>> {
    const { env } = this.live;
    const own = { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8', SHELL: '/bin/bash' };
    const state = { XDG_STATE_HOME: env['XDG_STATE_HOME'] ?? '' };
    return { ...own, HOME: this.place.home, ...(this.isRemote ? {} : state) };
  }

  openPane(name: string): Promise<LabPane> {
    return LabPane.open(this.socketPath, { folder: this.place.work, name, env: this.#env });
  }

  /** A line for the shell in a pane that starts the agent in that shell's own process tree. */
  startLine(): string {
    const { argv, env } = this.recipe.start(this.place);
    const file = join(this.live.folder, 'start-agent');
    const settings = Object.entries(env).map(
      ([name, value]) => `export ${name}=${shellQuote(value)}`,
    );
    writeFileSync(file, [...settings, `exec ${argv.map(shellQuote).join(' ')}`, ''].join('\n'));
    return `sh ${file}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    openStages.delete(this.#ending);
    await this.#ending.disposeAsync();
  }
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
