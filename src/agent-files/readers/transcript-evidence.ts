// Lines of a followed file as evidence about one runtime. The order of the file is the order of the
// evidence, whatever the clocks say that wrote it, and what is from before the agent's own life (a
// session that was resumed) says nothing of it.

import type { NormalisedSignal } from '../../agents/adapter.ts';
import type { ActivityPatch, Evidence } from '../../schema/evidence.ts';
import { id, type SessionKey } from '../../schema/ids.ts';
import type { FileLine, LineBatch } from '../files/line-follower.ts';
import type { AgentFilesContext, LiveAgent } from './agent-files-source.ts';
import { evidenceOfSignal, readSignal } from './signal-evidence.ts';

/** History that is older is old news. The engine believes a clock that is off by as much. */
const NEWS_MS = 10_000;
/** By so much the start of a process may be known too late. */
const START_SLACK_MS = 2_000;
/** What comes now is older only where it was copied (a session that was forked), or by a clock. */
const COPIED_MS = 60_000;

export interface TranscriptEvidenceOptions {
  readonly context: AgentFilesContext;
  /** The source as the agent's adapter calls it. */
  readonly source: string;
  readonly runtime: LiveAgent['runtime'];
  /** Names the file, so that a line without a name of its own has one by its place. */
  readonly name: string;
}

export class TranscriptEvidence {
  readonly #options: TranscriptEvidenceOptions;
  /** The time of the line before; null until one had a time. */
  #lastAtMs: number | null = null;

  constructor(options: TranscriptEvidenceOptions) {
    this.#options = options;
  }

  /** What a line says by itself; null where it says nothing that counts. */
  read(text: string): NormalisedSignal | null {
    return readSignal(this.#options.context, this.#options.source, { raw: text });
  }

  /**
   * Hands in what some lines say, in their order, and gives it. The session is of the caller's
   * knowledge: one that was resumed holds lines of another. So is what is known of it besides.
   */
  submit(
    { lines, isHistory }: LineBatch,
    sessionId: string | null,
    known: ActivityPatch = {},
  ): readonly Evidence[] {
    const session = sessionId === null ? {} : { sessionKey: id<SessionKey>(sessionId) };
    const isMoreKnown = Object.keys(known).length > 0;
    const evidence = lines.flatMap((line) => {
      const read = this.#evidenceOf(line, isHistory);
      if (read === null) return [];
      const activity = isMoreKnown ? { activity: { ...read.activity, ...known } } : {};
      return [{ ...read, ...session, ...activity }];
    });
    const observations = evidence.map((each) => ({ kind: 'evidence', evidence: each }) as const);
    if (observations.length > 0) this.#options.context.daemon.submit(observations);
    return evidence;
  }

  #evidenceOf({ text, offset }: FileLine, isHistory: boolean): Evidence | null {
    const { context, source, runtime, name } = this.#options;
    const { daemon, clockShiftMs } = context;
    const read = this.read(text);
    if (read === null) return null;
    const nowMs = daemon.nowMs();
    const ownMs = read.eventTimeMs === undefined ? null : read.eventTimeMs + clockShiftMs();
    const slackMs = isHistory ? START_SLACK_MS : COPIED_MS;
    if (ownMs !== null && ownMs < runtime.startedAtMs - slackMs) return null;
    const writtenMs = Math.max(ownMs ?? 0, this.#lastAtMs ?? 0);
    if (writtenMs === 0) return null;
    const backfill = writtenMs < daemon.startedAtMs || (isHistory && writtenMs < nowMs - NEWS_MS);
    // A session may be written down long after it began. The engine takes such a time for that of
    // the reading, and the lines that follow may not come before it.
    const atMs = backfill || writtenMs >= nowMs - NEWS_MS ? writtenMs : nowMs;
    this.#lastAtMs = atMs;
    const { sessionKey: _session, ...rest } = read;
    const dedupeKey = read.dedupeKey ?? `${name}:${offset}`;
    const about = { source, runtimeId: runtime.runtimeId, dedupeKey, backfill };
    return evidenceOfSignal(context, { ...rest, eventTimeMs: atMs }, about);
  }
}
