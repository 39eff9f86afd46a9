// The spool: events that the emitter left as files, handed on in their order and deleted only after
// the callback has returned, so that none is lost and a crash in between repeats the same ids. They
// stay a little longer than that, for those who watch this machine from another. What a file says
// is read by spool-file.ts; spool-entry.ts opens one and sets hostile ones aside.

import { lstatSync, mkdirSync, opendirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../platform/fault.ts';
import { FolderWatches } from '../../platform/files/folder-watches.ts';
import { errorCode, openEntry, REFUSED_FOLDER, setAside } from './spool-entry.ts';
import { eventNameOf, isEventName, readSpoolFile, type SpoolEvent } from './spool-file.ts';

export interface SpoolProblem {
  /** The file's name, or the folder's path. */
  readonly file: string;
  readonly problem: string;
}

export interface SpoolOptions {
  readonly folder: string;
  /** Commits the events. Throws a Fault where it cannot now: the files stay and come again. */
  readonly onEvents: (events: readonly SpoolEvent[]) => void;
  readonly onProblem: (problem: SpoolProblem) => void;
  /** How long a file stays after its event was delivered. */
  readonly keepMs?: number;
  /** How often the folder is polled. */
  readonly sweepMs?: number;
}

/** The folder is watched; the poll is for what the watch misses, and for a replaced folder. */
const POLL_MS = 2_000;
/** One round holds up the loop for a few milliseconds at most; the next follows at once. */
const ROUND_FILES = 100;
const ROUND_BYTES = 2_000_000;
const ENTRIES_MAX = 100_000;
/** Another daemon that watches this machine is woken when we are, and reads within its own poll. */
const KEEP_MS = 10_000;
/** More of them are not kept, however young. */
const KEPT_MAX = 5_000;
/** A writer is done in seconds; what is older was left by one that was killed. */
const UNFINISHED_AGE_MS = 3_600_000;

/** Owns the watch and the timers of one folder. All work is done in short synchronous rounds. */
export class Spool implements Disposable {
  readonly #options: SpoolOptions;
  readonly #poll: NodeJS.Timeout;
  readonly #watches: FolderWatches;
  /** The next round, where one is due. */
  #next: NodeJS.Immediate | null = null;
  /** Which folder is watched: another one may replace it, and even have its inode number. */
  #watched: string | null = null;
  /** Listed and not yet read, oldest first. */
  #pending: readonly string[] = [];
  #isHealthy = false;
  #isClosed = false;
  /** Delivered files that are not deleted yet, oldest first, with the delivery time. */
  readonly #kept = new Map<string, number>();
  /** Names of the last listing that can be neither read nor moved nor deleted. */
  #ignored = new Set<string>();
  /** The last problem of the folder, so that it is reported once. */
  #reported: string | null = null;
  #isAllListed = true;

  /** Starts by itself: what is in the folder is handed on after the caller's own turn. */
  constructor(options: SpoolOptions) {
    this.#options = options;
    this.#watches = new FolderWatches({ settleMs: null, onChange: () => this.#start(false) });
    this.#poll = setInterval(() => this.#start(true), options.sweepMs ?? POLL_MS).unref();
    this.#goOn();
  }

  /** Whether events get through: the folder is fit and was read, and the last ones were taken. */
  healthy(): boolean {
    return this.#isHealthy;
  }

  /** Reads new files now, because a wake-up came. */
  read(): void {
    this.#start(false);
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    clearInterval(this.#poll);
    if (this.#next !== null) clearImmediate(this.#next);
    this.#watches[Symbol.dispose]();
  }

  /** Lists and reads, unless a round is due anyhow: that one lists again when it is done. */
  #start(isPoll: boolean): void {
    if (this.#isClosed || this.#next !== null) return;
    try {
      this.#removeKept();
      if (this.#pending.length === 0) this.#list(isPoll);
      if (this.#pending.length > 0) this.#round();
      else if (this.#watched !== null) this.#succeeded();
    } catch (error) {
      this.#failed(error);
    }
  }

  #goOn(): void {
    this.#next = setImmediate(() => {
      this.#next = null;
      this.#start(false);
    });
  }

  #succeeded(): void {
    this.#isHealthy = true;
    if (this.#isAllListed) this.#reported = null;
  }

  /** A Fault is health, and the poll tries again; a bug of ours is thrown. */
  #failed(error: unknown): void {
    this.#pending = [];
    this.#isHealthy = false;
    if (!(error instanceof Fault) && errorCode(error) === null) throw error;
    this.#report((error as Error).message);
  }

  #report(problem: string): void {
    if (this.#reported === problem) return;
    this.#reported = problem;
    this.#options.onProblem({ file: this.#options.folder, problem });
  }

  /** The names to read, oldest first: a name begins with its sequence, which grows with time. */
  #list(isPoll: boolean): void {
    const problem = this.#openFolder();
    if (problem !== null) {
      this.#watched = null;
      this.#isHealthy = false;
      this.#report(problem);
      return;
    }
    const names = this.#names();
    this.#isAllListed = names.length < ENTRIES_MAX;
    if (!this.#isAllListed) this.#report(`it holds ${ENTRIES_MAX} files or more`);
    if (isPoll) for (const name of names) this.#removeUnfinished(name);
    this.#ignored = new Set(names.filter((name) => this.#ignored.has(name)));
    if (this.#isAllListed) this.#forgetKept(new Set(names));
    this.#pending = names.filter((name) => this.#isToRead(name)).sort();
  }

  /** Makes the folder where it is missing, and watches it. Says why it may not be used. */
  #openFolder(): string | null {
    const { folder } = this.#options;
    if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
    }
    const stat = lstatSync(folder);
    if (!stat.isDirectory()) return 'it is a symbolic link or no folder';
    if (stat.uid !== process.getuid?.()) return 'it belongs to another user';
    if ((stat.mode & 0o022) !== 0) return 'others may write to it';
    this.#watch(`${stat.dev}:${stat.ino}:${stat.birthtimeMs}`);
    return null;
  }

  /** Without a watch the poll and the wake-ups still find everything. */
  #watch(identity: string): void {
    if (this.#watched === identity) return;
    this.#watched = identity;
    const { folder } = this.#options;
    this.#watches.remove(folder);
    this.#watches.add(folder, { isWanted: isEventName });
  }

  #names(): readonly string[] {
    const names: string[] = [];
    const entries = opendirSync(this.#options.folder, { bufferSize: 1_000 });
    try {
      while (names.length < ENTRIES_MAX) {
        const entry = entries.readSync();
        if (entry === null) break;
        names.push(entry.name);
      }
    } finally {
      entries.closeSync();
    }
    return names;
  }

  #isToRead(name: string): boolean {
    if (name === '.seq' || name === REFUSED_FOLDER || eventNameOf(name) !== null) return false;
    return !this.#ignored.has(name) && !this.#kept.has(name);
  }

  /** Deletes a content that is old and has no event: one that waits to be read has its own. */
  #removeUnfinished(name: string): void {
    const event = eventNameOf(name);
    if (event === null) return;
    const { folder } = this.#options;
    const path = join(folder, name);
    try {
      if (Date.now() - lstatSync(path).mtimeMs <= UNFINISHED_AGE_MS) return;
      if (lstatSync(join(folder, event), { throwIfNoEntry: false }) === undefined) unlinkSync(path);
    } catch {
      // Another reader renamed it just now, or it cannot be removed. It is never read either way.
    }
  }

  /** Reads some files and hands them on; the next round is due at once. */
  #round(): void {
    const events = new Map<string, SpoolEvent>();
    let count = 0;
    let byteCount = 0;
    for (const name of this.#pending.slice(0, ROUND_FILES)) {
      if (byteCount >= ROUND_BYTES) break;
      count += 1;
      const entry = openEntry(join(this.#options.folder, name));
      if (entry.kind === 'refused') this.#refuse(name, entry.problem);
      if (entry.kind !== 'bytes') continue;
      byteCount += entry.bytes.length;
      const event = readSpoolFile(name, entry.bytes);
      if (typeof event === 'string') this.#refuse(name, event);
      else events.set(name, event);
    }
    if (events.size > 0) this.#options.onEvents([...events.values()]);
    for (const name of events.keys()) this.#kept.set(name, performance.now());
    this.#removeKept();
    this.#pending = this.#pending.slice(count);
    this.#succeeded();
    if (!this.#isClosed) this.#goOn();
  }

  #refuse(name: string, problem: string): void {
    if (!setAside(this.#options.folder, name)) this.#ignore(name);
    this.#options.onProblem({ file: name, problem });
  }

  /** Deletes what was kept long enough: no more at once than a round adds, and some. */
  #removeKept(): void {
    const { keepMs = KEEP_MS } = this.#options;
    const nowMs = performance.now();
    let count = 0;
    for (const [name, sinceMs] of this.#kept) {
      const isDue = nowMs - sinceMs >= keepMs || this.#kept.size > KEPT_MAX;
      if (!isDue || count >= 2 * ROUND_FILES) return;
      count += 1;
      this.#kept.delete(name);
      this.#remove(name);
    }
  }

  /** Somebody else has deleted what is not listed any more. */
  #forgetKept(listed: ReadonlySet<string>): void {
    for (const name of this.#kept.keys()) if (!listed.has(name)) this.#kept.delete(name);
  }

  #remove(name: string): void {
    try {
      unlinkSync(join(this.#options.folder, name));
    } catch (error) {
      const code = errorCode(error);
      if (code === null) throw error;
      if (code === 'ENOENT') return;
      this.#ignore(name);
      this.#options.onProblem({ file: name, problem: `it cannot be deleted: ${code}` });
    }
  }

  #ignore(name: string): void {
    this.#ignored.add(name);
  }
}
