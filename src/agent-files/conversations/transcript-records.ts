// A transcript as records with places, read from any place in either direction. A file of lines is
// one (line-records.ts); what keeps its conversations in a database is another.

export interface TranscriptRecord {
  /** Grows through the transcript. */
  readonly position: number;
  /** The position of what follows. */
  readonly next: number;
  /** Null where it is too long to be read. */
  readonly text: string | null;
  /** What stands right before it, where the parser needs that; null where nothing does. */
  readonly before?: string | null;
}

export type RecordBatch = readonly TranscriptRecord[];

export interface TranscriptRecords {
  /** The end of what is whole; null where there is no transcript. */
  end(): Promise<number | null>;
  /** The record that begins at that position; null where none does. */
  at(position: number): Promise<TranscriptRecord | null>;
  /** Batches in the order of the transcript, the last batch before `end` first. */
  back(end: number): AsyncIterable<RecordBatch>;
  /** Batches from a position on, up to the last whole record. */
  forward(position: number): AsyncIterable<RecordBatch>;
  /** New records may be there, or the transcript is another one. */
  watch(listener: RecordsListener): Disposable;
}

export interface RecordsListener {
  readonly onChange: () => void;
  /** Records that another reader of the same transcript has just read. */
  readonly onRecords: (records: RecordBatch) => void;
}
