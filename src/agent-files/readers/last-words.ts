// The last words of a transcript as evidence: of many records that are read at once only the newest
// prompt and message, and nothing where they are the same as before.

import type { NormalisedSignal } from '../../agents/adapter.ts';
import type { ActivityPatch } from '../../schema/evidence.ts';
import { evidenceOfSignal, readSignal } from './signal-evidence.ts';
import type { TranscriptEvidenceOptions } from './transcript-evidence.ts';

/** The recorded start of a process may be too late by this much. */
const START_SLACK_MS = 2_000;

export interface WordsRecord {
  readonly text: string;
  /** With the name of the transcript it identifies the record. */
  readonly position: number;
}

export class LastWords {
  readonly #options: TranscriptEvidenceOptions;
  #words: ActivityPatch = {};
  #lastAtMs = 0;

  constructor(options: TranscriptEvidenceOptions) {
    this.#options = options;
  }

  /** Whether a prompt of the person, or a message of the agent, is in the record. */
  has(words: 'prompt' | 'message', text: string): boolean {
    return this.#read(text)?.activity?.[words] !== undefined;
  }

  /** Takes records in their order. What the daemon refuses is thrown, and may be tried again. */
  submit(records: readonly WordsRecord[]): void {
    const { context, source, runtime, name } = this.#options;
    const found = records.flatMap(({ text, position }) => {
      const signal = this.#read(text);
      return signal === null || this.#isOfEarlierRun(signal) ? [] : [{ signal, position }];
    });
    const last = found.at(-1);
    const newest = (words: 'prompt' | 'message') =>
      found.findLast(({ signal }) => signal.activity?.[words] !== undefined)?.signal.activity?.[
        words
      ];
    const activity = this.#newsIn({ prompt: newest('prompt'), message: newest('message') });
    if (last === undefined || Object.keys(activity).length === 0) return;
    const { signal, position } = last;
    const nowMs = context.daemon.nowMs();
    const ownMs = signal.eventTimeMs === undefined ? nowMs : context.toDaemonMs(signal.eventTimeMs);
    const eventTimeMs = Math.max(Math.min(ownMs, nowMs), this.#lastAtMs);
    const about = { source, runtimeId: runtime.runtimeId, dedupeKey: `${name}:${position}` };
    const evidence = evidenceOfSignal(context, { ...signal, activity, eventTimeMs }, about);
    if (evidence === null) return;
    context.daemon.submit([{ kind: 'evidence', evidence }]);
    this.#words = { ...this.#words, ...activity };
    this.#lastAtMs = eventTimeMs;
  }

  #read(text: string): NormalisedSignal | null {
    return readSignal(this.#options.context, this.#options.source, { raw: text });
  }

  /** Copied from, or written in, a run before this process. */
  #isOfEarlierRun({ eventTimeMs }: NormalisedSignal): boolean {
    const { context, runtime } = this.#options;
    if (eventTimeMs === undefined) return false;
    return context.toDaemonMs(eventTimeMs) < runtime.startedAtMs - START_SLACK_MS;
  }

  #newsIn({ prompt, message }: ActivityPatch): ActivityPatch {
    const isNews = (text: string | null | undefined, before: string | null | undefined): boolean =>
      text !== undefined && text !== before;
    return {
      ...(isNews(prompt, this.#words.prompt) ? { prompt } : {}),
      ...(isNews(message, this.#words.message) ? { message } : {}),
    };
  }
}
