// Whether taps may be opened now: the configuration allows them, and their worker has not failed
// too often. Without taps, listings show what they can.

import { PartGate, type PartGateOptions } from '../life/part-gate.ts';

export class TapGate {
  readonly #config: PartGateOptions['config'];
  readonly #gate: PartGate;

  constructor(options: PartGateOptions) {
    this.#config = options.config;
    this.#gate = new PartGate('tap worker', options);
  }

  /** Called for every listing. */
  isOpen(): boolean {
    return this.#config().tmux.tap !== 'never' && this.#gate.isOpen();
  }

  failed(): void {
    this.#gate.failed();
  }
}
