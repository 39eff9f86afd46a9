// One session in the database of opencode or Kilo as the records of a transcript: its events, which
// are only ever added, each at its number. A text is written when it begins and again when it is
// whole, after what the model did meanwhile; so it is read with its final words at its beginning,
// and what follows a text that is still being written waits for it.

import { setImmediate as otherWork } from 'node:timers/promises';
import {
  type Fields,
  fieldsAt,
  idAt,
  numberAt,
  readFields,
  textAt,
  valueAt,
} from '../../agents/signals/fields.ts';
import type {
  RecordBatch,
  RecordsListener,
  TranscriptRecord,
  TranscriptRecords,
} from '../conversations/transcript-records.ts';
import type { MachineFiles } from '../files/machine-files.ts';
import {
  inSessionDatabase,
  type SessionDatabase,
  type SessionEventRow,
} from './session-database.ts';

const BATCH = 128;
/** Of one step of the model; texts that are not whole are looked for so far back. */
const TAIL_MAX = 512;

interface ReadEvent {
  readonly record: TranscriptRecord;
  /** A text that is still being written. */
  readonly isOpen: boolean;
}

export class SessionRecords implements TranscriptRecords {
  readonly #files: MachineFiles;
  readonly #path: string;
  readonly #session: string;

  constructor(files: MachineFiles, path: string, session: string) {
    this.#files = files;
    this.#path = path;
    this.#session = session;
  }

  end(): Promise<number | null> {
    return this.#ask((database) => {
      const last = database.lastSeq(this.#session);
      if (last === null) return null;
      const tail = database.before(this.#session, last + 1, TAIL_MAX);
      const open = this.#read(database, tail).find(({ isOpen }) => isOpen);
      return open?.record.position ?? last + 1;
    });
  }

  at(position: number): Promise<TranscriptRecord | null> {
    return this.#ask((database) => {
      const rows = database.after(this.#session, position, 1);
      const [found] = this.#read(database, rows);
      return found?.record.position === position ? found.record : null;
    });
  }

  async *back(end: number): AsyncGenerator<RecordBatch, void, undefined> {
    let before = end;
    for (;;) {
      const found = await this.#ask((database) => {
        const rows = database.before(this.#session, before, BATCH);
        return { rows, events: this.#read(database, rows) };
      });
      const first = found?.rows[0];
      if (!found || !first) return;
      before = first.seq;
      if (found.events.length > 0) yield found.events.map(({ record }) => record);
      await otherWork();
    }
  }

  async *forward(position: number): AsyncGenerator<RecordBatch, void, undefined> {
    let from = position;
    for (;;) {
      const found = await this.#ask((database) => {
        const rows = database.after(this.#session, from, BATCH);
        return { rows, events: this.#read(database, rows) };
      });
      const last = found?.rows.at(-1);
      if (!found || !last) return;
      from = last.seq + 1;
      const open = found.events.findIndex(({ isOpen }) => isOpen);
      const whole = open < 0 ? found.events : found.events.slice(0, open);
      if (whole.length > 0) yield whole.map(({ record }) => record);
      if (open >= 0) return;
      await otherWork();
    }
  }

  watch({ onChange }: RecordsListener): Disposable {
    return this.#files.watch(`${this.#path}-wal`, onChange);
  }

  #ask<Answer>(question: (database: SessionDatabase) => Answer): Promise<Answer | null> {
    return inSessionDatabase(this.#files, this.#path, question);
  }

  /** Without the events of messages that are no more: a person took them back. */
  #read(database: SessionDatabase, rows: readonly SessionEventRow[]): readonly ReadEvent[] {
    const messages = new Map<string, Fields | null>();
    const messageOf = (id: string): Fields | null => {
      const known = messages.get(id);
      if (known !== undefined) return known;
      const found = readFields(database.message(this.#session, id));
      const message = typeof found === 'string' ? null : found;
      messages.set(id, message);
      return message;
    };
    return rows.flatMap((row) => this.#event(database, row, messageOf) ?? []);
  }

  #event(
    database: SessionDatabase,
    { seq, type, data }: SessionEventRow,
    messageOf: (id: string) => Fields | null,
  ): ReadEvent | null {
    const place = { position: seq, next: seq + 1 };
    const fields = readFields(data);
    if (typeof fields === 'string') return { record: { ...place, text: data }, isOpen: false };
    const id = idAt(fields, 'part.messageID', 'info.id') ?? '';
    const message = messageOf(id);
    if (message === null) return null;
    const isText = /^(?:text|reasoning)$/.test(textAt(fields, 'part.type') ?? '');
    const part = isText ? database.part(this.#session, idAt(fields, 'part.id') ?? '') : null;
    const isOpen =
      isText &&
      !isWhole(part) &&
      isBeingWritten(message) &&
      !database.isFollowed(this.#session, id);
    const about = {
      role: textAt(message, 'role'),
      model: textAt(message, 'modelID'),
      mode: textAt(message, 'mode'),
      turn: idAt(message, 'parentID') ?? id,
    };
    const head = `"type":${JSON.stringify(type)},"message":${JSON.stringify(about)}`;
    return {
      record: { ...place, text: `{${head},"finished":${part ?? 'null'},"data":${data}}` },
      isOpen,
    };
  }
}

const isBeingWritten = (message: Fields): boolean =>
  textAt(message, 'role') === 'assistant' && numberAt(message, 'time.completed') === undefined;

const isWhole = (part: string | null): boolean => {
  const fields = readFields(part);
  return typeof fields !== 'string' && valueAt(fieldsAt(fields, 'time') ?? {}, 'end') !== undefined;
};
