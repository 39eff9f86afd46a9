// The last words of one session in the database of opencode or Kilo. It is asked only when the
// database was written to, and from then on only for what is new in it.

import type { RecordBatch } from '../conversations/transcript-records.ts';
import type { MachineFiles } from '../files/machine-files.ts';
import { LastWords, type WordsRecord } from '../readers/last-words.ts';
import type { TranscriptEvidenceOptions } from '../readers/transcript-evidence.ts';
import type { SessionRecords } from './session-records.ts';

/** How far back the last prompt is searched. A turn of an hour has fewer events. */
const HISTORY_RECORDS_MAX = 4_096;

export interface SessionWordsOptions extends TranscriptEvidenceOptions {
  readonly path: string;
  readonly records: SessionRecords;
}

export class SessionWords {
  readonly #files: MachineFiles;
  readonly #path: string;
  readonly #records: SessionRecords;
  readonly #words: LastWords;
  #stamp = '';
  /** The number of the next event; null before the first reading. */
  #next: number | null = null;

  constructor({ path, records, ...options }: SessionWordsOptions) {
    this.#files = options.context.files;
    this.#path = path;
    this.#records = records;
    this.#words = new LastWords(options);
  }

  /** Reads what is new; a reading that failed is made up for when more is written. */
  async read(): Promise<void> {
    const stamp = await this.#writtenAt();
    if (stamp === this.#stamp) return;
    if (this.#next === null) await this.#readLastTurn();
    else await this.#readAfter(this.#next);
    this.#stamp = stamp;
  }

  /** What is written goes first into the log beside the database. */
  async #writtenAt(): Promise<string> {
    const log = await this.#files.facts(`${this.#path}-wal`);
    const facts = log ?? (await this.#files.facts(this.#path));
    return `${facts?.inode} ${facts?.size} ${facts?.modifiedAtMs}`;
  }

  /** Backwards from the end; of what follows the last prompt the newest message is enough. */
  async #readLastTurn(): Promise<void> {
    const end = await this.#records.end();
    if (end === null) return;
    let prompt: WordsRecord | undefined;
    let message: WordsRecord | undefined;
    let count = 0;
    for await (const batch of this.#records.back(end)) {
      const records = wordsRecords(batch);
      prompt = records.findLast(({ text }) => this.#words.has('prompt', text));
      message ??= records.findLast(({ text }) => this.#words.has('message', text));
      count += batch.length;
      if (prompt !== undefined || count >= HISTORY_RECORDS_MAX) break;
    }
    const found = [prompt, message].filter((each) => each !== undefined);
    this.#words.submit(found.sort((a, b) => a.position - b.position));
    this.#next = end;
  }

  async #readAfter(position: number): Promise<void> {
    for await (const batch of this.#records.forward(position)) {
      this.#words.submit(wordsRecords(batch));
      this.#next = batch.at(-1)?.next ?? this.#next;
    }
  }
}

const wordsRecords = (batch: RecordBatch): readonly WordsRecord[] =>
  batch.flatMap(({ position, text }) => (text === null ? [] : [{ position, text }]));
