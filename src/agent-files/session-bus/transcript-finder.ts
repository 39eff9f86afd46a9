// Finds the session that one live opencode or Kilo shows in its pane, in the database that the
// process holds open, and announces it as its transcript. Which session it is comes from the
// agent's log or its server.

import { CoalescedTask } from '../files/coalesced-task.ts';
import { openFileOf } from '../files/process-facts.ts';
import type { AgentFilesContext, LiveAgent } from '../readers/agent-files-source.ts';
import type { AgentReader } from '../readers/agent-readers.ts';
import { SessionRecords } from './session-records.ts';

const databasePath = /\/(?:opencode|kilo)[\w.-]{0,40}\.db$/;
const sessionId = /^ses_\w{10,60}$/;

export class TranscriptFinder implements AgentReader {
  readonly #context: AgentFilesContext;
  #agent: LiveAgent;
  #path: string | null = null;
  #announced: string | null = null;
  readonly #task: CoalescedTask;

  constructor(context: AgentFilesContext, agent: LiveAgent) {
    this.#context = context;
    this.#agent = agent;
    this.#task = new CoalescedTask(
      () => this.#find(),
      (error) => context.onProblem(`its sessions: ${String(error)}`),
    );
    this.look();
  }

  update(agent: LiveAgent): void {
    this.#agent = agent;
  }

  look(): void {
    const { sessionKey } = this.#agent.runtime;
    if (sessionKey !== null && sessionKey !== this.#announced) this.#task.request();
  }

  [Symbol.dispose](): void {
    this.#task[Symbol.dispose]();
  }

  async #find(): Promise<void> {
    const { files, announce } = this.#context;
    const { agent, pid, runtimeId, sessionKey } = this.#agent.runtime;
    if (sessionKey === null || !sessionId.test(sessionKey)) return;
    this.#path ??= (await openFileOf(files, pid, databasePath))?.path ?? null;
    const path = this.#path;
    if (path === null || this.#task.isEnded) return;
    this.#announced = sessionKey;
    announce(runtimeId, {
      agent,
      sessionId: sessionKey,
      records: new SessionRecords(files, path, sessionKey),
      child: (id) => (sessionId.test(id) ? new SessionRecords(files, path, id) : null),
    });
  }
}
