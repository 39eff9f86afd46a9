// Questions to a daemon that may come and go: each finds a connection or makes one, and an answer
// that cannot be had is a sentence. The stream of changes is followed in run.ts.

import { connectDaemon, type DaemonClient, DaemonError } from '../client/client.ts';
import type { OperationMap, OperationName } from '../schema/api/operations.ts';
import type { Answer } from './message.ts';

export class DaemonCalls {
  readonly #socketPath: string;
  #client: DaemonClient | null = null;
  #isClosed = false;

  constructor(socketPath: string) {
    this.#socketPath = socketPath;
  }

  /** The answer, or why there is none. Rejects only for our own bugs. */
  async ask<Name extends OperationName>(
    name: Name,
    input: OperationMap[Name]['input'],
  ): Promise<Answer<OperationMap[Name]['output']>> {
    try {
      const client = this.#client ?? (await connectDaemon({ socketPath: this.#socketPath }));
      this.#client = client;
      if (this.#isClosed) this.close();
      return { ok: true, value: await client.call(name, input) };
    } catch (error) {
      if (!(error instanceof DaemonError)) throw error;
      // A refusal is an answer; anything else leaves a connection that is of no use.
      if (error.code === 'E_DAEMON_DOWN') this.#drop();
      return { ok: false, problem: error.message };
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#drop();
  }

  #drop(): void {
    this.#client?.close();
    this.#client = null;
  }
}
