// Reads one live opencode or Kilo by its server: the event stream, and after each connection a
// snapshot, because the stream sends only changes. It searches and reconnects with a backoff.

import { type Fields, idAt, readFields, textAt } from '../../agents/signals/fields.ts';
import { type Backoff, backoff } from '../../platform/backoff.ts';
import type { Evidence } from '../../schema/evidence.ts';
import { id, type SessionKey } from '../../schema/ids.ts';
import type { AgentFilesContext, LiveAgent } from '../readers/agent-files-source.ts';
import type { AgentReader } from '../readers/agent-readers.ts';
import { evidenceOfSignal, readSignal } from '../readers/signal-evidence.ts';
import { BusEvents } from './http.ts';
import { busPortOf } from './port.ts';
import { fetchSnapshot, type ServerSnapshot, snapshotEvents } from './server-snapshot.ts';
import { BusSessions } from './sessions.ts';

/** Most have no server, and then they never get one: the search costs less and less. */
const SEARCH = { firstMs: 1_000, capMs: 60_000 };
/** A password stays as long as the process; but another server may have wanted it. */
const LOCKED_MS = 600_000;
/** Servers that live say so every 10 seconds. */
const SILENCE_MS = 60_000;
/** Events that may wait for the snapshot; after more it connects again. */
const WAITING_MAX = 2_000;
const OPEN_REQUESTS_MAX = 100;
/** Sent for each word that the model writes; it says nothing about the state. */
const textDelta = /"type":"message\.part\.delta"/;

export interface BusReaderOptions {
  readonly context: AgentFilesContext;
  readonly source: string;
  readonly agent: LiveAgent;
}

export class BusReader implements AgentReader {
  readonly #context: AgentFilesContext;
  readonly #source: string;
  readonly #retry: Backoff = backoff({ ...SEARCH, random: Math.random });
  #agent: LiveAgent;
  readonly #sessions = new BusSessions();
  #events: BusEvents | null = null;
  #port = 0;
  #isSnapshotRequested = false;
  /** Events that wait for the snapshot; null when none has to. */
  #waiting: Fields[] | null = null;
  /** Requests that were opened and not yet answered. */
  readonly #openRequests = new Set<string>();
  #lastEventAtMs = 0;
  #tryAtMs = 0;
  #isTrying = false;
  #isEnded = false;
  #wasOpen = false;

  constructor({ context, source, agent }: BusReaderOptions) {
    this.#context = context;
    this.#source = source;
    this.#agent = agent;
    this.look();
  }

  /** Whether it was connected before and has lost the connection. */
  get isLost(): boolean {
    return this.#wasOpen && this.#events === null;
  }

  get isOpen(): boolean {
    return this.#events !== null;
  }

  update(agent: LiveAgent): void {
    this.#agent = agent;
  }

  look(): void {
    const nowMs = this.#context.daemon.nowMs();
    const isSilent = this.#events !== null && nowMs - this.#lastEventAtMs > SILENCE_MS;
    if (isSilent) this.#disconnect();
    const isDue = this.#events === null && !this.#isTrying && nowMs >= this.#tryAtMs;
    if (isDue && !this.#isEnded) void this.#connect();
  }

  [Symbol.dispose](): void {
    this.#isEnded = true;
    this.#events?.[Symbol.dispose]();
    this.#events = null;
  }

  async #connect(): Promise<void> {
    this.#isTrying = true;
    try {
      const found = await busPortOf(this.#context.files, this.#agent.runtime.pid);
      if (this.#isEnded) return;
      if (found.kind === 'port') this.#open(found.port);
      else this.#scheduleRetry(found.kind === 'locked');
    } catch (error) {
      this.#context.onProblem(`its server: ${String(error)}`);
      this.#scheduleRetry(false);
    } finally {
      this.#isTrying = false;
    }
  }

  #scheduleRetry(isLocked: boolean): void {
    const { pid } = this.#agent.runtime;
    if (isLocked) this.#context.onProblem(`the server of process ${pid} wants a password`);
    const delayMs = isLocked ? LOCKED_MS : this.#retry.nextDelayMs();
    this.#tryAtMs = this.#context.daemon.nowMs() + delayMs;
  }

  #open(port: number): void {
    this.#port = port;
    this.#isSnapshotRequested = false;
    this.#waiting = [];
    this.#lastEventAtMs = this.#context.daemon.nowMs();
    this.#events = new BusEvents({
      port,
      onEvent: (data) => this.#onEvent(data),
      onEnd: (problem) => {
        this.#events = null;
        this.#scheduleRetry(problem === null);
      },
    });
  }

  #disconnect(): void {
    this.#events?.[Symbol.dispose]();
    this.#events = null;
    this.#scheduleRetry(false);
  }

  #onEvent(data: string): void {
    this.#lastEventAtMs = this.#context.daemon.nowMs();
    // Its first event says that it listens: from then on nothing is missed.
    if (!this.#isSnapshotRequested) this.#readSnapshot();
    const fields = textDelta.test(data.slice(0, 200)) ? 'a text delta' : readFields(data);
    if (typeof fields === 'string') return;
    if (this.#waiting === null) this.#take(fields);
    else if (this.#waiting.length < WAITING_MAX) this.#waiting.push(fields);
    else this.#disconnect();
  }

  /** Fetches a snapshot; events that come meanwhile are submitted after it. */
  #readSnapshot(): void {
    const events = this.#events;
    this.#isSnapshotRequested = true;
    this.#waiting ??= [];
    void fetchSnapshot(this.#port).then((snapshot) => {
      if (events === null || this.#events !== events) return;
      if (snapshot === null) return this.#disconnect();
      this.#retry.reset();
      this.#wasOpen = true;
      const waiting = this.#waiting ?? [];
      this.#waiting = null;
      this.#submitSnapshot(snapshot);
      for (const fields of waiting) this.#take(fields);
    });
  }

  #submitSnapshot(snapshot: ServerSnapshot): void {
    const { events, requestIds } = snapshotEvents(snapshot, this.#sessions, this.#title());
    // Answered while we were not connected.
    for (const requestID of this.#openRequests) {
      if (requestIds.has(requestID)) continue;
      this.#submit({ type: 'permission.replied', properties: { requestID, reply: 'once' } });
    }
    for (const fields of events) this.#submit(fields);
  }

  #take(fields: Fields): void {
    // Disconnected since, or another snapshot is under way.
    if (this.#events === null) return;
    if (this.#waiting !== null) {
      this.#waiting.push(fields);
      return;
    }
    const before = this.#sessions.current;
    const isOfPane = this.#sessions.isOfPane(fields, this.#title());
    const isOther = before !== this.#sessions.current;
    // It became the pane's session after the event that it began to work with.
    if (isOther && textAt(fields, 'type') !== 'session.status') this.#readSnapshot();
    else if (isOfPane) this.#submit(fields);
  }

  #submit(fields: Fields): void {
    this.#noteRequest(fields);
    const evidence = this.#evidenceOf(fields);
    if (evidence === null) return;
    try {
      this.#context.daemon.submit([{ kind: 'evidence', evidence }]);
    } catch (error) {
      // The snapshot of the next connection makes up for it.
      this.#context.onProblem(`its events: ${String(error)}`);
      this.#disconnect();
    }
  }

  #evidenceOf(raw: Fields): Evidence | null {
    const { current } = this.#sessions;
    // A dialog of a subagent is the pane's, and so is its session.
    const session = current === null ? {} : { sessionKey: id<SessionKey>(current) };
    const signal = readSignal(this.#context, this.#source, { raw, ...session });
    if (signal === null) return null;
    const { sessionKey: _session, ...rest } = signal;
    const about = { source: this.#source, runtimeId: this.#agent.runtime.runtimeId };
    return evidenceOfSignal(this.#context, { ...rest, ...session }, about);
  }

  #noteRequest(fields: Fields): void {
    const type = textAt(fields, 'type') ?? '';
    const openedId = idAt(fields, 'properties.id');
    const answeredId = idAt(fields, 'properties.requestID', 'properties.permissionID');
    if (answeredId !== undefined) this.#openRequests.delete(answeredId);
    if (!/^(?:permission|question)\.asked$/.test(type) || openedId === undefined) return;
    this.#openRequests.add(openedId);
    const [oldest] = this.#openRequests;
    const isFull = this.#openRequests.size > OPEN_REQUESTS_MAX;
    if (isFull && oldest !== undefined) this.#openRequests.delete(oldest);
  }

  #title(): string {
    return this.#agent.pane.facts.title;
  }
}
