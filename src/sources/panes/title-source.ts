// Pane titles as evidence. A title outlives the program that wrote it, so one that stood there
// before the agent came is not the agent's; and a title that turns like a spinner is not reported
// each time it turns.

import type { Adapter, NormalisedSignal, SourceSpec } from '../../agents/adapter.ts';
import type { Claim, Evidence } from '../../schema/evidence.ts';
import type { ChannelName, RuntimeId } from '../../schema/ids.ts';
import { normalise, paneEvidence, sourceOf } from '../evidence.ts';
import type { Daemon, KnownRuntime } from '../known-pane.ts';
import { ownText } from '../own-text.ts';
import { withoutSpinner } from './listing-facts.ts';

/** An unchanged title is read again so often: what settles other claims counts on it. */
const REREAD_MS = 900;
/** New words without a new claim are reported so often: a person looks at them. */
const WORDS_MS = 800;
/** A title that only turns its spinner is reported at most so often. */
const CHATTER_MS = 2_000;
/** An agent that is older has had the time to write its own title. */
const YOUNG_MS = 5_000;

interface TitleMemory {
  title: string;
  /** The last title that differed. */
  previous: string | null;
  changedAtMs: number;
  reportedAtMs: number;
  reported: string;
  reportedTitle: string;
  /** The title from before the agent started; null once the agent wrote its own. */
  foreign: string | null;
  /** It was there before, and says that an agent of the same kind is in the middle of a turn. */
  isLeftAtWork: boolean;
}

/**
 * Whose title it is. One that another of its kind left at work shows, for as long as it stands
 * there, that the agent has written none, and most likely has drawn nothing either.
 */
export type TitleOrigin = 'own' | 'foreign' | 'left_at_work';

export interface TitleReading {
  readonly runtime: KnownRuntime;
  readonly adapter: Adapter;
  readonly title: string;
  /** The title at the last listing before the runtime; null when the pane is new to us. */
  readonly before: string | null;
  /** A shell prompts where the agent's process cannot be seen: what it wrote last is no news. */
  readonly isLeft?: boolean;
}

const leftSignal: NormalisedSignal = { kind: 'claims', type: 'left', claims: [] };

export class TitleSource {
  readonly #memory = new Map<RuntimeId, TitleMemory>();
  readonly #daemon: Daemon;
  readonly #channel: ChannelName;

  constructor(daemon: Daemon, channel: ChannelName) {
    this.#daemon = daemon;
    this.#channel = channel;
  }

  /** The evidence of a title, or null when there is nothing to report now. */
  read(reading: TitleReading): Evidence | null {
    const { runtime, adapter, isLeft = false } = reading;
    const spec = sourceOf(adapter, 'title');
    if (spec === null) return null;
    const nowMs = this.#daemon.nowMs();
    const memory = this.#remember(reading, spec, nowMs);
    if (memory.foreign !== null) return null;
    const context = {
      nowMs,
      previous: memory.previous ?? undefined,
      ...(runtime.sessionKey === null ? {} : { sessionKey: runtime.sessionKey }),
    };
    const signal = isLeft ? leftSignal : normalise(adapter, spec, memory.title, context);
    if (signal?.kind !== 'claims' || !mayReport(memory, signal, nowMs)) return null;
    memory.reportedAtMs = nowMs;
    memory.reported = claimText(signal);
    memory.reportedTitle = memory.title;
    return paneEvidence(signal, this.#daemon, {
      channel: this.#channel,
      spec,
      runtimeId: runtime.runtimeId,
      nowMs,
      atMs: isLeft ? nowMs : memory.changedAtMs,
    });
  }

  /** Whether a title is the agent's own, or was left there by another program. */
  originOf(runtimeId: RuntimeId, title: string): TitleOrigin {
    const memory = this.#memory.get(runtimeId);
    if (!memory || memory.foreign === null || !isSameTitle(memory.foreign, title)) return 'own';
    // What was left stands still.
    return memory.isLeftAtWork && memory.foreign === title ? 'left_at_work' : 'foreign';
  }

  /** Forgets every runtime that is not among the living. */
  keep(living: ReadonlySet<RuntimeId>): void {
    for (const runtimeId of this.#memory.keys()) {
      if (!living.has(runtimeId)) this.#memory.delete(runtimeId);
    }
  }

  #remember(
    { runtime, adapter, title, before }: TitleReading,
    spec: SourceSpec,
    nowMs: number,
  ): TitleMemory {
    const memory = this.#memory.get(runtime.runtimeId);
    if (!memory) {
      const isYoung = nowMs - runtime.startedAtMs < YOUNG_MS;
      const isForeign = before === null ? isYoung : isSameTitle(before, title);
      const own = ownText(title);
      const foreign = isForeign ? own : null;
      const left = isForeign && before !== null ? normalise(adapter, spec, own, { nowMs }) : null;
      const fresh = {
        title: own,
        previous: null,
        changedAtMs: nowMs,
        reportedAtMs: 0,
        reported: '',
        reportedTitle: '',
        foreign,
        isLeftAtWork: left?.kind === 'claims' && left.claims.some(isOfTurn),
      };
      this.#memory.set(runtime.runtimeId, fresh);
      return fresh;
    }
    if (memory.title !== title) {
      memory.previous = memory.foreign === null ? memory.title : null;
      memory.title = ownText(title);
      memory.changedAtMs = nowMs;
      memory.foreign = null;
    }
    return memory;
  }
}

function mayReport(memory: TitleMemory, signal: NormalisedSignal, nowMs: number): boolean {
  const waitedMs = nowMs - memory.reportedAtMs;
  if (claimText(signal) !== memory.reported) return true;
  if (memory.changedAtMs <= memory.reportedAtMs) return waitedMs >= REREAD_MS;
  return waitedMs >= (isSameTitle(memory.title, memory.reportedTitle) ? CHATTER_MS : WORDS_MS);
}

const isOfTurn = ({ says }: Claim): boolean => says === 'running' || says === 'waiting_input';

/** The last program may have left it in the middle of a turn of its spinner, or of a blink. */
const isSameTitle = (a: string, b: string): boolean => withoutSpinner(a) === withoutSpinner(b);

const claimText = ({ claims }: NormalisedSignal): string =>
  claims.map(({ says, covers }) => `${says}:${covers.join()}`).join(';');
