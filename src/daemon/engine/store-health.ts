// Whether the store takes what happens. Kept in memory, because a store that fails cannot keep it.
// While commits fail, every reader gets a world in which no row is current.

import { unstoredWorld } from '../../core/view/unstored.ts';
import type { World } from '../../core/world.ts';
import type { Fault } from '../../platform/fault.ts';

export interface StoreFailure {
  readonly fault: Fault;
  readonly sinceMs: number;
}

export class StoreHealth {
  readonly #listeners: (() => void)[] = [];
  #failure: StoreFailure | null = null;
  /** The last world that was shown, and what it was made of. */
  #shown: { readonly world: World; readonly sinceMs: number; readonly shown: World } | null = null;

  /** Null while commits succeed. */
  get failure(): StoreFailure | null {
    return this.#failure;
  }

  /** Called when commits begin to fail, and when one succeeds again. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  failed(fault: Fault, atMs: number): void {
    const before = this.#failure;
    this.#failure = { fault, sinceMs: before?.sinceMs ?? atMs };
    if (before === null) this.#notify();
  }

  /** A commit succeeded. */
  stored(): void {
    if (this.#failure === null) return;
    this.#failure = null;
    this.#shown = null;
    this.#notify();
  }

  /** The world for readers. */
  shown(world: World): World {
    if (this.#failure === null) return world;
    const { sinceMs } = this.#failure;
    if (this.#shown?.world !== world || this.#shown.sinceMs !== sinceMs) {
      this.#shown = { world, sinceMs, shown: unstoredWorld(world, sinceMs) };
    }
    return this.#shown.shown;
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}
