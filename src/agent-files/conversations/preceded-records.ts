// Records that know what stands right before them, for agents whose records mean something else
// after one record than after another. Wraps any transcript; what is read more is one batch.

import type {
  RecordBatch,
  RecordsListener,
  TranscriptRecord,
  TranscriptRecords,
} from './transcript-records.ts';

export class PrecededRecords implements TranscriptRecords {
  readonly #records: TranscriptRecords;

  constructor(records: TranscriptRecords) {
    this.#records = records;
  }

  end(): Promise<number | null> {
    return this.#records.end();
  }

  async at(position: number): Promise<TranscriptRecord | null> {
    const record = await this.#records.at(position);
    return record && { ...record, before: await this.#textBefore(position) };
  }

  async *back(end: number): AsyncGenerator<RecordBatch, void, undefined> {
    // The first record of a batch follows the last one of the batch that comes next.
    let waiting: RecordBatch | null = null;
    for await (const batch of this.#records.back(end)) {
      const last = batch.at(-1);
      if (last === undefined) continue;
      if (waiting) yield preceded(waiting, last.text);
      waiting = batch;
    }
    if (waiting) yield preceded(waiting, null);
  }

  async *forward(position: number): AsyncGenerator<RecordBatch, void, undefined> {
    let before = await this.#textBefore(position);
    for await (const batch of this.#records.forward(position)) {
      yield preceded(batch, before);
      before = (batch.at(-1) ?? { text: before }).text;
    }
  }

  /** What another reader has just read comes without the record before it, so it is read here. */
  watch({ onChange }: RecordsListener): Disposable {
    return this.#records.watch({ onChange, onRecords: onChange });
  }

  async #textBefore(position: number): Promise<string | null> {
    for await (const batch of this.#records.back(position)) {
      const last = batch.at(-1);
      if (last) return last.text;
    }
    return null;
  }
}

const preceded = (batch: RecordBatch, before: string | null): RecordBatch =>
  batch.map((record, index) => ({
    ...record,
    before: index === 0 ? before : textAt(batch, index),
  }));

const textAt = (batch: RecordBatch, index: number): string | null => batch[index - 1]?.text ?? null;
