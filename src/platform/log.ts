// The daemon's log: JSON lines by pino into a file that is put aside when it grows, and to stderr
// in the foreground. Every line is written before the call returns, so the last one before an exit
// is there; no worker thread is started. Callers log codes and ids; a long text is cut, because it
// would be somebody's words.

import { closeSync, fchmodSync, fstatSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { type Logger, pino, stdTimeFunctions } from 'pino';
import { type LogLevel, logLevels } from '../schema/config.ts';

export type LogFields = Readonly<Record<string, unknown>>;

/** What parts of the daemon log with. */
export type Log = {
  readonly [Level in Exclude<LogLevel, 'silent'>]: (fields: LogFields, message: string) => void;
};

export interface LogOptions {
  readonly level: LogLevel;
  /** Absent: no file. */
  readonly file?: string;
  readonly fileBytesMax?: number;
  /** How many files that were put aside are kept: `<file>.1` is the newest. */
  readonly filesMax?: number;
  /** Also to stderr: somebody sits before it. */
  readonly foreground?: boolean;
}

const FILE_BYTES_MAX = 5_000_000;
const FILES_MAX = 3;
const TEXT_LENGTH_MAX = 500;
const STACK_LENGTH_MAX = 4_000;

/** The level that AGTMUX_LOG names; null when it names none. */
export function logLevelOf(text: string | undefined): LogLevel | null {
  return logLevels.find((level) => level === text?.trim().toLowerCase()) ?? null;
}

const cut = (text: string, length = TEXT_LENGTH_MAX): string =>
  text.length > length ? `${text.slice(0, length)}… (${text.length} characters)` : text;

/** An error without what its properties may carry: payloads, whole requests. */
function errorFields(error: Error): LogFields {
  const { name, message, stack, cause } = error;
  return {
    type: name,
    ...('code' in error && typeof error.code === 'string' ? { code: error.code } : {}),
    message: cut(message),
    ...(stack === undefined ? {} : { stack: cut(stack, STACK_LENGTH_MAX) }),
    ...(cause instanceof Error ? { cause: cut(`${cause.name}: ${cause.message}`) } : {}),
  };
}

function shortValue(value: unknown): unknown {
  if (typeof value === 'string') return cut(value);
  if (value instanceof Error) return errorFields(value);
  if (typeof value !== 'object' || value === null) return value;
  try {
    const text = JSON.stringify(value) ?? '';
    return text.length > TEXT_LENGTH_MAX ? cut(text) : value;
  } catch {
    // A cycle, or a value that JSON does not have. Logging never throws.
    return '[unprintable]';
  }
}

// pino asks for its own kind of record here.
const shortFields = (fields: LogFields): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, shortValue(value)]));

/** A file that is appended to, line by line, and put aside before it grows over its bound. */
class LogFile {
  readonly #path: string;
  readonly #bytesMax: number;
  readonly #filesMax: number;
  #file: number | null = null;
  #bytes = 0;
  #lostCount = 0;

  constructor(path: string, bytesMax: number, filesMax: number) {
    this.#path = path;
    this.#bytesMax = bytesMax;
    this.#filesMax = filesMax;
  }

  // A full disk or a folder that is gone must not end the daemon: lines are lost then, and counted.
  write(line: string): void {
    try {
      const bytes = Buffer.byteLength(line);
      if (this.#file !== null && this.#bytes + bytes > this.#bytesMax) this.#putAside();
      this.#file ??= this.#open();
      if (this.#lostCount > 0) this.#append(`{"level":"warn","lostLines":${this.#lostCount}}\n`);
      this.#lostCount = 0;
      this.#append(line);
    } catch {
      this.#lostCount += 1;
      this.close();
    }
  }

  close(): void {
    const file = this.#file;
    this.#file = null;
    if (file === null) return;
    try {
      closeSync(file);
    } catch {
      // The descriptor is gone in any case.
    }
  }

  #open(): number {
    const file = openSync(this.#path, 'a', 0o600);
    const { size, mode } = fstatSync(file);
    if ((mode & 0o077) !== 0) fchmodSync(file, 0o600);
    this.#bytes = size;
    return file;
  }

  // One call a line, in append mode: lines of two processes never mix.
  #append(line: string): void {
    if (this.#file === null) return;
    const bytes = Buffer.from(line);
    let written = 0;
    while (written < bytes.length) written += writeSync(this.#file, bytes, written);
    this.#bytes += bytes.length;
  }

  #putAside(): void {
    this.close();
    rmSync(`${this.#path}.${this.#filesMax}`, { force: true });
    for (let place = this.#filesMax; place >= 1; place -= 1) {
      const from = place === 1 ? this.#path : `${this.#path}.${place - 1}`;
      try {
        renameSync(from, `${this.#path}.${place}`);
      } catch {
        // There are not that many yet.
      }
    }
  }
}

// Whoever reads our stderr may be gone or slow; that is no reason to end or to wait.
function toStderr(line: string): void {
  try {
    writeSync(2, line);
  } catch {
    // See above.
  }
}

/** Owns the log file. `log` is what the rest of the daemon is given. */
export class LogOutput implements Disposable {
  readonly log: Log;
  readonly #pino: Logger;
  readonly #file: LogFile | null;

  constructor(options: LogOptions) {
    const { level, file, fileBytesMax = FILE_BYTES_MAX, filesMax = FILES_MAX } = options;
    this.#file = file === undefined ? null : new LogFile(file, fileBytesMax, filesMax);
    const write = (line: string): void => {
      this.#file?.write(line);
      if (options.foreground === true) toStderr(line);
    };
    this.#pino = pino(
      {
        level,
        base: { pid: process.pid },
        timestamp: stdTimeFunctions.isoTime,
        formatters: { level: (label) => ({ level: label }), log: shortFields },
        // pino would print the stack and every property of an error under `err`.
        serializers: { err: (value: unknown) => value },
      },
      { write },
    );
    const writer =
      (name: Exclude<LogLevel, 'silent'>) =>
      (fields: LogFields, message: string): void =>
        this.#pino[name](fields, '%s', cut(message));
    this.log = {
      trace: writer('trace'),
      debug: writer('debug'),
      info: writer('info'),
      warn: writer('warn'),
      error: writer('error'),
    };
  }

  set level(level: LogLevel) {
    this.#pino.level = level;
  }

  /** The next line opens the file anew: it was moved away by somebody else. */
  reopen(): void {
    this.#file?.close();
  }

  [Symbol.dispose](): void {
    this.#file?.close();
  }
}
