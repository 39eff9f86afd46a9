// One living Codex: what its process holds open, the rollouts that tell how its turns end, and the
// thread of an app server that was found to be its own. Everything told of the thread is told of
// this runtime with the thread as its session, so that hooks find their pane by the thread.

import type { ChannelName, RuntimeId } from '../../schema/ids.ts';
import type { Seat, VendorContext } from '../agent-files-source.ts';
import { AskedWork } from '../asked-work.ts';
import type { SeatReader } from '../seats.ts';
import type { CodexClient } from './binding.ts';
import {
  type CodexProcess,
  codexProcess,
  type OpenThreads,
  openThreads,
  workingFolder,
} from './process.ts';
import { CodexRollouts, type Rollout, type ThreadNames } from './rollouts.ts';
import { CodexServed } from './served.ts';
import type { ThreadStatus } from './server.ts';
import { bornAtMs, type CodexThread } from './thread.ts';

/** A young one is looked at often: its thread is there in seconds, and hooks wait for it. */
const YOUNG_MS = 60_000;
const LOOK_YOUNG_MS = 900;
const LOOK_OLD_MS = 10_000;
/** The rollout of a thread that was opened with a prompt is there in a moment. */
const LOOK_SOON_MS = 250;
const SOON_MAX = 40;
const FRESH_TELLS_MS: readonly number[] = [0, 1_000, 2_500, 5_000];
/** By then it has written a title of its own, whatever stood there before. */
const OWN_TITLE_MS = 5_000;

interface Looked {
  readonly process: CodexProcess;
  readonly cwd: string | null;
}

export interface CodexSeatOptions {
  readonly onLooked: () => void;
  readonly nameOf: ThreadNames;
}

export class CodexSeat implements SeatReader {
  readonly #context: VendorContext;
  readonly #onLooked: () => void;
  readonly #rollouts: CodexRollouts;
  readonly #served: CodexServed;
  readonly #looking: AskedWork;
  /** What a program before it may have left in the pane; null where it cannot be that. */
  readonly #foreignTitle: string | null;
  #seat: Seat;
  #looked: Looked | null = null;
  /** The rollouts that the process itself holds open. */
  #own: readonly Rollout[] = [];
  /** It holds its threads itself; null until that was looked at. */
  #isHolder: boolean | null = null;
  /** A thread of its own without a rollout, and how old it is when that is told again. */
  #freshId: string | null = null;
  #freshTells: readonly number[] = [];
  #nextLookAtMs = 0;
  #lookedTitle = '';
  #soon: NodeJS.Timeout | undefined;
  #soonCount = 0;

  constructor(context: VendorContext, seat: Seat, { onLooked, nameOf }: CodexSeatOptions) {
    this.#context = context;
    this.#seat = seat;
    this.#onLooked = onLooked;
    this.#rollouts = new CodexRollouts(context, seat.runtime, nameOf);
    this.#served = new CodexServed(context, seat.runtime);
    this.#looking = new AskedWork(
      () => this.#look(),
      (error) => context.onProblem(String(error)),
    );
    const ageMs = context.daemon.nowMs() - seat.runtime.startedAtMs;
    this.#foreignTitle = ageMs < OWN_TITLE_MS ? seat.pane.facts.title : null;
  }

  get runtimeId(): RuntimeId {
    return this.#seat.runtime.runtimeId;
  }

  get process(): CodexProcess | null {
    return this.#looked?.process ?? null;
  }

  get isFollowing(): boolean {
    return this.#rollouts.count > 0;
  }

  /** The threads that the process itself holds open. */
  get heldThreadIds(): readonly string[] {
    return this.#own.map(({ threadId }) => threadId);
  }

  /** As a client of a server; null where it is none, or where that is not known yet. */
  client(): CodexClient | null {
    const { runtime, pane } = this.#seat;
    if (this.#looked === null || this.#isHolder !== false) return null;
    const { process, cwd } = this.#looked;
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
  update(seat: Seat): void {
    this.#seat = seat;
    this.#served.retry();
    this.#rollouts.look();
    // Its title changes when it begins to work, and then its first rollout is there.
    const mayHaveBegun = !this.isFollowing && seat.pane.facts.title !== this.#lookedTitle;
    if (mayHaveBegun || this.#context.daemon.nowMs() >= this.#nextLookAtMs) this.look();
  }

  /** A thread was opened or closed somewhere: the name of a lock is there before its holder. */
  stir(): void {
    this.look();
    this.#lookLater();
  }

  /** Looks at the process, soon. */
  look(): void {
    this.#looking.ask();
  }

  /** A thread of a server is this one's; null: one may be, and it is not clear which. */
  sit(thread: CodexThread | null, channel: ChannelName): void {
    this.#served.sit(thread, channel);
    this.#follow();
  }

  /** No server has a thread that may be this one's. */
  stand(): void {
    this.#served.stand();
    this.#follow();
  }

  /** What a server says of a thread, when that sits here. */
  tell(threadId: string, told: ThreadStatus, channel: ChannelName): void {
    this.#served.tell(threadId, told, channel);
  }

  [Symbol.dispose](): void {
    this.#looking[Symbol.dispose]();
    clearTimeout(this.#soon);
    this.#rollouts[Symbol.dispose]();
  }

  async #look(): Promise<void> {
    const nowMs = this.#context.daemon.nowMs();
    const isYoung = nowMs - this.#seat.runtime.startedAtMs < YOUNG_MS;
    this.#nextLookAtMs = nowMs + (isYoung ? LOOK_YOUNG_MS : LOOK_OLD_MS);
    this.#lookedTitle = this.#seat.pane.facts.title;
    try {
      await this.#lookAtProcess();
    } finally {
      if (isYoung) this.#lookSoon();
    }
  }

  async #lookAtProcess(): Promise<void> {
    const { files, isLocal } = this.#context;
    if (this.#looked === null) {
      const process = await codexProcess(files, this.#seat.runtime.pid);
      if (process === null) return;
      this.#looked = { process, cwd: isLocal ? await workingFolder(process) : null };
    }
    const open = await openThreads(files, this.#looked.process.pid);
    if (open === null) return;
    const own = await this.#rollouts.mainOf(open.rollouts);
    if (this.#looking.isEnded) return;
    this.#own = own;
    // One that has held a thread never becomes a client of a server.
    this.#isHolder = this.#isHolder === true || open.threadIds.length > 0;
    this.#tellFresh(open);
    this.#follow();
    this.#onLooked();
  }

  /**
   * A thread without a rollout has had no prompt: it begins. Told again soon after, because a TUI
   * looks busy for a moment while it opens a thread, and that is no turn which somebody stopped.
   */
  #tellFresh({ threadIds, rollouts }: OpenThreads): void {
    const births = threadIds.map((threadId) => ({ threadId, atMs: bornAtMs(threadId) ?? 0 }));
    const youngest = births.sort((a, b) => a.atMs - b.atMs).at(-1);
    const isUsed = rollouts.some(({ threadId }) => threadId === youngest?.threadId);
    if (youngest === undefined || isUsed) return;
    if (this.#freshId !== youngest.threadId) this.#freshTells = [...FRESH_TELLS_MS];
    this.#freshId = youngest.threadId;
    const nowMs = this.#context.daemon.nowMs();
    const [nextMs = Number.POSITIVE_INFINITY, ...later] = this.#freshTells;
    if (nowMs < youngest.atMs + nextMs) return;
    const atMs = nextMs === 0 ? youngest.atMs : nowMs;
    this.#rollouts.begin(youngest.threadId, atMs, later.length);
    this.#freshTells = later;
    if (later[0] !== undefined) this.#nextLookAtMs = youngest.atMs + later[0];
  }

  #lookSoon(): void {
    const isOpening = this.#isHolder === true && !this.isFollowing;
    if (!isOpening || this.#looking.isEnded || this.#soonCount >= SOON_MAX) return;
    this.#soonCount += 1;
    this.#lookLater();
  }

  #lookLater(): void {
    if (this.#looking.isEnded) return;
    clearTimeout(this.#soon);
    this.#soon = setTimeout(() => this.look(), LOOK_SOON_MS).unref();
  }

  #follow(): void {
    if (this.#looking.isEnded) return;
    this.#rollouts.keep([...this.#own, ...this.#served.rollouts]);
  }
}
