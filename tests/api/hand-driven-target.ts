// A machine that the test itself takes down and up.

import type { TargetStatus, TargetWatch } from '../../src/daemon/watching/targets.ts';
import type { Target } from '../../src/schema/target.ts';
import { T0 } from '../scenario.ts';

/** The watch of a machine whose health the test decides. */
export class HandDrivenTarget implements TargetWatch {
  readonly target: Target;
  readonly #onHealth: () => void;
  status: TargetStatus = { health: 'degraded', detail: 'connecting', lastSeenAtMs: null };
  /** How it is once somebody connects. */
  onConnect: TargetStatus = { health: 'ok', detail: null, lastSeenAtMs: T0 };
  isClosed = false;

  constructor(target: Target, onHealth: () => void) {
    this.target = target;
    this.#onHealth = onHealth;
  }

  is(status: TargetStatus): void {
    this.status = status;
    this.#onHealth();
  }

  async connect(): Promise<void> {
    this.is(this.onConnect);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.isClosed = true;
  }
}
