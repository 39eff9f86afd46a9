// Plays one role in its pane: writes the screens of the timeline. Failed writes are ignored: the
// next screen follows soon.

import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Role } from './cast.ts';
import { type FakePane, restart } from './fake-agents.ts';
import type { Machine } from './machine.ts';
import { blankBytes, screenBytes } from './screen-bytes.ts';
import { momentAt } from './timeline.ts';

/** The terminal must not become our controlling terminal, and a full one must not block us. */
const FLAGS = constants.O_WRONLY | constants.O_NOCTTY | constants.O_NONBLOCK;

export class Player {
  readonly #machine: Machine;
  readonly #role: Role;
  #pane: FakePane;
  #terminal: FileHandle | null = null;
  /** Null: an empty screen. Undefined: nothing yet. */
  #shown: string | null | undefined;
  #sceneCount = 0;
  #isBusy = false;

  constructor(machine: Machine, role: Role, pane: FakePane) {
    this.#machine = machine;
    this.#role = role;
    this.#pane = pane;
  }

  /** Shows the screen of this time, unless it is shown already. */
  async play(elapsedMs: number): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      const { sceneCount, scene, screen } = momentAt(this.#role.scenes, elapsedMs);
      const isNewScene = sceneCount !== this.#sceneCount;
      this.#sceneCount = sceneCount;
      if (isNewScene && scene.isFreshStart) await this.#restart();
      if (screen !== this.#shown) await this.#show(screen);
    } catch {
      // The pane or the server is gone: the demo ends, or the user closed it.
    } finally {
      this.#isBusy = false;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#terminal?.close().catch(() => {});
    this.#terminal = null;
  }

  async #restart(): Promise<void> {
    await this[Symbol.asyncDispose]();
    this.#shown = undefined;
    this.#pane = await restart(this.#machine, this.#role, this.#pane);
  }

  async #show(screen: string | null): Promise<void> {
    const { task } = this.#role;
    this.#terminal ??= await open(this.#pane.tty, FLAGS);
    await this.#terminal.writeFile(screen === null ? blankBytes(task) : screenBytes(screen, task));
    this.#shown = screen;
  }
}
