// Reads one live Codex: the files that its process holds open, the rollouts that record how its
// turns end, and the thread of an app server that was found to be its own. Evidence about the
// thread has the thread as its session, so that hooks find their pane by the thread.

import type { ChannelName, RuntimeId } from '../../schema/ids.ts';
import { CoalescedTask } from '../files/coalesced-task.ts';
import type { AgentFilesContext, LiveAgent } from '../readers/agent-files-source.ts';
import type { AgentReader } from '../readers/agent-readers.ts';
import type { CodexClient } from './binding.ts';
import { CodexBoundThread } from './bound-thread.ts';
import {
  type CodexProcess,
  codexProcess,
  type OpenThreads,
  openThreads,
  workingFolder,
} from './process.ts';
import { CodexRollouts, type Rollout, type ThreadNames } from './rollouts.ts';
import type { ThreadStatus } from './server.ts';
import { bornAtMs, type CodexThread } from './thread.ts';

/** A new process is read often: its thread appears in seconds, and hooks wait for it. */
const YOUNG_MS = 60_000;
const LOOK_YOUNG_MS = 900;
const LOOK_OLD_MS = 10_000;
/** The rollout of a thread that was opened with a prompt is there in a moment. */
const LOOK_SOON_MS = 250;
const SOON_MAX = 40;
const FRESH_REPORTS_MS: readonly number[] = [0, 1_000, 2_500, 5_000];
/** By then it has written its own title. */
const OWN_TITLE_MS = 5_000;

interface ProcessSnapshot {
  readonly process: CodexProcess;
  readonly cwd: string | null;
}

export interface CodexReaderOptions {
  readonly onProcessRead: () => void;
  readonly nameOf: ThreadNames;
}

export class CodexReader implements AgentReader {
  readonly #context: AgentFilesContext;
  readonly #onProcessRead: () => void;
  readonly #rollouts: CodexRollouts;
  readonly #boundThread: CodexBoundThread;
  readonly #lookTask: CoalescedTask;
  /** The title that an earlier program may have left in the pane, or null. */
  readonly #foreignTitle: string | null;
  #agent: LiveAgent;
  #snapshot: ProcessSnapshot | null = null;
  /** The rollouts that the process itself holds open. */
  #heldRollouts: readonly Rollout[] = [];
  /** It holds its threads itself; null until read. */
  #holdsThreads: boolean | null = null;
  /** A thread of its own without a rollout, and at which ages that is reported again. */
  #freshId: string | null = null;
  #freshReportsMs: readonly number[] = [];
  #nextLookAtMs = 0;
  #lookedTitle = '';
  #soonTimer: NodeJS.Timeout | undefined;
  #soonCount = 0;

  constructor(
    context: AgentFilesContext,
    agent: LiveAgent,
    { onProcessRead: onLooked, nameOf }: CodexReaderOptions,
  ) {
    this.#context = context;
    this.#agent = agent;
    this.#onProcessRead = onLooked;
    this.#rollouts = new CodexRollouts(context, agent.runtime, nameOf);
    this.#boundThread = new CodexBoundThread(context, agent.runtime);
    this.#lookTask = new CoalescedTask(
      () => this.#look(),
      (error) => context.onProblem(String(error)),
    );
    const ageMs = context.daemon.nowMs() - agent.runtime.startedAtMs;
    this.#foreignTitle = ageMs < OWN_TITLE_MS ? agent.pane.facts.title : null;
  }

  get runtimeId(): RuntimeId {
    return this.#agent.runtime.runtimeId;
  }

  get process(): CodexProcess | null {
    return this.#snapshot?.process ?? null;
  }

  get isFollowing(): boolean {
    return this.#rollouts.count > 0;
  }

  /** The threads that the process itself holds open. */
  get heldThreadIds(): readonly string[] {
    return this.#heldRollouts.map(({ threadId }) => threadId);
  }

  /** Its role as a client of a server; null when it is not one or not known yet. */
  client(): CodexClient | null {
    const { runtime, pane } = this.#agent;
    if (this.#snapshot === null || this.#holdsThreads !== false) return null;
    const { process, cwd } = this.#snapshot;
    const { title } = pane.facts;
    return {
      runtimeId: runtime.runtimeId,
      startedAtMs: runtime.startedAtMs,
      // A server that was named works in its own folder.
      cwd: process.remote === null ? cwd : null,
      title: title === this.#foreignTitle ? '' : title,
      resumes: process.resumes,
    };
  }

  /** Called each second, with what is known by now. */
  update(agent: LiveAgent): void {
    this.#agent = agent;
    this.#boundThread.retry();
    this.#rollouts.look();
    // Its title changes when it begins to work, and then its first rollout is there.
    const mayHaveBegun = !this.isFollowing && agent.pane.facts.title !== this.#lookedTitle;
    if (mayHaveBegun || this.#context.daemon.nowMs() >= this.#nextLookAtMs) this.look();
  }

  /** A thread was opened or closed somewhere: the name of a lock is there before its holder. */
  lookTwice(): void {
    this.look();
    this.#lookLater();
  }

  /** Looks at the process, soon. */
  look(): void {
    this.#lookTask.request();
  }

  /** A thread of a server is this one's; null: one may be, and it is not clear which. */
  bind(thread: CodexThread | null, channel: ChannelName): void {
    this.#boundThread.bind(thread, channel);
    this.#follow();
  }

  /** No server has a thread that may be this one's. */
  unbind(): void {
    this.#boundThread.unbind();
    this.#follow();
  }

  /** Reports the status of a thread when its client runs in this pane. */
  reportStatus(threadId: string, status: ThreadStatus, channel: ChannelName): void {
    this.#boundThread.reportStatus(threadId, status, channel);
  }

  [Symbol.dispose](): void {
    this.#lookTask[Symbol.dispose]();
    clearTimeout(this.#soonTimer);
    this.#rollouts[Symbol.dispose]();
  }

  async #look(): Promise<void> {
    const nowMs = this.#context.daemon.nowMs();
    const isYoung = nowMs - this.#agent.runtime.startedAtMs < YOUNG_MS;
    this.#nextLookAtMs = nowMs + (isYoung ? LOOK_YOUNG_MS : LOOK_OLD_MS);
    this.#lookedTitle = this.#agent.pane.facts.title;
    try {
      await this.#lookAtProcess();
    } finally {
      if (isYoung) this.#lookSoon();
    }
  }

  async #lookAtProcess(): Promise<void> {
    const { files, isLocal } = this.#context;
    if (this.#snapshot === null) {
      const process = await codexProcess(files, this.#agent.runtime.pid);
      if (process === null) return;
      this.#snapshot = { process, cwd: isLocal ? await workingFolder(process) : null };
    }
    const open = await openThreads(files, this.#snapshot.process.pid);
    if (open === null) return;
    const own = await this.#rollouts.mainOf(open.rollouts);
    if (this.#lookTask.isEnded) return;
    this.#heldRollouts = own;
    // One that has held a thread never becomes a client of a server.
    this.#holdsThreads = this.#holdsThreads === true || open.threadIds.length > 0;
    this.#reportFreshThread(open);
    this.#follow();
    this.#onProcessRead();
  }

  /** A thread without a rollout is new: a TUI looks busy for a moment while it opens one. */
  #reportFreshThread({ threadIds, rollouts }: OpenThreads): void {
    const births = threadIds.map((threadId) => ({ threadId, atMs: bornAtMs(threadId) ?? 0 }));
    const youngest = births.sort((a, b) => a.atMs - b.atMs).at(-1);
    const isUsed = rollouts.some(({ threadId }) => threadId === youngest?.threadId);
    if (youngest === undefined || isUsed) return;
    if (this.#freshId !== youngest.threadId) this.#freshReportsMs = [...FRESH_REPORTS_MS];
    this.#freshId = youngest.threadId;
    const nowMs = this.#context.daemon.nowMs();
    const [nextMs = Number.POSITIVE_INFINITY, ...later] = this.#freshReportsMs;
    if (nowMs < youngest.atMs + nextMs) return;
    const atMs = nextMs === 0 ? youngest.atMs : nowMs;
    this.#rollouts.reportFresh(youngest.threadId, atMs, later.length);
    this.#freshReportsMs = later;
    if (later[0] !== undefined) this.#nextLookAtMs = youngest.atMs + later[0];
  }

  #lookSoon(): void {
    const isOpening = this.#holdsThreads === true && !this.isFollowing;
    if (!isOpening || this.#lookTask.isEnded || this.#soonCount >= SOON_MAX) return;
    this.#soonCount += 1;
    this.#lookLater();
  }

  #lookLater(): void {
    if (this.#lookTask.isEnded) return;
    clearTimeout(this.#soonTimer);
    this.#soonTimer = setTimeout(() => this.look(), LOOK_SOON_MS).unref();
  }

  #follow(): void {
    if (this.#lookTask.isEnded) return;
    this.#rollouts.keep([...this.#heldRollouts, ...this.#boundThread.rollouts]);
  }
}
