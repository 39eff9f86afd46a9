// Asks for listings while the daemon may come and go: a question that finds nobody is answered with
// null, and the next one connects again. The client of the stream of changes is another: to close
// a client closes its streams.

import { connectDaemon, type DaemonClient } from '../../client/client.ts';
import { isPassing } from '../../client/daemon-error.ts';
import type { Flags } from '../command.ts';
import { askListing, type Listing, type Scope } from '../commands/list.ts';

export class Asker {
  readonly #socketPath: string;
  #client: DaemonClient | null = null;
  #isClosed = false;

  constructor(socketPath: string) {
    this.#socketPath = socketPath;
  }

  /** The listing of now; null while no daemon answers. */
  async ask(scope: Scope, flags: Flags): Promise<Listing | null> {
    try {
      const client = this.#client ?? (await connectDaemon({ socketPath: this.#socketPath }));
      this.#client = client;
      if (this.#isClosed) this.close();
      return await askListing(client, scope, flags);
    } catch (error) {
      if (!isPassing(error)) throw error;
      this.#client?.close();
      this.#client = null;
      return null;
    }
  }

  /** A question under way is answered with null. */
  close(): void {
    this.#isClosed = true;
    this.#client?.close();
    this.#client = null;
  }
}
