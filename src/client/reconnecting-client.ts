// Calls to a daemon that may come and go: a call without a daemon is refused, and the next one
// connects again. A stream of changes has a client of its own: closing one closes its streams.

import { connectDaemon, type DaemonClient } from './client.ts';

export class ReconnectingClient {
  readonly #socketPath: string;
  #client: DaemonClient | null = null;
  /** Shared by all calls that come meanwhile. */
  #connecting: Promise<DaemonClient> | null = null;
  #isClosed = false;

  constructor(socketPath: string) {
    this.#socketPath = socketPath;
  }

  /** The result of the work. Rejects as it does, or with a DaemonError when no daemon answers. */
  async ask<T>(question: (client: DaemonClient) => Promise<T>): Promise<T> {
    return question(await this.#open());
  }

  /** Calls under way are refused, and so is every later one. */
  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#client?.close();
  }

  async #open(): Promise<DaemonClient> {
    if (this.#client !== null && (this.#isClosed || !this.#client.isClosed)) return this.#client;
    this.#connecting ??= connectDaemon({ socketPath: this.#socketPath }).finally(() => {
      this.#connecting = null;
    });
    this.#client = await this.#connecting;
    if (this.#isClosed) this.#client.close();
    return this.#client;
  }
}
