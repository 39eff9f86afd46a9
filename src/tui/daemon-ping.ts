// Asks the daemon again and again whether it is there: one that hangs sends nothing, as one where
// nothing happens.

import type { DaemonReply } from './message.ts';

/** One can be lost to a terminal that slept. Together with the pause they take less than 5 s. */
const SILENT_PINGS = 2;
const TIMEOUT_MS = 1_500;
const PAUSE_MS = 800;

export interface DaemonPingOptions {
  readonly ask: (timeoutMs: number) => Promise<DaemonReply<unknown>>;
  readonly onLink: (link: 'silent' | 'back') => void;
  readonly onDefect: (error: unknown) => void;
}

export class DaemonPing implements Disposable {
  readonly #options: DaemonPingOptions;
  #timer: NodeJS.Timeout | null = null;
  #silentPings = 0;
  #isStopped = false;

  constructor(options: DaemonPingOptions) {
    this.#options = options;
    this.#pingLater();
  }

  [Symbol.dispose](): void {
    this.#isStopped = true;
    if (this.#timer) clearTimeout(this.#timer);
  }

  #pingLater(): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#ping().then(() => this.#pingLater(), this.#options.onDefect);
    }, PAUSE_MS);
  }

  async #ping(): Promise<void> {
    const answer = await this.#options.ask(TIMEOUT_MS);
    if (this.#isStopped) return;
    if (!answer.ok && answer.code === 'timeout') {
      this.#silentPings += 1;
      if (this.#silentPings === SILENT_PINGS) this.#options.onLink('silent');
    } else {
      if (answer.ok && this.#silentPings >= SILENT_PINGS) this.#options.onLink('back');
      this.#silentPings = 0;
    }
  }
}
