// One living opencode or Kilo with a server: its events as they come, and after each connection
// what stands now, because the stream tells only what changes. Searches and reconnects by itself,
// ever less often.

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
/** A password stays as long as the process; but it may be another server that wanted one. */
const LOCKED_MS = 600_000;
/** Servers that live say so every 10 seconds. */
const SILENCE_MS = 60_000;
/** What comes while it is asked what stands; more, and it is asked anew. */
const WAITING_MAX = 2_000;
const OPEN_REQUESTS_MAX = 100;
/** Comes for each word that the model writes, and tells nothing. */
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
  /** Events that wait until it is known what stood before them; null when none has to. */
  #waiting: Fields[] | null = null;
  /** What was told to be asked, and not yet to be answered. */
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

  /** Whether it was connected and is no more. */
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

  /** Asks what stands now; what comes meanwhile is told after it. */
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
    // Answered while nobody listened.
    for (const requestID of this.#openRequests) {
      if (requestIds.has(requestID)) continue;
      this.#submit({ type: 'permission.replied', properties: { requestID, reply: 'once' } });
    }
    for (const fields of events) this.#submit(fields);
  }

  #take(fields: Fields): void {
    // Gone since, or it is asked anew what stands.
    if (this.#events === null) return;
    if (this.#waiting !== null) {
      this.#waiting.push(fields);
      return;
    }
    const before = this.#sessions.current;
    const isOfPane = this.#sessions.isOfPane(fields, this.#title());
    const isOther = before !== this.#sessions.current;
    // Found out by a later event than the one that it began to work with.
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
      // What could not be taken is asked for with the next connection.
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
