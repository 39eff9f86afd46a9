// What app servers say of one living Codex: the thread that was found to sit in its pane, and how
// that is. Everything told of the thread is told of this runtime.

import type { NormalisedSignal } from '../../agents/adapter.ts';
import type { ChannelName } from '../../schema/ids.ts';
import type { AgentFilesContext, LiveAgent } from '../readers/agent-files-source.ts';
import { evidenceOfSignal, readSignal } from '../readers/signal-evidence.ts';
import type { Rollout } from './rollouts.ts';
import type { ThreadStatus } from './server.ts';
import type { CodexThread } from './thread.ts';

export const APP_SERVER = 'codex-app-server';

/** For people who ask why: a thread may be this pane's or another's. */
const ambiguousBinding: NormalisedSignal = {
  kind: 'claims',
  type: 'ambiguous_binding',
  claims: [],
};

export class CodexBoundThread {
  readonly #context: AgentFilesContext;
  readonly #runtime: LiveAgent['runtime'];
  #thread: CodexThread | null = null;
  #isDoubtful = false;
  /** The status of it that was told last. */
  #lastStatus: ThreadStatus | null = null;
  #lastSubmitMs = 0;
  /** Tells what could not be told: the store was full, and may have room again. */
  #retry: (() => void) | null = null;

  constructor(context: AgentFilesContext, runtime: LiveAgent['runtime']) {
    this.#context = context;
    this.#runtime = runtime;
  }

  /** Where the thread is written down. */
  get rollouts(): readonly Rollout[] {
    const { id: threadId, path } = this.#thread ?? {};
    return threadId !== undefined && path ? [{ threadId, path }] : [];
  }

  /** A thread of a server is this one's; null: one may be, and it is not clear which. */
  bind(thread: CodexThread | null, channel: ChannelName): void {
    this.#setThread(thread);
    if (thread === null && !this.#isDoubtful) this.#submit(ambiguousBinding, channel);
    this.#isDoubtful = thread === null;
  }

  /** No server has a thread that may be this one's. */
  unbind(): void {
    this.#setThread(null);
    this.#isDoubtful = false;
  }

  /** What a server says of a thread, when that sits here. */
  reportStatus(threadId: string, told: ThreadStatus, channel: ChannelName): void {
    const thread = this.#thread;
    if (thread?.id !== threadId || this.#lastStatus === told) return;
    this.#lastStatus = told;
    const { status, atMs: eventTimeMs } = told;
    const raw = { method: 'thread/status/changed', params: { threadId, status } };
    const says = readSignal(this.#context, APP_SERVER, { raw });
    if (says === null) return;
    const named = thread.name === null ? {} : { activity: { title: thread.name } };
    this.#submit({ ...says, ...named, eventTimeMs }, channel);
  }

  /** Called each second. */
  retry(): void {
    this.#retry?.();
  }

  #setThread(thread: CodexThread | null): void {
    if (thread?.id !== this.#thread?.id) {
      this.#retry = null;
      this.#lastStatus = null;
    }
    this.#thread = thread;
  }

  #submit(told: NormalisedSignal, channel: ChannelName): void {
    const { daemon, onProblem } = this.#context;
    const { runtimeId, startedAtMs } = this.#runtime;
    // A thread that was there before the process, or before another thread here, is here since.
    const eventTimeMs = Math.max(
      told.eventTimeMs ?? daemon.nowMs(),
      startedAtMs,
      this.#lastSubmitMs,
    );
    const about = { source: APP_SERVER, runtimeId, channel };
    const evidence = evidenceOfSignal(this.#context, { ...told, eventTimeMs }, about);
    if (evidence === null) return;
    this.#retry = () => this.#submit(told, channel);
    try {
      daemon.submit([{ kind: 'evidence', evidence }]);
    } catch (error) {
      onProblem(String(error));
      return;
    }
    this.#retry = null;
    this.#lastSubmitMs = eventTimeMs;
  }
}
