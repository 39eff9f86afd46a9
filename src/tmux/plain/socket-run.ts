// The commands of one call over tmux's own socket, as a plain client would run them and without a
// process for it. Such a client is no control client: no notification reaches it, so that no fault
// of tmux with notifications does either. Never starts a server.

import { connect, type Socket } from 'node:net';
import { endianness } from 'node:os';
import { Fault } from '../../platform/fault.ts';
import {
  commandMessages,
  exitingMessage,
  readDoneMessage,
  type ServerMessage,
  ServerMessages,
  writeReadyMessage,
} from '../../tmux-wire/client-message.ts';
import { REPLY_LENGTH_MAX, type Reply } from '../../tmux-wire/control-parser.ts';
import { type ClientOutput, markCommands } from './command-replies.ts';
import type { PlainRunOptions } from './process-run.ts';

/** There is no file to read from. */
const EBADF = 9;

/** The header of a message is in the byte order of the machine; we write one of them. */
export const canRunBySocket: boolean = endianness() === 'LE';

/**
 * Runs the commands with nothing in between. Throws a Fault like ControlClient. Null where only the
 * program `tmux` can: the server speaks another protocol, or the commands are too long for it.
 */
export async function runBySocket(
  socketPath: string,
  commands: readonly (readonly string[])[],
  { deadlineMs, signal }: PlainRunOptions,
): Promise<readonly Reply[] | null> {
  const { args, replies } = markCommands(commands);
  const bytes = args.map((each) => Buffer.from(each, 'utf8').toString('latin1'));
  const greeting = canRunBySocket ? commandMessages(bytes, process.pid) : null;
  if (greeting === null) return null;
  const connection = new PlainConnection(socketPath, greeting);
  const onAbort = (): void => connection.fail('tmux_gone', 'it was cancelled');
  const onTimeout = (): void => connection.fail('timeout', `no answer in ${deadlineMs} ms`);
  const timer = deadlineMs === null ? null : setTimeout(onTimeout, deadlineMs);
  signal?.addEventListener('abort', onAbort);
  if (signal?.aborted) onAbort();
  try {
    const output = await connection.output;
    return output && replies(output);
  } finally {
    if (timer !== null) clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
    connection.close();
  }
}

/** One client: it says what it wants, lets tmux print, and leaves. */
class PlainConnection {
  readonly #socketPath: string;
  readonly #socket: Socket;
  readonly #messages = new ServerMessages();
  readonly #output = Promise.withResolvers<ClientOutput | null>();
  /** By stream: standard output is 1. */
  readonly #printed = new Map<number, string[]>();
  #length = 0;

  constructor(socketPath: string, greeting: string) {
    this.#socketPath = socketPath;
    this.#socket = connect({ path: socketPath });
    this.#socket.setEncoding('latin1');
    this.#socket.write(greeting, 'latin1');
    this.#socket.on('data', (bytes: string) => {
      for (const message of this.#messages.feed(bytes)) this.#onMessage(message);
    });
    this.#socket.on('error', (error) => this.fail('tmux_gone', error.message));
    this.#socket.on('close', () => this.fail('tmux_gone', 'the connection was closed'));
  }

  /** Null where the server speaks another protocol. */
  get output(): Promise<ClientOutput | null> {
    return this.#output.promise;
  }

  fail(code: 'timeout' | 'tmux_gone' | 'protocol_desync', detail: string): void {
    this.#output.reject(new Fault(code, { about: this.#socketPath, detail }));
  }

  /** A client that has said goodbye waits for tmux to close; any other one just leaves. */
  close(): void {
    if (!this.#socket.writableEnded) this.#socket.destroy();
  }

  #onMessage(message: ServerMessage): void {
    const { kind } = message;
    if (kind === 'write-open') this.#send(writeReadyMessage(message.stream, process.pid));
    else if (kind === 'read-open') this.#send(readDoneMessage(message.stream, EBADF, process.pid));
    else if (kind === 'write') this.#keep(message.stream, message.bytes);
    else if (kind === 'exit') this.#end(message.code);
    else if (kind === 'version') this.#output.resolve(null);
    else if (kind === 'shutdown') this.fail('tmux_gone', 'the server has ended');
    else if (kind === 'malformed') this.fail('protocol_desync', 'a message is malformed');
  }

  #send(message: string): void {
    this.#socket.write(message, 'latin1');
  }

  #keep(stream: number, bytes: string): void {
    this.#length += bytes.length;
    if (this.#length > REPLY_LENGTH_MAX) this.fail('protocol_desync', 'reply too long');
    const parts = this.#printed.get(stream);
    if (parts) parts.push(bytes);
    else this.#printed.set(stream, [bytes]);
  }

  #end(code: number): void {
    this.#socket.end(exitingMessage(process.pid), 'latin1');
    const textOf = (stream: number): string => this.#printed.get(stream)?.join('') ?? '';
    this.#output.resolve({ stdout: textOf(1), stderr: textOf(2), code });
  }
}
