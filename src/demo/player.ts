// Plays one role in its pane: writes the screens of the timeline, and goes on with it when it is
// answered or prompted. Failed writes are ignored: the next screen follows soon.

import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Role } from './cast.ts';
import { type FakePane, restart } from './fake-agents.ts';
import type { Machine } from './machine.ts';
import type { PlayedKey } from './played-keys.ts';
import { isWork, takeKeys } from './played-scene.ts';
import { blankBytes, screenBytes, type Typed, UNTYPED } from './screen-bytes.ts';
import { type Moment, momentAt, msUntilNext } from './timeline.ts';
import { TypedFile } from './typed-file.ts';

/** The terminal must not become our controlling terminal, and a full one must not block us. */
const FLAGS = constants.O_WRONLY | constants.O_NOCTTY | constants.O_NONBLOCK;

/** How long the story stands still after a key: whoever types sees a dialog stay as it is. */
const HOLD_MS = 20_000;

export class Player {
  readonly #machine: Machine;
  readonly #role: Role;
  #pane: FakePane;
  #terminal: FileHandle | null = null;
  /** Null: an empty screen. Undefined: nothing yet. */
  #shown: string | null | undefined;
  #sceneCount = 0;
  #isBusy = false;
  readonly #typedFile: TypedFile;
  #typed: Typed = UNTYPED;
  /** The story's time less that of the demo: answers move it on, keys hold it back. */
  #shiftMs = 0;
  #holdUntilMs = 0;
  #playedMs = 0;

  constructor(machine: Machine, role: Role, pane: FakePane) {
    this.#machine = machine;
    this.#role = role;
    this.#pane = pane;
    this.#typedFile = new TypedFile(pane.typedPath);
  }

  /** Shows the screen of this time, unless it is shown already. */
  async play(elapsedMs: number): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      const keys = await this.#typedFile.takeKeys();
      if (elapsedMs < this.#holdUntilMs) this.#shiftMs -= elapsedMs - this.#playedMs;
      this.#playedMs = elapsedMs;
      if (keys.length > 0) this.#take(keys, elapsedMs);
      await this.#showMoment(momentAt(this.#role.scenes, elapsedMs + this.#shiftMs));
    } catch {
      // The pane or the server is gone: the demo ends, or the user closed it.
    } finally {
      this.#isBusy = false;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#closeTerminal();
    await this.#typedFile[Symbol.asyncDispose]();
  }

  async #closeTerminal(): Promise<void> {
    await this.#terminal?.close().catch(() => {});
    this.#terminal = null;
  }

  #take(keys: readonly PlayedKey[], elapsedMs: number): void {
    const { scenes } = this.#role;
    const { scene, screen } = momentAt(scenes, elapsedMs + this.#shiftMs);
    // Nothing reads before the agent has drawn its first screen.
    if (screen === null) return;
    const { typed, isOver } = takeKeys(screen, this.#typed, keys);
    this.#typed = typed;
    this.#holdUntilMs = isOver ? 0 : elapsedMs + HOLD_MS;
    // A prompt is shown at once, also where the scene stays.
    this.#shown = undefined;
    if (!isOver || isWork(scene)) return;
    this.#shiftMs += msUntilNext(scenes, elapsedMs + this.#shiftMs, isWork);
  }

  async #showMoment({ sceneCount, scene, screen }: Moment): Promise<void> {
    const isNewScene = sceneCount !== this.#sceneCount;
    this.#sceneCount = sceneCount;
    if (isNewScene) this.#typed = UNTYPED;
    if (isNewScene && scene.isFreshStart) await this.#restart();
    if (screen !== this.#shown) await this.#show(screen);
  }

  async #restart(): Promise<void> {
    await this.#closeTerminal();
    this.#shown = undefined;
    this.#pane = await restart(this.#machine, this.#role, this.#pane);
  }

  async #show(screen: string | null): Promise<void> {
    const { task } = this.#role;
    this.#terminal ??= await open(this.#pane.tty, FLAGS);
    const bytes = screen === null ? blankBytes(task) : screenBytes(screen, task, this.#typed);
    await this.#terminal.writeFile(bytes);
    this.#shown = screen;
  }
}
