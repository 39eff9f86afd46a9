// Claude Code sessions that run in no pane that is known: in another terminal, an editor, a tmux
// server that is not watched. Their session files tell of them; only files of living processes
// count, and none whose process is an agent of a pane or was started by one.

import { join } from 'node:path';
import { AskedWork } from './asked-work.ts';
import { readSession, sessionPath } from './claude-files.ts';
import { originOf } from './process-facts.ts';
import type { VendorFiles } from './vendor-files.ts';

/** Killed agents leave their files; more living ones at once are nobody's. */
const FILES_MAX = 500;
/** By then an agent of a pane is known as such, also to a daemon that has just been started. */
const SEEN_MS = 5_000;
/** A process further down is a tool's tool. */
const ANCESTORS_MAX = 12;

export interface ElsewhereSession {
  readonly pid: number;
  readonly sessionId: string;
  /** By the clock of that machine. */
  readonly startedAtMs: number;
  readonly cwd: string | null;
  readonly name: string | null;
  /** The text of the file, for the normaliser of `claude-session-file`. */
  readonly raw: string;
}

export interface ClaudeElsewhereOptions {
  readonly files: VendorFiles;
  readonly nowMs: () => number;
  /** The processes of the agents that sit in known panes. */
  readonly heldPids: () => ReadonlySet<number>;
  /** All of them at each look, whether something changed or not. */
  readonly onSessions: (sessions: readonly ElsewhereSession[]) => void;
  readonly onProblem: (problem: string) => void;
}

export class ClaudeElsewhere implements Disposable {
  readonly #options: ClaudeElsewhereOptions;
  readonly #config: string;
  readonly #watch: Disposable;
  readonly #looking: AskedWork;
  /** Since when it was seen without a pane, by process and start. */
  #sinceMs: ReadonlyMap<string, number> = new Map();

  constructor(options: ClaudeElsewhereOptions) {
    this.#options = options;
    this.#config = join(options.files.home, '.claude');
    this.#looking = new AskedWork(
      () => this.#lookAll(),
      (error) => options.onProblem(`${this.#config}: ${String(error)}`),
    );
    this.#watch = options.files.watch(join(this.#config, 'sessions'), () => this.look());
  }

  /** Looks at all of them, soon. A process ends without a change of its file: call it often. */
  look(): void {
    this.#looking.ask();
  }

  [Symbol.dispose](): void {
    this.#looking[Symbol.dispose]();
    this.#watch[Symbol.dispose]();
  }

  async #lookAll(): Promise<void> {
    const sessions = await this.#sessions();
    if (!this.#looking.isEnded) this.#options.onSessions(sessions);
  }

  async #sessions(): Promise<readonly ElsewhereSession[]> {
    const names = (await this.#options.files.list(join(this.#config, 'sessions'))) ?? [];
    const pids = names.flatMap((name) => {
      const pid = Number(/^(\d{1,9})\.json$/.exec(name)?.[1]);
      return pid > 0 ? [pid] : [];
    });
    const found: ElsewhereSession[] = [];
    const sinceMs = new Map<string, number>();
    const nowMs = this.#options.nowMs();
    for (const pid of pids.slice(0, FILES_MAX)) {
      const session = await this.#sessionOf(pid);
      if (session === null) continue;
      const key = `${pid} ${session.startedAtMs}`;
      const seenMs = this.#sinceMs.get(key) ?? nowMs;
      sinceMs.set(key, seenMs);
      if (nowMs - seenMs >= SEEN_MS) found.push(session);
    }
    this.#sinceMs = sinceMs;
    return found;
  }

  async #sessionOf(pid: number): Promise<ElsewhereSession | null> {
    const { files } = this.#options;
    const origin = await originOf(files, pid);
    if (origin === null || (await this.#isHeld(pid))) return null;
    const session = await readSession(files, sessionPath(this.#config, pid));
    if (session?.pid !== pid || session.procStart !== origin.procStart) return null;
    const { sessionId, startedAtMs, cwd, name, raw } = session;
    if (startedAtMs === null) return null;
    return { pid, sessionId, startedAtMs, cwd, name, raw };
  }

  /** Whether it is an agent of a pane, or works for one. */
  async #isHeld(pid: number): Promise<boolean> {
    const held = this.#options.heldPids();
    let current = pid;
    for (let steps = 0; steps < ANCESTORS_MAX && current > 1; steps += 1) {
      if (held.has(current)) return true;
      current = (await originOf(this.#options.files, current))?.ppid ?? 0;
    }
    return false;
  }
}
