// The conversation that an agent has at the moment, as its reader found it. A reader announces it;
// it can be read for as long as its transcript is there, also after the agent has ended.

import type { RuntimeId } from '../../schema/ids.ts';
import type { TranscriptRecords } from './transcript-records.ts';

export interface Transcript {
  readonly agent: string;
  /** How its records are written, where that is not the agent's own way. */
  readonly format?: string;
  readonly sessionId: string;
  readonly records: TranscriptRecords;
  /** The records of a subagent, by the id that entries name; null where it has none. */
  readonly child: (agentId: string) => TranscriptRecords | null;
}

/** Called when it is found, and when the agent changes to another. */
export type AnnounceTranscript = (runtimeId: RuntimeId, transcript: Transcript) => void;

/** Agents whose transcripts are remembered; more live nowhere at once. */
const TRANSCRIPTS_MAX = 500;

export class KnownTranscripts {
  readonly #byRuntime = new Map<RuntimeId, Transcript>();
  readonly #listeners = new Set<(runtimeId: RuntimeId) => void>();

  of(runtimeId: RuntimeId): Transcript | null {
    return this.#byRuntime.get(runtimeId) ?? null;
  }

  /** Called after an agent has begun a conversation, until it is disposed of. */
  onChange(listener: (runtimeId: RuntimeId) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
  }

  readonly announce: AnnounceTranscript = (runtimeId, transcript) => {
    this.#byRuntime.delete(runtimeId);
    this.#byRuntime.set(runtimeId, transcript);
    const [oldest] = this.#byRuntime.keys();
    if (this.#byRuntime.size > TRANSCRIPTS_MAX && oldest !== undefined) {
      this.#byRuntime.delete(oldest);
    }
    for (const listener of this.#listeners) listener(runtimeId);
  };
}
