// Whether taps may be opened now: the configuration allows them, and their worker has not failed
// too often. A worker that breaks again and again is left alone for a while; without taps the
// listing tells what it can.

import type { Config } from '../schema/config.ts';
import type { AlertSignal } from './alert-rules.ts';
import { defaultSupervisePolicy, healthyPart, nextAttempt, type PartState } from './supervise.ts';

const PART = 'tap worker';

export interface TapGateOptions {
  readonly config: () => Config;
  readonly nowMs: () => number;
  readonly random: () => number;
  readonly signal: (signal: AlertSignal) => void;
}

export class TapGate {
  readonly #options: TapGateOptions;
  #state: PartState = healthyPart;
  #isHeldDown = false;

  constructor(options: TapGateOptions) {
    this.#options = options;
  }

  /** Asked at every sweep. */
  isOpen(): boolean {
    const { config, nowMs, signal } = this.#options;
    if (config().tmux.tap !== 'agents') return false;
    if (nowMs() < this.#state.retryAtMs) return false;
    if (this.#isHeldDown) {
      this.#isHeldDown = false;
      signal({ kind: 'part', part: PART, heldUntilMs: null });
    }
    return true;
  }

  failed(): void {
    const { nowMs, random, signal, config } = this.#options;
    const policy = { ...defaultSupervisePolicy, ...config().supervise };
    const next = nextAttempt(this.#state, nowMs(), random(), policy);
    this.#state = next.state;
    this.#isHeldDown = next.isHeldDown;
    if (next.isHeldDown) signal({ kind: 'part', part: PART, heldUntilMs: next.retryAtMs });
  }
}
