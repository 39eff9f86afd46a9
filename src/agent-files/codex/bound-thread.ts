// The thread of an app server that was found to belong to one live Codex, and its status. Every
// change of the thread becomes evidence about this runtime.

import type { NormalisedSignal } from '../../agents/adapter.ts';
import type { ChannelName } from '../../schema/ids.ts';
import type { AgentFilesContext, LiveAgent } from '../readers/agent-files-source.ts';
import { evidenceOfSignal, readSignal } from '../readers/signal-evidence.ts';
import type { Rollout } from './rollouts.ts';
import type { ThreadStatus } from './server.ts';
import type { CodexThread } from './thread.ts';

export const APP_SERVER = 'codex-app-server';

/** For the ledger: a thread may be this pane's or another's. */
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
  #lastStatus: ThreadStatus | null = null;
  #lastSubmitMs = 0;
  /** Submits again what was refused: the store was full, and may have room again. */
  #retry: (() => void) | null = null;

  constructor(context: AgentFilesContext, runtime: LiveAgent['runtime']) {
    this.#context = context;
    this.#runtime = runtime;
  }

  /** The rollout of the thread, where its path is known. */
  get rollouts(): readonly Rollout[] {
    const { id: threadId, path } = this.#thread ?? {};
    return threadId !== undefined && path ? [{ threadId, path }] : [];
  }

  /** Binds a thread of a server; null: one may belong here, and it is not clear which. */
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

  /** Submits the status of a thread, when it is the bound one. */
  reportStatus(threadId: string, latest: ThreadStatus, channel: ChannelName): void {
    const thread = this.#thread;
    if (thread?.id !== threadId || this.#lastStatus === latest) return;
    this.#lastStatus = latest;
    const { status, atMs: eventTimeMs } = latest;
    const raw = { method: 'thread/status/changed', params: { threadId, status } };
    const signal = readSignal(this.#context, APP_SERVER, { raw });
    if (signal === null) return;
    const activity = thread.name === null ? {} : { activity: { title: thread.name } };
    this.#submit({ ...signal, ...activity, eventTimeMs }, channel);
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

  #submit(signal: NormalisedSignal, channel: ChannelName): void {
    const { daemon, onProblem } = this.#context;
    const { runtimeId, startedAtMs } = this.#runtime;
    // A thread that is older than the process, or than another thread here, is here since then.
    const eventTimeMs = Math.max(
      signal.eventTimeMs ?? daemon.nowMs(),
      startedAtMs,
      this.#lastSubmitMs,
    );
    const about = { source: APP_SERVER, runtimeId, channel };
    const evidence = evidenceOfSignal(this.#context, { ...signal, eventTimeMs }, about);
    if (evidence === null) return;
    this.#retry = () => this.#submit(signal, channel);
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
