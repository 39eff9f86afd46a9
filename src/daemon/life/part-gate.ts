// Whether one part of the daemon may be started now, or has failed too often: then it is left alone
// for a while and an alert says so, with what went wrong last where that is known.

import type { Config } from '../../schema/config.ts';
import type { AlertSignal } from '../health/alert-rules.ts';
import { defaultSupervisePolicy, healthyPart, nextAttempt, type PartState } from './supervise.ts';

export interface PartGateOptions {
  readonly config: () => Config;
  readonly nowMs: () => number;
  readonly random: () => number;
  readonly signal: (signal: AlertSignal) => void;
}

export class PartGate {
  readonly #part: string;
  readonly #options: PartGateOptions;
  #state: PartState = healthyPart;
  #isHeldDown = false;

  constructor(part: string, options: PartGateOptions) {
    this.#part = part;
    this.#options = options;
  }

  /** Asked before each start. */
  isOpen(): boolean {
    const { nowMs, signal } = this.#options;
    if (nowMs() < this.#state.retryAtMs) return false;
    if (this.#isHeldDown) {
      this.#isHeldDown = false;
      signal({ kind: 'part', part: this.#part, heldUntilMs: null });
    }
    return true;
  }

  failed(problem?: string): void {
    const { nowMs, random, signal, config } = this.#options;
    const policy = { ...defaultSupervisePolicy, ...config().supervise };
    const next = nextAttempt(this.#state, nowMs(), random(), policy);
    this.#state = next.state;
    this.#isHeldDown = next.isHeldDown;
    if (!next.isHeldDown) return;
    const why = problem === undefined ? {} : { problem };
    signal({ kind: 'part', part: this.#part, heldUntilMs: next.retryAtMs, ...why });
  }
}
