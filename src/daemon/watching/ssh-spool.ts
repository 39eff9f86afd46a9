// The spool that emitters fill on another machine, read over its connection: what is new is handed
// in, and remembered as taken only when that was committed. The files stay for others who watch the
// same machine until they are old.

import { Fault } from '../../platform/fault.ts';
import { readSpoolFile, type SpoolEvent } from '../../sources/spool/spool-file.ts';
import type { ClockReading, HostFacts } from '../../ssh/remote/host-facts.ts';
import type { ProcessProbe } from '../../ssh/remote/remote-processes.ts';
import {
  findRemoteSpool,
  type RemoteSpoolReading,
  readRemoteSpool,
  refuseInRemoteSpool,
  removeFromRemoteSpool,
} from '../../ssh/remote/remote-spool.ts';
import { cursorAfter, freshCursor, type SpoolCursor } from '../../ssh/remote/spool-cursor.ts';

/** Polls for what wake-ups miss; it is also the heartbeat of the spool's channel. */
const POLL_MS = 2_000;
/** The least time from the start of one round to that of the next. */
const ROUND_MS = 100;
/** A restarted tmux server may have another spool folder. */
const FOLDER_AGE_MS = 60_000;
const REMOVE_MS = 60_000;

/** The machine with the spool. */
export interface SpoolHost extends ProcessProbe {
  /** Its clock, read again: it may have been set. */
  noteClock(reading: ClockReading): void;
}

export interface SshSpoolOptions {
  readonly host: SpoolHost;
  readonly nowMs: () => number;
  /** Commits the events of a host. Throws a Fault where it cannot now. */
  readonly onEvents: (events: readonly SpoolEvent[], host: HostFacts) => void;
  /** Events get through: the folder is there and was read. */
  readonly onRead: () => void;
  readonly onProblem: (problem: string) => void;
  /** How often the folder is read without a wake-up. */
  readonly sweepMs?: number;
}

export class SshSpool implements Disposable {
  readonly #options: SshSpoolOptions;
  readonly #poll: NodeJS.Timeout;
  #folder: string | null = null;
  #folderFoundAt = Number.NEGATIVE_INFINITY;
  #isAbsent = false;
  #cursor: SpoolCursor = freshCursor;
  #removedAt = Number.NEGATIVE_INFINITY;
  #isReading = false;
  #isReadWanted = false;
  #isClosed = false;

  constructor(options: SshSpoolOptions) {
    this.#options = options;
    this.#poll = setInterval(() => void this.#read(), options.sweepMs ?? POLL_MS).unref();
  }

  /** An emitter has woken us. */
  wake(): void {
    // The emitter has a folder; if ours is absent, it uses another one.
    if (this.#isAbsent) this.#folderFoundAt = Number.NEGATIVE_INFINITY;
    void this.#read();
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    clearInterval(this.#poll);
  }

  /** One reading at a time; a wake-up in between asks for another. */
  async #read(): Promise<void> {
    this.#isReadWanted = true;
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      for (let facts = this.#due(); facts !== null; facts = this.#due()) {
        this.#isReadWanted = false;
        const startedAt = performance.now();
        const hasMore = await this.#readRound(facts);
        // Looked at only now: a wake-up may have come meanwhile.
        this.#isReadWanted ||= hasMore;
        if (this.#isReadWanted) await pause(startedAt + ROUND_MS - performance.now());
      }
    } catch (error) {
      // The host is lost, or the store is full: the files stay and come again.
      if (!(error instanceof Fault)) throw error;
    } finally {
      this.#isReading = false;
    }
  }

  #due(): HostFacts | null {
    return this.#isReadWanted && !this.#isClosed ? this.#options.host.facts : null;
  }

  /** Reads some events and hands them in. True when there are more. */
  async #readRound(facts: HostFacts): Promise<boolean> {
    const { host, onEvents, onRead, onProblem } = this.#options;
    const folder = await this.#findFolder(facts);
    if (folder === null) return false;
    const location = { folder, uid: facts.uid };
    const { nowMs } = this.#options;
    const reading = await readRemoteSpool(host, location, { cursor: this.#cursor, nowMs });
    if (reading.clock !== null) host.noteClock(reading.clock);
    const current = host.facts ?? facts;
    if (this.#isClosed) return false;
    this.#isAbsent = reading.isAbsent;
    if (reading.problem === null && !reading.isAbsent) onRead();
    const { events, refused } = sorted(reading);
    if (events.length > 0) onEvents(events, current);
    const taken = events.map(({ event_id: eventId }) => `${eventId}.event`);
    this.#take(taken, current);
    const unfit = refused.map(({ name }) => name);
    await refuseInRemoteSpool(host, location, unfit);
    for (const { name, problem } of refused) onProblem(`${name}: ${problem}`);
    this.#take(unfit, current);
    // A file that can be neither taken nor set aside is skipped.
    if (reading.hasMore && taken.length + unfit.length > 0) return true;
    await this.#removeOld(location);
    return false;
  }

  #take(names: readonly string[], { clockShiftMs }: HostFacts): void {
    if (names.length === 0) return;
    this.#cursor = cursorAfter(this.#cursor, names, this.#options.nowMs() - clockShiftMs);
  }

  async #findFolder({ socketPath }: HostFacts): Promise<string | null> {
    if (performance.now() - this.#folderFoundAt < FOLDER_AGE_MS) return this.#folder;
    const folder = await findRemoteSpool(this.#options.host, socketPath);
    if (folder !== this.#folder) this.#cursor = freshCursor;
    this.#folder = folder;
    this.#folderFoundAt = performance.now();
    return folder;
  }

  async #removeOld(location: { readonly folder: string; readonly uid: number }): Promise<void> {
    if (this.#cursor.after === 0 || performance.now() - this.#removedAt < REMOVE_MS) return;
    this.#removedAt = performance.now();
    await removeFromRemoteSpool(this.#options.host, location, this.#cursor.after);
  }
}

function sorted({ files, refused }: RemoteSpoolReading): {
  readonly events: readonly SpoolEvent[];
  readonly refused: readonly { readonly name: string; readonly problem: string }[];
} {
  const events: SpoolEvent[] = [];
  const unfit = [...refused];
  for (const { name, bytes } of files) {
    const event = readSpoolFile(name, bytes);
    if (typeof event === 'string') unfit.push({ name, problem: event });
    else events.push(event);
  }
  return { events, refused: unfit };
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, Math.max(0, ms)).unref();
  });
