// Reads one live Copilot CLI and its open sessions. /new leaves the old session open, so there may
// be several: the one that was last given a prompt, or resumed, is the pane's; the others are not
// submitted.

import { dirname, join } from 'node:path';
import { timeAt } from '../../agents/signals/event-time.ts';
import { idAt, readFields, textAt } from '../../agents/signals/fields.ts';
import { LineRecords } from '../conversations/line-records.ts';
import { CoalescedTask } from '../files/coalesced-task.ts';
import type { FileLine } from '../files/line-cutter.ts';
import { type LineBatch, LineFollower } from '../files/line-follower.ts';
import type { AgentFilesContext, LiveAgent } from '../readers/agent-files-source.ts';
import type { AgentReader } from '../readers/agent-readers.ts';
import { keyedByName, reconcile } from '../readers/reconcile.ts';
import { TranscriptEvidence } from '../readers/transcript-evidence.ts';
import { type CopilotSession, namedSession, openSessions } from './sessions.ts';

export const EVENTS = 'copilot-events';

/** How often sessions are listed again, for changes that the watches missed. */
const SWEEP_MS = 10_000;
/** A young process opens its first session soon. */
const YOUNG_MS = 30_000;
/** The last line of a session, that it is over, is written while its lock goes away. */
const LAST_LINE_MS = 2_000;

/** A cheap first test, because every line passes it. */
const mayBegin = /^\{"type":\s?"(?:user\.message|session\.(?:start|resume))"/;

/** When a turn or a session of the main agent begins with this line; null where none does. */
function beginsAtMs(text: string): number | null {
  const fields = mayBegin.test(text) ? readFields(text) : 'another line';
  if (typeof fields === 'string') return null;
  // A subagent's prompt is no turn, nor is what is typed while the agent works.
  const isPart = textAt(fields, 'data.delivery') === 'steering' || idAt(fields, 'agentId');
  return isPart ? null : (timeAt(fields, 'timestamp') ?? null);
}

interface FollowedSession {
  readonly lines: LineFollower;
  /** When the process was found without it; null while it is open. */
  leftAtMs: number | null;
}

export class CopilotReader implements AgentReader {
  readonly #context: AgentFilesContext;
  readonly #sinceMs: number;
  #agent: LiveAgent;
  readonly #followed = new Map<string, FollowedSession>();
  /** The folder of the pane's session, and when it was last given a prompt. */
  #current: { readonly folder: string; readonly atMs: number } | null = null;
  readonly #watches = new Map<string, Disposable>();
  #lookedAtMs = 0;
  #isLookRequested = true;
  readonly #lookTask: CoalescedTask;

  constructor(context: AgentFilesContext, agent: LiveAgent) {
    this.#context = context;
    this.#agent = agent;
    this.#sinceMs = context.daemon.nowMs();
    this.#lookTask = new CoalescedTask(
      () => this.#lookAtSessions(),
      (error) => context.onProblem(`the sessions of ${agent.runtime.pid}: ${String(error)}`),
    );
    this.look();
  }

  /** The same agent, of which more may be known by now. Another title may be another session. */
  update(agent: LiveAgent): void {
    const isOther =
      agent.pane.facts.title !== this.#agent.pane.facts.title ||
      agent.runtime.sessionKey !== this.#agent.runtime.sessionKey;
    if (isOther) this.#isLookRequested = true;
    this.#agent = agent;
  }

  /** Called each second. */
  look(): void {
    for (const { lines } of this.#followed.values()) lines.look();
    if (this.#isDue()) this.#lookTask.request();
  }

  [Symbol.dispose](): void {
    this.#lookTask[Symbol.dispose]();
    for (const { lines } of this.#followed.values()) lines[Symbol.dispose]();
    this.#followed.clear();
    for (const watch of this.#watches.values()) watch[Symbol.dispose]();
  }

  #isDue(): boolean {
    const nowMs = this.#context.daemon.nowMs();
    const isYoung = this.#followed.size === 0 && nowMs - this.#sinceMs < YOUNG_MS;
    return this.#isLookRequested || isYoung || nowMs - this.#lookedAtMs >= SWEEP_MS;
  }

  async #lookAtSessions(): Promise<void> {
    this.#isLookRequested = false;
    this.#lookedAtMs = this.#context.daemon.nowMs();
    const sessions = await this.#findSessions();
    if (!this.#lookTask.isEnded) this.#follow(sessions);
  }

  async #findSessions(): Promise<readonly CopilotSession[]> {
    const { files } = this.#context;
    const { pid, sessionKey } = this.#agent.runtime;
    const open = await openSessions(files, pid);
    if (open.length > 0 || sessionKey === null) return open;
    const session = await namedSession(files, pid, sessionKey);
    return session === null ? [] : [session];
  }

  #follow(sessions: readonly CopilotSession[]): void {
    const folders = new Set(sessions.map(({ folder }) => folder));
    for (const [folder, followed] of this.#followed) {
      if (folders.has(folder)) followed.leftAtMs = null;
      else this.#leave(folder, followed);
    }
    for (const session of sessions) {
      if (!this.#followed.has(session.folder)) this.#enter(session);
    }
    // A new session is a new name beside the others.
    const parents = new Set(sessions.map(({ folder }) => dirname(folder)));
    const locks = sessions.map(({ lock }) => lock).filter((lock) => lock !== null);
    this.#watch([...parents, ...locks]);
  }

  #enter(session: CopilotSession): void {
    const context = this.#context;
    const { folder, sessionId } = session;
    const { runtime } = this.#agent;
    const evidence = new TranscriptEvidence({ context, source: EVENTS, runtime, name: sessionId });
    const lines = new LineFollower({
      files: context.files,
      path: join(folder, 'events.jsonl'),
      isBoundary: (text) => beginsAtMs(text) !== null,
      onLines: (batch) => this.#take(session, evidence, batch),
      onProblem: context.onProblem,
    });
    this.#followed.set(folder, { lines, leftAtMs: null });
  }

  #leave(folder: string, followed: FollowedSession): void {
    const nowMs = this.#context.daemon.nowMs();
    followed.leftAtMs ??= nowMs;
    if (nowMs - followed.leftAtMs < LAST_LINE_MS) {
      this.#isLookRequested = true;
      return;
    }
    followed.lines[Symbol.dispose]();
    this.#followed.delete(folder);
  }

  #take(session: CopilotSession, evidence: TranscriptEvidence, batch: LineBatch): void {
    // From the line on that makes the session the pane's.
    const from = batch.lines.findIndex((line) => this.#makesCurrent(session, line));
    if (this.#current?.folder !== session.folder) return;
    const lines = from > 0 ? batch.lines.slice(from) : batch.lines;
    evidence.submit({ ...batch, lines }, session.sessionId);
  }

  #makesCurrent({ folder, sessionId }: CopilotSession, { text }: FileLine): boolean {
    if (this.#current?.folder === folder) return false;
    const atMs = beginsAtMs(text);
    if (atMs === null || atMs < (this.#current?.atMs ?? 0)) return false;
    this.#current = { folder, atMs };
    const { files, announce } = this.#context;
    const follower = () => this.#followed.get(folder)?.lines ?? null;
    announce(this.#agent.runtime.runtimeId, {
      agent: 'copilot',
      sessionId,
      records: new LineRecords(files, join(folder, 'events.jsonl'), follower),
      child: () => null,
    });
    return true;
  }

  #watch(paths: readonly string[]): void {
    const onChange = () => {
      this.#isLookRequested = true;
      this.look();
    };
    reconcile(this.#watches, keyedByName(paths), (path) =>
      this.#context.files.watch(path, onChange),
    );
  }
}
