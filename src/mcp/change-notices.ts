// Says which resource changed, to a host that follows it. Streams of the daemon are open only while
// somebody follows; without a daemon nothing changes, and it is tried again.

import type { DaemonClient } from '../client/client.ts';
import type { AgentCalls, DaemonCalls } from './daemon-calls.ts';
import { FLEET, INBOX, REQUESTS } from './resources.ts';

const RETRY_MS = 2_000;
/** The daemon ends a wait by itself; the next one begins at once. */
const INBOX_WAIT_MS = 45_000;
const REPLY_MS = 5_000;

type Parts = {
  readonly daemon: Pick<DaemonCalls, 'run' | 'open'>;
  readonly notify: (uri: string) => void;
};

export class ChangeNotices implements Disposable {
  readonly #parts: Parts;
  readonly #followed = new Set<string>();
  readonly #ending = new AbortController();
  /** Those that run. */
  readonly #loops = new Set<'fleet' | 'inbox'>();
  #client: DaemonClient | null = null;
  /** The newest message that the host knows of; undefined: nothing was looked at yet. */
  #newest: string | null | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Addresses as a host wrote them; those that are none of ours are ignored. */
  follow(uris: readonly unknown[]): void {
    for (const uri of uris) {
      if (uri !== FLEET && uri !== REQUESTS && uri !== INBOX) continue;
      this.#followed.add(uri);
      if (uri === INBOX) this.#keep('inbox', () => this.#watchInbox());
      else this.#keep('fleet', () => this.#watchFleet());
    }
  }

  leave(uri: unknown): void {
    this.#followed.delete(String(uri));
  }

  #keep(name: 'fleet' | 'inbox', watch: () => Promise<void>): void {
    if (this.#loops.has(name)) return;
    this.#loops.add(name);
    void this.#repeat(watch);
  }

  async #repeat(watch: () => Promise<void>): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      // Without a daemon, or with nobody known as the caller, it fails: that may change.
      await watch().catch(() => {});
      await interruptiblePause(RETRY_MS, signal);
    }
  }

  #notify(uri: string): void {
    if (this.#followed.has(uri)) this.#parts.notify(uri);
  }

  async #watchFleet(): Promise<void> {
    const client = await this.#parts.daemon.open();
    this.#client = client;
    try {
      if (this.#ending.signal.aborted) return;
      for await (const { type } of client.subscribe()) {
        if (type === 'summary_changed') continue;
        this.#notify(FLEET);
        if (type !== 'state_changed') this.#notify(REQUESTS);
      }
    } finally {
      this.#client = null;
      client.close();
    }
  }

  #watchInbox(): Promise<void> {
    const { signal } = this.#ending;
    return this.#parts.daemon.run({ meta: undefined, signal }, async (calls) => {
      await calls.prove();
      this.#came(await newestIn(calls, null, 0));
      while (!signal.aborted) {
        this.#came(await newestIn(calls, this.#newest ?? null, INBOX_WAIT_MS));
      }
    });
  }

  /** What came while the daemon was away is news too. */
  #came(newest: string | null): void {
    const isNews = this.#newest !== undefined && newest !== this.#newest;
    this.#newest = newest;
    if (isNews) this.#notify(INBOX);
  }

  [Symbol.dispose](): void {
    this.#ending.abort();
    this.#client?.close();
  }
}

/** The id of the newest message of the inbox, as soon as it is another one, or after the wait. */
async function newestIn(
  { call }: AgentCalls,
  known: string | null,
  waitMs: number,
): Promise<string | null> {
  const { messages } = await call(
    'list_inbox',
    {
      limit: 1,
      ...(known === null ? {} : { after: known }),
      ...(waitMs === 0 ? {} : { wait_ms: waitMs }),
    },
    { timeoutMs: waitMs + REPLY_MS },
  );
  return messages[0]?.message_id ?? known;
}

function interruptiblePause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    // A host that is gone has closed our input: nothing else keeps this process.
    const timer = setTimeout(end, ms).unref();
    function end(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    }
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}
