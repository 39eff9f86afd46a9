// The session file of one live Claude Code, which holds its current state. It is found by the
// process and counts only while that process is the one that wrote it: a killed agent leaves its
// file, and process ids are used again. An unchanged state is submitted again at each look.

import type { NormalisedSignal } from '../../agents/adapter.ts';
import type { FileFacts } from '../files/machine-files.ts';
import { childrenOf, originOf } from '../files/process-facts.ts';
import type { AgentFilesContext, LiveAgent } from '../readers/agent-files-source.ts';
import { evidenceOfSignal, readSignal } from '../readers/signal-evidence.ts';
import { type ClaudeSession, readSession, sessionPath } from './files.ts';

export const SESSION_FILE = 'claude-session-file';

/** A wrapper has started the real program by then. */
const WRAPPER_MS = 30_000;

const withdrawn: NormalisedSignal = { kind: 'claims', type: 'status:gone', claims: [] };
/** Claude removes its file when it exits, and leaves it behind when it is killed. */
const gone: NormalisedSignal = { ...withdrawn, ended: true };

interface FoundFile {
  readonly path: string;
  readonly facts: FileFacts;
}

export interface ClaudeSessionFileOptions {
  readonly context: AgentFilesContext;
  readonly runtime: LiveAgent['runtime'];
  /** The agent's own folder of files. */
  readonly config: string;
  /** It may have changed. */
  readonly onChange: () => void;
}

export class ClaudeSessionFile implements Disposable {
  readonly #options: ClaudeSessionFileOptions;
  readonly #sinceMs: number;
  #path: string;
  /** The file was found once, so no other path is tried. */
  #isFound = false;
  #watch: Disposable;
  #facts: FileFacts | null = null;
  #session: ClaudeSession | null = null;
  /** The previous text, to see that another session has begun. */
  #previous: string | undefined;
  /** The current signal, in our time; null if absent or withdrawn. */
  #signal: NormalisedSignal | null = null;
  #isChanged = true;
  #isEnded = false;

  constructor(options: ClaudeSessionFileOptions) {
    this.#options = options;
    this.#sinceMs = options.context.daemon.nowMs();
    this.#path = sessionPath(options.config, options.runtime.pid);
    this.#watch = this.#watchFile();
  }

  /** The last reading; null when there is no file of this process. */
  get session(): ClaudeSession | null {
    return this.#session;
  }

  /** Reads the file where it may have changed, and submits its state. */
  async read(): Promise<void> {
    // Two changes in one tick of the file system's clock leave no trace in the facts.
    const isChanged = this.#isChanged;
    this.#isChanged = false;
    try {
      const found = await this.#find();
      if (found === null) this.#withdraw(gone);
      else if (await this.#isOrphaned()) this.#withdraw();
      else if (isChanged || !isSame(found.facts, this.#facts)) await this.#readFile(found);
      else if (this.#signal !== null) this.#submit(this.#signal);
    } catch (error) {
      // The host did not answer or the store is full: the change is still to be submitted.
      this.#isChanged = true;
      throw error;
    }
  }

  [Symbol.dispose](): void {
    this.#isEnded = true;
    this.#watch[Symbol.dispose]();
  }

  /** The file of the process, or of its child when a wrapper started the real program. */
  async #find(): Promise<FoundFile | null> {
    const { context, runtime, config } = this.#options;
    const { files, daemon } = context;
    const facts = await files.facts(this.#path);
    if (facts !== null) return { path: this.#path, facts };
    if (this.#isFound || daemon.nowMs() - this.#sinceMs > WRAPPER_MS) return null;
    for (const child of await childrenOf(files, runtime.pid)) {
      const path = sessionPath(config, child);
      const childFacts = await files.facts(path);
      if (childFacts !== null) return { path, facts: childFacts };
    }
    return null;
  }

  /** Whether the child of a wrapper is gone and its file is still there. */
  async #isOrphaned(): Promise<boolean> {
    const { context, runtime } = this.#options;
    if (this.#session === null || this.#session.pid === runtime.pid) return false;
    const origin = await originOf(context.files, this.#session.pid);
    return origin?.procStart !== this.#session.procStart;
  }

  async #readFile({ path, facts }: FoundFile): Promise<void> {
    const { files } = this.#options.context;
    const session = await readSession(files, path);
    // One that is being written is read again; until it is whole nothing of it is confirmed.
    if (session === null) {
      this.#isChanged = true;
      return;
    }
    const origin = await originOf(files, session.pid);
    const isOwn = path.endsWith(`/${session.pid}.json`) && origin?.procStart === session.procStart;
    if (!isOwn) {
      this.#withdraw();
      return;
    }
    this.#facts = facts;
    if (session.raw !== this.#session?.raw) this.#previous = this.#session?.raw;
    this.#session = session;
    this.#foundAt(path);
    this.#report(session);
  }

  #foundAt(path: string): void {
    this.#isFound = true;
    if (path === this.#path || this.#isEnded) return;
    this.#path = path;
    this.#watch[Symbol.dispose]();
    this.#watch = this.#watchFile();
  }

  #watchFile(): Disposable {
    const { context, onChange } = this.#options;
    return context.files.watch(this.#path, () => {
      this.#isChanged = true;
      onChange();
    });
  }

  #report({ raw }: ClaudeSession): void {
    const { context } = this.#options;
    const { daemon, toDaemonMs } = context;
    const signal = readSignal(context, SESSION_FILE, { raw, previous: this.#previous });
    // A state that no known version writes is not used.
    if (signal === null) {
      this.#withdraw();
      return;
    }
    const { eventTimeMs } = signal;
    const atMs = eventTimeMs === undefined ? daemon.nowMs() : toDaemonMs(eventTimeMs);
    this.#signal = { ...signal, eventTimeMs: Math.max(0, atMs) };
    this.#submit(this.#signal);
  }

  /** The file is gone or of another process: its claim is withdrawn. */
  #withdraw(signal = withdrawn): void {
    this.#facts = null;
    this.#session = null;
    if (this.#signal === null) return;
    this.#submit(signal);
    this.#signal = null;
  }

  #submit(signal: NormalisedSignal): void {
    const { context, runtime } = this.#options;
    if (this.#isEnded) return;
    const about = { source: SESSION_FILE, runtimeId: runtime.runtimeId };
    const evidence = evidenceOfSignal(context, signal, about);
    if (evidence !== null) context.daemon.submit([{ kind: 'evidence', evidence }]);
  }
}

const isSame = (a: FileFacts, b: FileFacts | null): boolean =>
  a.size === b?.size && a.modifiedAtMs === b.modifiedAtMs && a.inode === b.inode;
