// Calls to a daemon that may come and go: a call without a daemon is refused, and the next one
// connects again. A stream of changes has a client of its own: closing one closes its streams.

import { connectDaemon, type DaemonClient } from './client.ts';

export class ReconnectingClient {
  readonly #socketPath: string;
  readonly #prepare: ((client: DaemonClient) => Promise<unknown>) | null;
  #client: DaemonClient | null = null;
  /** Shared by all calls that come meanwhile. */
  #connecting: Promise<DaemonClient> | null = null;
  #isClosed = false;

  /** `prepare` is done on each connection before it is used: it may prove who calls. */
  constructor(
    socketPath: string,
    prepare: ((client: DaemonClient) => Promise<unknown>) | null = null,
  ) {
    this.#socketPath = socketPath;
    this.#prepare = prepare;
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
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = null;
    });
    this.#client = await this.#connecting;
    if (this.#isClosed) this.#client.close();
    return this.#client;
  }

  async #connect(): Promise<DaemonClient> {
    const client = await connectDaemon({ socketPath: this.#socketPath });
    try {
      await this.#prepare?.(client);
    } catch (error) {
      client.close();
      throw error;
    }
    return client;
  }
}
