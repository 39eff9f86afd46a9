// The windows whose size a viewer has set, with how they were before, in a file: a daemon that was
// killed puts them back when it is started again.

import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import type { TargetId } from '../../schema/ids.ts';
import { branded } from '../../schema/shapes.ts';

/** A server that has not answered for so long has other windows now. */
const AGE_MS_MAX = 7 * 24 * 3_600_000;
/** More are not sized at a time. */
export const SIZED_WINDOWS_MAX = 256;

const side = z.number().int().min(1).max(10_000);
const noteSchema = z.strictObject({
  targetId: branded<TargetId>(),
  server: z.string().max(512),
  windowId: z.string().regex(/^@\d+$/),
  atMs: z.number(),
  before: z.strictObject({
    life: z.strictObject({
      serverPid: z.number().int().nonnegative(),
      startTime: z.number().int().nonnegative(),
    }),
    cols: side,
    rows: side,
    option: z.string().regex(/^[a-z]{0,20}$/),
    layout: z.string().max(8_192).nullable(),
  }),
});
export type SizeNote = z.infer<typeof noteSchema>;
const notesSchema = z.array(noteSchema);

export class SizeNotes {
  readonly #file: string;
  readonly #notes = new Map<string, SizeNote>();

  constructor(file: string, nowMs: number) {
    this.#file = file;
    for (const note of readNotes(file)) {
      if (nowMs - note.atMs < AGE_MS_MAX) this.#notes.set(keyOfWindow(note), note);
    }
  }

  get all(): readonly SizeNote[] {
    return [...this.#notes.values()];
  }

  get isFull(): boolean {
    return this.#notes.size >= SIZED_WINDOWS_MAX;
  }

  /** False where it cannot be written: then nothing may be changed. */
  add(note: SizeNote): boolean {
    this.#notes.set(keyOfWindow(note), note);
    if (this.#isWritten()) return true;
    this.#notes.delete(keyOfWindow(note));
    return false;
  }

  /** The window is as it was. A note that a full disk keeps does no harm: it no longer fits. */
  remove(window: Pick<SizeNote, 'targetId' | 'server' | 'windowId'>): void {
    if (this.#notes.delete(keyOfWindow(window))) this.#isWritten();
  }

  #isWritten(): boolean {
    try {
      replaceFile(this.#file, `${JSON.stringify(this.all)}\n`);
      return true;
    } catch {
      // The disk is full, perhaps.
      return false;
    }
  }
}

export const keyOfWindow = ({
  targetId,
  server,
  windowId,
}: Pick<SizeNote, 'targetId' | 'server' | 'windowId'>): string =>
  `${windowId} ${targetId} ${server}`;

function replaceFile(path: string, text: string): void {
  const draft = `${path}.new`;
  const file = openSync(draft, 'w', 0o600);
  try {
    writeFileSync(file, text);
    // The machine of the window may live on when this one loses its power.
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
}

function readNotes(file: string): readonly SizeNote[] {
  try {
    const read = notesSchema.safeParse(JSON.parse(readFileSync(file, 'utf8')));
    return read.success ? read.data.slice(0, SIZED_WINDOWS_MAX) : [];
  } catch {
    // There is none: no window was sized.
    return [];
  }
}
