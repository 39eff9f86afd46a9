// Claude Code sessions that run in no watched pane: in another terminal, an editor, another tmux
// server. They are found by their session files. A file counts only while its process lives and is
// neither an agent of a pane nor started by one.

import { join } from 'node:path';
import { CoalescedTask } from '../files/coalesced-task.ts';
import type { MachineFiles } from '../files/machine-files.ts';
import { originOf } from '../files/process-facts.ts';
import { readSession, sessionPath } from './files.ts';

const SESSIONS = 'sessions';
/** Killed agents leave their files, so there may be many. */
const FILES_MAX = 2_000;
/** After this time an agent of a pane is recognised as such, also right after a daemon start. */
const SETTLE_MS = 5_000;
/** Files of dead processes are checked again this seldom: there may be hundreds. */
const STALE_RECHECK_MS = 30_000;
/** Agents at work write all the time, and each look is at all of them. */
const PAUSE_MS = 250;
/** A process further down is a tool's tool. */
const ANCESTORS_MAX = 12;

export interface PanelessSession {
  readonly pid: number;
  readonly sessionId: string;
  /** In the clock of that machine. */
  readonly startedAtMs: number;
  readonly cwd: string | null;
  readonly name: string | null;
  /** The text of the file, for the normaliser of `claude-session-file`. */
  readonly raw: string;
}

export interface PanelessClaudeSessionsOptions {
  readonly files: MachineFiles;
  readonly nowMs: () => number;
  /** The processes of the agents that sit in known panes. */
  readonly heldPids: () => ReadonlySet<number>;
  /** Whether the daemon lists it already, as after its own restart. */
  readonly isListed: (session: PanelessSession) => boolean;
  /** All of them at each look that could list them, whether something changed or not. */
  readonly onSessions: (sessions: readonly PanelessSession[]) => void;
  readonly onProblem: (problem: string) => void;
}

interface ReadSession extends PanelessSession {
  /** The start of its process, in the kernel's units. */
  readonly procStart: string;
}

interface TrackedSession {
  readonly session: ReadSession;
  readonly sinceMs: number;
}

export class PanelessClaudeSessions implements Disposable {
  readonly #options: PanelessClaudeSessionsOptions;
  readonly #config: string;
  readonly #watch: Disposable;
  readonly #lookTask: CoalescedTask;
  /** The last text of each, and since when it has no pane. */
  #tracked: ReadonlyMap<number, TrackedSession> = new Map();
  /** The files of ended processes, and when they are read again. */
  #staleUntilMs: ReadonlyMap<number, number> = new Map();

  constructor(options: PanelessClaudeSessionsOptions) {
    this.#options = options;
    this.#config = join(options.files.home, '.claude');
    this.#lookTask = new CoalescedTask(
      () => this.#lookAll(),
      (error) => options.onProblem(`${this.#config}: ${String(error)}`),
      PAUSE_MS,
    );
    this.#watch = options.files.watch(join(this.#config, SESSIONS), () => this.look());
  }

  /** Looks at all of them, soon. A process ends without a change of its file: call it often. */
  look(): void {
    this.#lookTask.request();
  }

  [Symbol.dispose](): void {
    this.#lookTask[Symbol.dispose]();
    this.#watch[Symbol.dispose]();
  }

  async #lookAll(): Promise<void> {
    const sessions = await this.#sessions();
    // Unknown is not none: those that are listed stay as they are.
    if (sessions === null || this.#lookTask.isEnded) return;
    this.#options.onSessions(sessions);
  }

  /** Null where the folder cannot be listed now. */
  async #sessions(): Promise<readonly PanelessSession[] | null> {
    const names = await this.#names();
    if (names === null) return null;
    const pids = names.flatMap((name) => {
      const pid = Number(/^(\d{1,9})\.json$/.exec(name)?.[1]);
      return pid > 0 ? [pid] : [];
    });
    const tracked = new Map<number, TrackedSession>();
    const staleUntilMs = new Map<number, number>();
    const nowMs = this.#options.nowMs();
    for (const pid of pids.slice(0, FILES_MAX)) {
      const untilMs = this.#staleUntilMs.get(pid) ?? 0;
      const session = nowMs < untilMs ? 'left' : await this.#sessionOf(pid);
      if (session === 'left')
        staleUntilMs.set(pid, untilMs > nowMs ? untilMs : nowMs + STALE_RECHECK_MS);
      else if (session !== null) tracked.set(pid, this.#track(session, nowMs));
    }
    this.#tracked = tracked;
    this.#staleUntilMs = staleUntilMs;
    const settled = [...tracked.values()].filter(
      ({ session, sinceMs }) => nowMs - sinceMs >= SETTLE_MS || this.#options.isListed(session),
    );
    return settled.map(({ session }) => session);
  }

  /** The names in the folder; none where it is not there, null where that is not known. */
  async #names(): Promise<readonly string[] | null> {
    const { files } = this.#options;
    const names = await files.list(join(this.#config, SESSIONS));
    if (names !== null) return names;
    const beside = await files.list(this.#config);
    return beside === null || beside.includes(SESSIONS) ? null : [];
  }

  #track(session: ReadSession, nowMs: number): TrackedSession {
    const before = this.#tracked.get(session.pid);
    const isSame = before?.session.procStart === session.procStart;
    return { session, sinceMs: isSame ? before.sinceMs : nowMs };
  }

  /** `left`: its process is gone. Null: it is of a pane, or says nothing that can be used. */
  async #sessionOf(pid: number): Promise<ReadSession | 'left' | null> {
    const { files } = this.#options;
    const path = sessionPath(this.#config, pid);
    const origin = await originOf(files, pid);
    if (origin === null) return 'left';
    if (await this.#isHeld(pid)) return null;
    const session = await readSession(files, path);
    const before = this.#tracked.get(pid)?.session;
    // While it is written anew it is no text: the process that wrote it is still the same.
    const isBroken = session === null && (await files.facts(path)) !== null;
    if (isBroken && before?.procStart === origin.procStart) return before;
    if (session?.pid !== pid) return null;
    if (session.procStart !== origin.procStart) return 'left';
    const { sessionId, startedAtMs, cwd, name, raw } = session;
    if (startedAtMs === null) return null;
    return { pid, procStart: origin.procStart, sessionId, startedAtMs, cwd, name, raw };
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
