// The daemon's log: JSON lines into a file, and to stderr in the foreground. Callers log codes and
// ids; a long text is cut, because it may hold what a person or an agent wrote.

import { writeSync } from 'node:fs';
import { type LogLevel, logLevels } from '../schema/config.ts';
import { LogFile } from './files/log-file.ts';

type LogFields = Readonly<Record<string, unknown>>;

type LineLevel = Exclude<LogLevel, 'silent'>;

/** What parts of the daemon log with. */
export type Log = {
  readonly [Level in LineLevel]: (fields: LogFields, message: string) => void;
};

export interface LogOptions {
  readonly level: LogLevel;
  /** Absent: no file. */
  readonly file?: string;
  readonly fileBytesMax?: number;
  /** How many rotated files are kept: `<file>.1` is the newest. */
  readonly filesMax?: number;
  /** Also to stderr. */
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
  if (typeof value === 'bigint') return String(value);
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

const shortFields = (fields: LogFields): LogFields =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, shortValue(value)]));

// The reader of our stderr may be gone or slow: the line is lost then, and the daemon goes on.
function toStderr(line: string): void {
  try {
    writeSync(2, line);
  } catch {
    // Nobody reads.
  }
}

/** Owns the log file. `log` is what the rest of the daemon is given. */
export class LogOutput implements Disposable {
  readonly log: Log;
  /** Lines below it are not written. */
  level: LogLevel;
  readonly #file: LogFile | null;
  readonly #isForeground: boolean;

  constructor(options: LogOptions) {
    const { level, file, fileBytesMax = FILE_BYTES_MAX, filesMax = FILES_MAX } = options;
    this.level = level;
    this.#file = file === undefined ? null : new LogFile(file, fileBytesMax, filesMax);
    this.#isForeground = options.foreground === true;
    const writer =
      (name: LineLevel) =>
      (fields: LogFields, message: string): void =>
        this.#write(name, fields, message);
    this.log = {
      trace: writer('trace'),
      debug: writer('debug'),
      info: writer('info'),
      warn: writer('warn'),
      error: writer('error'),
    };
  }

  /** How large the file may grow from now on, and how many rotated ones are kept. */
  limit(fileBytesMax: number, filesMax: number): void {
    if (this.#file) Object.assign(this.#file, { bytesMax: fileBytesMax, filesMax });
  }

  /** The next line opens the file again: another program has moved it away. */
  reopen(): void {
    this.#file?.[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    this.#file?.[Symbol.dispose]();
  }

  #write(level: LineLevel, fields: LogFields, message: string): void {
    if (logLevels.indexOf(level) < logLevels.indexOf(this.level)) return;
    const time = new Date().toISOString();
    const record = { level, time, pid: process.pid, ...shortFields(fields), msg: cut(message) };
    const line = `${JSON.stringify(record)}\n`;
    this.#file?.write(line);
    if (this.#isForeground) toStderr(line);
  }
}
