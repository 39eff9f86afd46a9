// Makes evidence about one runtime from the lines of a followed file. The order of the file is the
// order of the evidence, whatever the timestamps say. Lines from before the process started (a
// resumed session) are left out.

import type { NormalisedSignal } from '../../agents/adapter.ts';
import type { ActivityPatch, Evidence } from '../../schema/evidence.ts';
import { id, type SessionKey } from '../../schema/ids.ts';
import type { FileLine } from '../files/line-cutter.ts';
import type { LineBatch } from '../files/line-follower.ts';
import type { AgentFilesContext, LiveAgent } from './agent-files-source.ts';
import { evidenceOfSignal, readSignal } from './signal-evidence.ts';

/** Older history is backfill. */
const NEWS_MS = 10_000;
/** The recorded start of a process may be too late by this much. */
const START_SLACK_MS = 2_000;
/** A new line that is older was copied (a forked session), or the clock is off. */
const COPIED_MS = 60_000;

export interface TranscriptEvidenceOptions {
  readonly context: AgentFilesContext;
  /** The source as the agent's adapter calls it. */
  readonly source: string;
  readonly runtime: LiveAgent['runtime'];
  /** Names the file: with its offset it identifies a line that has no id of its own. */
  readonly name: string;
}

export class TranscriptEvidence {
  readonly #options: TranscriptEvidenceOptions;
  /** The time of the previous line; null until a line had one. */
  #lastAtMs: number | null = null;
  #lastSeq = 0;

  constructor(options: TranscriptEvidenceOptions) {
    this.#options = options;
  }

  /** The signal of one line, or null. */
  read(text: string): NormalisedSignal | null {
    return readSignal(this.#options.context, this.#options.source, { raw: text });
  }

  /**
   * Submits the evidence of some lines, in their order, and returns it. The caller names the
   * session, because a resumed one holds lines of another, and may add to the activity.
   */
  submit(
    { lines, isHistory }: LineBatch,
    sessionId: string | null,
    extraActivity: ActivityPatch = {},
  ): readonly Evidence[] {
    const session = sessionId === null ? {} : { sessionKey: id<SessionKey>(sessionId) };
    const hasExtra = Object.keys(extraActivity).length > 0;
    const evidence = lines.flatMap((line) => {
      const own = this.#evidenceOf(line, isHistory);
      if (own === null) return [];
      const activity = hasExtra ? { activity: { ...own.activity, ...extraActivity } } : {};
      return [{ ...own, ...session, ...activity }];
    });
    const observations = evidence.map((each) => ({ kind: 'evidence', evidence: each }) as const);
    if (observations.length > 0) this.#options.context.daemon.submit(observations);
    return evidence;
  }

  #evidenceOf({ text, offset }: FileLine, isHistory: boolean): Evidence | null {
    const { context, source, runtime, name } = this.#options;
    const { daemon, toDaemonMs } = context;
    const signal = this.read(text);
    if (signal === null) return null;
    const nowMs = daemon.nowMs();
    const { eventTimeMs } = signal;
    const ownMs = eventTimeMs === undefined ? null : toDaemonMs(eventTimeMs);
    const slackMs = isHistory ? START_SLACK_MS : COPIED_MS;
    if (ownMs !== null && ownMs < runtime.startedAtMs - slackMs) return null;
    const writtenMs = Math.max(ownMs ?? 0, this.#lastAtMs ?? 0);
    if (writtenMs === 0) return null;
    const backfill = writtenMs < daemon.startedAtMs || (isHistory && writtenMs < nowMs - NEWS_MS);
    this.#lastAtMs = Math.min(writtenMs, nowMs);
    const { sessionKey: _session, ...rest } = signal;
    const dedupeKey = signal.dedupeKey ?? `${name}:${offset}`;
    const about = { source, runtimeId: runtime.runtimeId, dedupeKey, backfill };
    const numbered = { ...rest, ...this.#sequenceOf(signal), eventTimeMs: writtenMs };
    return evidenceOfSignal(context, numbered, about);
  }

  /** Some agents number by their clock, which may be set back; the file is in order. */
  #sequenceOf({ sourceSeq }: NormalisedSignal): { readonly sourceSeq?: number } {
    if (sourceSeq === undefined) return {};
    this.#lastSeq = Math.max(sourceSeq, this.#lastSeq + 1);
    return { sourceSeq: this.#lastSeq };
  }
}
