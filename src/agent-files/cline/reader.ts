// Reads the log of one live Cline, which it writes with nothing installed. All of the user's Clines
// share the file; each line names its process.

import { clineLogRows } from '../../agents/cline/log.ts';
import { CoalescedTask } from '../files/coalesced-task.ts';
import { type LineBatch, LineFollower } from '../files/line-follower.ts';
import { type OpenFile, openFileOf } from '../files/process-facts.ts';
import type { AgentFilesContext, LiveAgent } from '../readers/agent-files-source.ts';
import type { AgentReader } from '../readers/agent-readers.ts';
import { TranscriptEvidence } from '../readers/transcript-evidence.ts';

export const LOG = 'cline-log';

const logPath = /\/logs\/cline\.log$/;
/** The log is opened when the program starts; later it is searched for seldom. */
const YOUNG_MS = 60_000;
const SEARCH_MS = 30_000;
/** `{"level":30,"time":"2026-11-16T19:00:24.362Z","pid":17474,...`. */
const pidOf = /^\{"level":\d{1,3},"time":"[^"]{1,40}","pid":(\d{1,10}),/;
const eventOf = /"event":"([\w.-]{1,60})"/;
/** The name of the event comes before its properties. */
const HEAD_CHARS = 600;

export class ClineLogReader implements AgentReader {
  readonly #context: AgentFilesContext;
  readonly #agent: LiveAgent;
  readonly #evidence: TranscriptEvidence;
  readonly #sinceMs: number;
  #searchedAtMs = 0;
  #lines: LineFollower | null = null;
  readonly #search: CoalescedTask;

  constructor(context: AgentFilesContext, agent: LiveAgent) {
    this.#context = context;
    this.#agent = agent;
    this.#sinceMs = context.daemon.nowMs();
    const { runtime } = agent;
    this.#evidence = new TranscriptEvidence({ context, source: LOG, runtime, name: 'log' });
    this.#search = new CoalescedTask(
      () => this.#find(),
      (error) => context.onProblem(`the log of ${runtime.pid}: ${String(error)}`),
    );
    this.look();
  }

  update(): void {
    // The process and what it writes stay the same.
  }

  look(): void {
    this.#lines?.look();
    if (this.#lines === null && this.#isSearchDue()) this.#search.request();
  }

  [Symbol.dispose](): void {
    this.#search[Symbol.dispose]();
    this.#lines?.[Symbol.dispose]();
  }

  #isSearchDue(): boolean {
    const nowMs = this.#context.daemon.nowMs();
    const isDue = nowMs - this.#sinceMs < YOUNG_MS || nowMs - this.#searchedAtMs > SEARCH_MS;
    if (isDue) this.#searchedAtMs = nowMs;
    return isDue;
  }

  async #find(): Promise<void> {
    const log = await openFileOf(this.#context.files, this.#agent.runtime.pid, logPath);
    if (log !== null && !this.#search.isEnded) this.#lines ??= this.#follow(log);
  }

  #follow({ path, pid }: OpenFile): LineFollower {
    const isOwn = (text: string): boolean => Number(pidOf.exec(text.slice(0, 100))?.[1]) === pid;
    const isEvent = (text: string, names: readonly string[]): boolean =>
      names.includes(eventOf.exec(text.slice(0, HEAD_CHARS))?.[1] ?? '');
    const begins = ['session.started', 'session.input_sent'];
    const relevant = Object.keys(clineLogRows);
    return new LineFollower({
      files: this.#context.files,
      path,
      isBoundary: (text) => isOwn(text) && isEvent(text, begins),
      onLines: ({ lines, isHistory }: LineBatch) => {
        const own = lines.filter(({ text }) => isOwn(text) && isEvent(text, relevant));
        this.#evidence.submit({ lines: own, isHistory }, null);
      },
      onProblem: this.#context.onProblem,
    });
  }
}
