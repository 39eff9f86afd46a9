// A connection to the socket of a pull source. The socket must be the user's own and no symlink;
// answers are bounded in size and time. What they mean is left to source-pull.ts.

import { lstat } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { connectUnix } from '../../platform/files/unix-connect.ts';
import { LineReader } from '../../platform/text/line-reader.ts';

const CONNECT_TIMEOUT_MS = 2_000;
const ANSWER_TIMEOUT_MS = 5_000;
/** 500 events with payloads; a longer answer is refused and asked for again. */
const ANSWER_BYTES_MAX = 8 * 1024 * 1024;

export type SourceErrorCode =
  | 'peer_uid_mismatch'
  | 'timeout'
  | 'ack_timeout'
  | 'protocol_desync'
  | 'invalid_cursor'
  | 'invalid_source_event';

/** Why a source could not be asked, or what it answered in the place of a result. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
  readonly code: SourceErrorCode;

  constructor(code: SourceErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Node cannot ask who is at the other end of a socket, so the file must be the user's own. */
async function checkOwner(path: string): Promise<void> {
  const stats = await lstat(path).catch((error: Error) => {
    throw new SourceError('protocol_desync', `${path}: ${error.message}`);
  });
  if (!stats.isSocket()) throw new SourceError('peer_uid_mismatch', `${path} is not a socket`);
  if (stats.uid !== process.getuid?.()) {
    throw new SourceError('peer_uid_mismatch', `${path} belongs to another user`);
  }
}

/** Connects to a source. Rejects with a SourceError. */
export async function openSourceLink(path: string): Promise<SourceLink> {
  await checkOwner(path);
  const socket = await connectUnix(path, CONNECT_TIMEOUT_MS);
  if (!('kind' in socket)) return new SourceLink(socket, path);
  if (socket.kind === 'timeout') {
    throw new SourceError('timeout', `${path} does not take connections`);
  }
  throw new SourceError('protocol_desync', `${path}: ${socket.error.message}`);
}

interface Waiting {
  readonly id: number;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: SourceError) => void;
}

/** One call at a time: whoever asks waits for the answer. */
export class SourceLink {
  readonly #socket: Socket;
  readonly #path: string;
  readonly #lines = new LineReader(ANSWER_BYTES_MAX);
  #waiting: Waiting | null = null;
  #nextId = 1;
  #end: SourceError | null = null;

  constructor(socket: Socket, path: string) {
    this.#socket = socket;
    this.#path = path;
    socket.on('data', (bytes: Buffer) => this.#take(bytes));
    socket.on('error', (error) => this.#finish(error.message));
    socket.on('close', () => this.#finish('it hung up'));
  }

  /** The result, or a rejection with a SourceError: `ack_timeout` where a time is given. */
  call(method: string, params: unknown, ackTimeoutMs?: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#end) return reject(this.#end);
      const id = this.#nextId++;
      const isAck = ackTimeoutMs !== undefined;
      const timer = setTimeout(() => {
        this.#waiting = null;
        const code = isAck ? 'ack_timeout' : 'timeout';
        reject(new SourceError(code, `${this.#path}: no answer to ${method}`));
      }, ackTimeoutMs ?? ANSWER_TIMEOUT_MS);
      const done =
        <T>(settle: (value: T) => void) =>
        (value: T): void => {
          clearTimeout(timer);
          this.#waiting = null;
          settle(value);
        };
      this.#waiting = { id, resolve: done(resolve), reject: done(reject) };
      this.#socket.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
  }

  [Symbol.dispose](): void {
    this.#finish('the link was closed');
  }

  #take(bytes: Buffer): void {
    const lines = this.#lines.push(bytes);
    if (lines === null) {
      this.#finish(`an answer has more than ${ANSWER_BYTES_MAX} bytes`);
      return;
    }
    for (const line of lines) if (line.length > 0) this.#takeLine(line);
  }

  #takeLine(line: Buffer): void {
    const message = parseLine(line);
    if (message === null) {
      this.#finish('it sent what is not JSON');
      return;
    }
    // A late answer to a call that was given up is nobody's.
    if (this.#waiting?.id !== message['id']) return;
    const error = message['error'];
    if (error === undefined || error === null) this.#waiting?.resolve(message['result']);
    else this.#waiting?.reject(errorOf(error, this.#path));
  }

  #finish(detail: string): void {
    if (this.#end) return;
    this.#end = new SourceError('protocol_desync', `${this.#path}: ${detail}`);
    this.#socket.destroy();
    this.#waiting?.reject(this.#end);
  }
}

function parseLine(line: Buffer): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line.toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** The source's own words reach the registry; they are cut, not trusted. */
function errorOf(error: unknown, path: string): SourceError {
  const text = JSON.stringify(error) ?? '';
  const isCursor = text.includes('invalid_cursor');
  const code = isCursor ? 'invalid_cursor' : 'protocol_desync';
  return new SourceError(code, `${path} answered ${text.slice(0, 200)}`);
}
