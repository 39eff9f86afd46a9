// The rollouts of one live Codex, which record how its turns end. Their lines become evidence about
// this runtime, with the thread as its session. Rollouts of subagents are left out.

import { type Fields, readFields } from '../../agents/signals/fields.ts';
import { LineRecords } from '../conversations/line-records.ts';
import { type LineBatch, LineFollower } from '../files/line-follower.ts';
import type { AgentFilesContext, LiveAgent } from '../readers/agent-files-source.ts';
import { reconcile } from '../readers/reconcile.ts';
import { TranscriptEvidence } from '../readers/transcript-evidence.ts';
import { isMainRollout } from './thread.ts';

export const ROLLOUT = 'codex-rollout';

/** The first line of a rollout holds the instructions of the model: tens of KB. */
const META_BYTES_MAX = 262_144;
const LINE_FEED = 10;

export interface Rollout {
  readonly threadId: string;
  readonly path: string;
}

/** The name of a thread, where it is known; a rollout does not hold it. */
export type ThreadNames = (threadId: string) => string | null;

export class CodexRollouts implements Disposable {
  readonly #context: AgentFilesContext;
  readonly #runtime: LiveAgent['runtime'];
  readonly #nameOf: ThreadNames;
  readonly #followers = new Map<string, LineFollower>();
  /** Whether a person works with the thread, by the path of its rollout. */
  readonly #areMain = new Map<string, boolean>();
  /** The rollout of the conversation that goes on here. */
  #current: string | null = null;
  /** A turn goes on, by the last line with a claim. */
  #isWorking = false;

  constructor(context: AgentFilesContext, runtime: LiveAgent['runtime'], nameOf: ThreadNames) {
    this.#context = context;
    this.#runtime = runtime;
    this.#nameOf = nameOf;
  }

  get count(): number {
    return this.#followers.size;
  }

  /** Reports an open thread that had no prompt yet; `repeatIndex` makes each report a new one. */
  reportFresh(threadId: string, atMs: number, repeatIndex: number): void {
    // One that is opened beside the work is a subagent's.
    if (this.#isWorking) return;
    const timestamp = new Date(atMs).toISOString();
    const payload = { id: threadId };
    const text = JSON.stringify({ timestamp, ordinal: 0, type: 'session_meta', payload });
    try {
      this.#submit(this.#linesOf(threadId), threadId, {
        lines: [{ text, offset: -repeatIndex, end: -repeatIndex }],
        isHistory: false,
      });
    } catch (error) {
      this.#context.onProblem(String(error));
    }
  }

  /** Follows these and no others. One that is not there yet is waited for. */
  keep(rollouts: readonly Rollout[]): void {
    const wanted = new Map(rollouts.map((rollout) => [rollout.path, rollout]));
    reconcile(this.#followers, wanted, (rollout) => this.#follower(rollout));
    const last = rollouts.at(-1);
    const isGone = this.#current === null || !wanted.has(this.#current);
    if (last !== undefined && isGone) this.#announce(last);
  }

  look(): void {
    for (const follower of this.#followers.values()) follower.look();
  }

  /** The rollouts of threads that a person works with. */
  async mainOf(rollouts: readonly Rollout[]): Promise<readonly Rollout[]> {
    const areMain = await Promise.all(rollouts.map(({ path }) => this.#isMain(path)));
    return rollouts.filter((_, index) => areMain[index]);
  }

  [Symbol.dispose](): void {
    this.keep([]);
  }

  async #isMain(path: string): Promise<boolean> {
    const isKnownMain = this.#areMain.get(path);
    if (isKnownMain !== undefined) return isKnownMain;
    const meta = await this.#firstLine(path);
    if (meta === null) return false;
    const isMain = isMainRollout(meta);
    this.#areMain.set(path, isMain);
    return isMain;
  }

  /** Null while it is not written or is not a line of a rollout. */
  async #firstLine(path: string): Promise<Fields | null> {
    const range = { offset: 0, bytesMax: META_BYTES_MAX };
    const bytes = await this.#context.files.read(path, range);
    const end = bytes?.indexOf(LINE_FEED) ?? -1;
    if (bytes === null || end < 0) return null;
    const fields = readFields(Buffer.from(bytes.subarray(0, end)).toString('utf8'));
    return typeof fields === 'string' ? null : fields;
  }

  #follower({ path, threadId }: Rollout): LineFollower {
    const { files, onProblem } = this.#context;
    const lines = this.#linesOf(threadId);
    return new LineFollower({
      files,
      path,
      isBoundary: (text) => text.includes('"task_started"'),
      onLines: (batch) => {
        this.#submit(lines, threadId, batch);
        // Several may be open: the one that goes on is the pane's.
        if (!batch.isHistory && this.#current !== path) this.#announce({ path, threadId });
      },
      onProblem,
    });
  }

  #announce({ path, threadId }: Rollout): void {
    const { files, announce } = this.#context;
    this.#current = path;
    const follower = () => this.#followers.get(path) ?? null;
    announce(this.#runtime.runtimeId, {
      agent: 'codex',
      sessionId: threadId,
      records: new LineRecords(files, path, follower),
      child: () => null,
    });
  }

  #linesOf(threadId: string): TranscriptEvidence {
    const context = this.#context;
    return new TranscriptEvidence({
      context,
      source: ROLLOUT,
      runtime: this.#runtime,
      name: threadId,
    });
  }

  #submit(lines: TranscriptEvidence, threadId: string, batch: LineBatch): void {
    const title = this.#nameOf(threadId);
    const evidence = lines.submit(batch, threadId, title === null ? {} : { title });
    const last = evidence.flatMap(({ claims }) => claims).at(-1);
    if (last !== undefined) this.#isWorking = last.says === 'running';
  }
}
