// Reads the log of one live opencode or Kilo, which is all it writes without a plugin and without a
// server. All of the user's agents share the log; the run of a line shows whose it is.

import { parseLogLine } from '../../agents/shared/session-log.ts';
import { CoalescedTask } from '../files/coalesced-task.ts';
import type { FileLine } from '../files/line-cutter.ts';
import { type LineBatch, LineFollower } from '../files/line-follower.ts';
import type { OpenFile } from '../files/process-facts.ts';
import type { AgentFilesContext, LiveAgent } from '../readers/agent-files-source.ts';
import type { AgentReader } from '../readers/agent-readers.ts';
import { TranscriptEvidence } from '../readers/transcript-evidence.ts';
import { logOf, runIn, runsOf } from './runs.ts';

/** The log is opened when the program starts; later it is searched for seldom. */
const YOUNG_MS = 60_000;
const SEARCH_MS = 30_000;
/** The few lines of the log that are about a turn. */
const relevantMessage =
  / message=(?:loop|asking|replied|rejected|cancel|created|process|"exiting loop"|"stream error") /;
const STAMP = 'timestamp=';
/** The recorded start of a process may be too late by this much. */
const START_SLACK_MS = 2_000;
const OTHER_RUNS_MAX = 200;
const CHILDREN_MAX = 500;
const HELD_LINES_MAX = 1_000;
const BATCHES_MAX = 100;

export class LogReader implements AgentReader {
  readonly #context: AgentFilesContext;
  readonly #agent: LiveAgent;
  readonly #evidence: TranscriptEvidence;
  readonly #sinceMs: number;
  #searchedAtMs = 0;
  #log: OpenFile | null = null;
  #lines: LineFollower | null = null;
  /** Read and not submitted yet, because their run was not known. */
  #batches: LineBatch[] = [];
  #ownRuns: ReadonlySet<string> = new Set();
  readonly #otherRuns = new Set<string>();
  /** Sessions of subagents. */
  readonly #children = new Set<string>();
  #sessionId: string | null = null;
  readonly #task: CoalescedTask;

  constructor(context: AgentFilesContext, source: string, agent: LiveAgent) {
    this.#context = context;
    this.#agent = agent;
    this.#sinceMs = context.daemon.nowMs();
    this.#evidence = new TranscriptEvidence({
      context,
      source,
      runtime: agent.runtime,
      name: 'log',
    });
    this.#task = new CoalescedTask(
      () => this.#work(),
      (error) => context.onProblem(`its log: ${String(error)}`),
    );
    this.look();
  }

  update(): void {
    // The process and what it writes stay the same.
  }

  look(): void {
    this.#lines?.look();
    if (this.#log !== null ? this.#batches.length > 0 : this.#isSearchDue()) this.#task.request();
  }

  [Symbol.dispose](): void {
    this.#task[Symbol.dispose]();
    this.#lines?.[Symbol.dispose]();
  }

  #isSearchDue(): boolean {
    const nowMs = this.#context.daemon.nowMs();
    const isDue = nowMs - this.#sinceMs < YOUNG_MS || nowMs - this.#searchedAtMs > SEARCH_MS;
    if (isDue) this.#searchedAtMs = nowMs;
    return isDue;
  }

  async #work(): Promise<void> {
    this.#log ??= await logOf(this.#context.files, this.#agent.runtime.pid);
    if (this.#log !== null && !this.#task.isEnded) this.#lines ??= this.#follow(this.#log);
    while (this.#batches.length > 0 && !this.#task.isEnded) await this.#takeAll();
  }

  #follow({ path }: OpenFile): LineFollower {
    const { toDaemonMs } = this.#context;
    const startMs = this.#agent.runtime.startedAtMs - START_SLACK_MS;
    return new LineFollower({
      files: this.#context.files,
      path,
      isBoundary: (text) =>
        text.startsWith(STAMP) && toDaemonMs(Date.parse(text.slice(STAMP.length, 34))) < startMs,
      onLines: (batch) => this.#hold(batch),
      onProblem: this.#context.onProblem,
    });
  }

  #hold({ lines, isHistory }: LineBatch): void {
    const relevant = lines.filter(({ text }) => relevantMessage.test(text.slice(0, 200)));
    if (relevant.length === 0) return;
    // The follower then keeps the batch and reads no more.
    if (this.#batches.length >= BATCHES_MAX) throw new Error('too many lines wait for their run');
    this.#batches.push({ lines: relevant, isHistory });
    this.look();
  }

  async #takeAll(): Promise<void> {
    const batches = [...this.#batches];
    await this.#learnRuns(batches);
    for (const isHistory of [true, false]) {
      const some = batches.filter((each) => each.isHistory === isHistory);
      const lines = some.flatMap((each) => each.lines);
      if (!this.#task.isEnded) this.#submit(lines, isHistory);
    }
    // A batch that is refused (the store is full) is submitted again later.
    this.#batches = this.#batches.slice(batches.length);
  }

  /** Finds the process of each run that appears for the first time. */
  async #learnRuns(batches: readonly LineBatch[]): Promise<void> {
    const runs = new Set(batches.flatMap(({ lines }) => lines.map(({ text }) => runIn(text))));
    const isKnown = (run: string | undefined): boolean =>
      run === undefined || this.#ownRuns.has(run) || this.#otherRuns.has(run);
    if (this.#log === null || [...runs].every(isKnown)) return;
    this.#ownRuns = await runsOf(this.#context.files, this.#log);
    if (this.#ownRuns.size === 0) return;
    if (this.#otherRuns.size > OTHER_RUNS_MAX) this.#otherRuns.clear();
    for (const run of runs) {
      if (run !== undefined && !this.#ownRuns.has(run)) this.#otherRuns.add(run);
    }
  }

  /** Submits only the last turn of the history. */
  #submit(lines: readonly FileLine[], isHistory: boolean): void {
    let ownLines: FileLine[] = [];
    for (const line of lines) {
      const place = this.#placeOf(line.text);
      if (place === 'begins' && isHistory) ownLines = [];
      if (place !== 'elsewhere') ownLines.push(line);
    }
    this.#evidence.submit({ lines: ownLines.slice(-HELD_LINES_MAX), isHistory }, this.#sessionId);
  }

  /** Whether a line begins a turn of the pane, is of one, or is of something else. */
  #placeOf(text: string): 'begins' | 'inside' | 'elsewhere' {
    if (!this.#ownRuns.has(runIn(text) ?? '')) return 'elsewhere';
    const fields = parseLogLine(text);
    const sessionId = fields['session.id'];
    this.#noteChild(fields['id'], fields['parentID']);
    if (sessionId === undefined) return 'inside';
    if (this.#children.has(sessionId)) return 'elsewhere';
    // The session that was last given a prompt is the pane's.
    const isStart = fields['message'] === 'loop' && fields['step'] === '0';
    if (isStart) this.#sessionId = sessionId;
    if (isStart) return 'begins';
    return sessionId === this.#sessionId ? 'inside' : 'elsewhere';
  }

  #noteChild(sessionId: string | undefined, parentId: string | undefined): void {
    if (sessionId === undefined || parentId === undefined || parentId === 'undefined') return;
    if (this.#children.size >= CHILDREN_MAX) this.#children.clear();
    this.#children.add(sessionId);
  }
}
