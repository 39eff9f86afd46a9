// Finds the session that one live opencode or Kilo shows in its pane, in the database that the
// process holds open, announces it as its transcript, and reads its last words. Which session it is
// comes from the agent's log or its server.

import { CoalescedTask } from '../files/coalesced-task.ts';
import { openFileOf } from '../files/process-facts.ts';
import type { AgentFilesContext, LiveAgent } from '../readers/agent-files-source.ts';
import type { AgentReader } from '../readers/agent-readers.ts';
import { SessionRecords } from './session-records.ts';
import { SessionWords } from './session-words.ts';

const databasePath = /\/(?:opencode|kilo)[\w.-]{0,40}\.db$/;
const sessionId = /^ses_\w{10,60}$/;

/** The source of an agent's last words, as its rule file calls it. */
export const sessionSourceName = (agent: string): string => `${agent}-session`;

export class TranscriptFinder implements AgentReader {
  readonly #context: AgentFilesContext;
  #agent: LiveAgent;
  #path: string | null = null;
  #announced: string | null = null;
  #words: SessionWords | null = null;
  readonly #task: CoalescedTask;

  constructor(context: AgentFilesContext, agent: LiveAgent) {
    this.#context = context;
    this.#agent = agent;
    this.#task = new CoalescedTask(
      () => this.#work(),
      (error) => context.onProblem(`its sessions: ${String(error)}`),
    );
    this.look();
  }

  update(agent: LiveAgent): void {
    this.#agent = agent;
  }

  look(): void {
    const { sessionKey } = this.#agent.runtime;
    const isOther = sessionKey !== null && sessionKey !== this.#announced;
    if (isOther || this.#words !== null) this.#task.request();
  }

  [Symbol.dispose](): void {
    this.#task[Symbol.dispose]();
  }

  async #work(): Promise<void> {
    await this.#find();
    if (!this.#task.isEnded) await this.#words?.read();
  }

  async #find(): Promise<void> {
    const { files, announce } = this.#context;
    const { runtime } = this.#agent;
    const { agent, pid, runtimeId, sessionKey } = runtime;
    if (sessionKey === null || sessionKey === this.#announced) return;
    if (!sessionId.test(sessionKey)) return;
    this.#path ??= (await openFileOf(files, pid, databasePath))?.path ?? null;
    const path = this.#path;
    if (path === null || this.#task.isEnded) return;
    this.#announced = sessionKey;
    const records = new SessionRecords(files, path, sessionKey);
    const name = `${path}:${sessionKey}`;
    const source = sessionSourceName(agent);
    this.#words = new SessionWords({
      ...{ context: this.#context, source, runtime, name },
      path,
      records,
    });
    announce(runtimeId, {
      agent,
      sessionId: sessionKey,
      records,
      child: (id) => (sessionId.test(id) ? new SessionRecords(files, path, id) : null),
    });
  }
}
