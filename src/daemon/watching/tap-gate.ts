// Whether taps may be opened now: the configuration allows them, and their worker has not failed
// too often. Without taps the listing tells what it can.

import { PartGate, type PartGateOptions } from '../life/part-gate.ts';

export class TapGate {
  readonly #config: PartGateOptions['config'];
  readonly #gate: PartGate;

  constructor(options: PartGateOptions) {
    this.#config = options.config;
    this.#gate = new PartGate('tap worker', options);
  }

  /** Asked at every sweep. */
  isOpen(): boolean {
    return this.#config().tmux.tap === 'agents' && this.#gate.isOpen();
  }

  failed(): void {
    this.#gate.failed();
  }
}
