// The protocol that tmux's own client speaks with its server: messages with a header of 16 bytes.
// Only what a client without a terminal needs that runs one command line. Byte strings in and out,
// no I/O. tmux exits on a message of a wrong size, so every size is fixed here and nowhere else.

/** Stands in every header. It has not changed from tmux 2.2 to 3.8. */
const PROTOCOL_VERSION = 8;
const HEADER_LENGTH = 16;
/** tmux accepts no longer message. */
const MESSAGE_LENGTH_MAX = 16_384;
/** The client understands UTF-8: what it gets is not simplified. */
const UTF8_FLAG = 0x1_00_00;

const types = {
  version: 12,
  identifyFlags: 100,
  identifyTerm: 101,
  identifyTtyName: 102,
  identifyDone: 106,
  identifyClientPid: 107,
  identifyCwd: 108,
  identifyFeatures: 109,
  identifyLongFlags: 111,
  command: 200,
  exit: 203,
  exited: 204,
  exiting: 205,
  shutdown: 210,
  readOpen: 300,
  readDone: 302,
  writeOpen: 303,
  write: 304,
  writeReady: 305,
} as const;

export type ServerMessage =
  /** Asks whether a stream may be written to. */
  | { readonly kind: 'write-open'; readonly stream: number }
  | { readonly kind: 'write'; readonly stream: number; readonly bytes: string }
  /** Asks for a file of the client's. */
  | { readonly kind: 'read-open'; readonly stream: number }
  /** The command line is over. */
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'exited' }
  /** The server ends. */
  | { readonly kind: 'shutdown' }
  /** The server speaks another version of the protocol. */
  | { readonly kind: 'version' }
  | { readonly kind: 'other' }
  /** These bytes are not of this protocol. */
  | { readonly kind: 'malformed' };

/** A client without a terminal, an environment and a session, which runs these arguments. */
export function commandMessages(args: readonly string[], pid: number): string | null {
  const message = (type: number, data: string): string => frame(type, data, pid);
  const packed = int32(args.length) + args.map((each) => `${each}\0`).join('');
  // A byte of zero would end an argument early.
  if (args.some((each) => each.includes('\0'))) return null;
  if (HEADER_LENGTH + packed.length > MESSAGE_LENGTH_MAX) return null;
  return [
    message(types.identifyFlags, int32(UTF8_FLAG)),
    message(types.identifyLongFlags, int32(UTF8_FLAG) + int32(0)),
    message(types.identifyTerm, '\0'),
    message(types.identifyFeatures, int32(0)),
    message(types.identifyTtyName, '\0'),
    message(types.identifyCwd, '/\0'),
    message(types.identifyClientPid, int32(pid)),
    message(types.identifyDone, ''),
    message(types.command, packed),
  ].join('');
}

/** The stream may be written to. */
export const writeReadyMessage = (stream: number, pid: number): string =>
  frame(types.writeReady, int32(stream) + int32(0), pid);

/** The file cannot be read: `error` is an errno. */
export const readDoneMessage = (stream: number, error: number, pid: number): string =>
  frame(types.readDone, int32(stream) + int32(error), pid);

/** The last message of a client. */
export const exitingMessage = (pid: number): string => frame(types.exiting, '', pid);

/** Reads what a server sends. Never throws. */
export class ServerMessages {
  #rest = '';

  feed(bytes: string): ServerMessage[] {
    this.#rest += bytes;
    const found: ServerMessage[] = [];
    while (this.#rest.length >= HEADER_LENGTH) {
      const length = uint16At(this.#rest, 4);
      if (length < HEADER_LENGTH || length > MESSAGE_LENGTH_MAX) return [...found, malformed];
      if (this.#rest.length < length) break;
      found.push(read(uint32At(this.#rest, 0), this.#rest.slice(HEADER_LENGTH, length)));
      this.#rest = this.#rest.slice(length);
    }
    return found;
  }
}

const malformed: ServerMessage = { kind: 'malformed' };

function read(type: number, data: string): ServerMessage {
  if (type === types.version) return { kind: 'version' };
  if (type === types.shutdown) return { kind: 'shutdown' };
  if (type === types.exited) return { kind: 'exited' };
  if (type === types.exit) {
    return { kind: 'exit', code: data.length >= 4 ? uint32At(data, 0) : 0 };
  }
  const isOfStream = type === types.writeOpen || type === types.write || type === types.readOpen;
  if (!isOfStream) return { kind: 'other' };
  if (data.length < 4) return malformed;
  const stream = uint32At(data, 0);
  if (type === types.write) return { kind: 'write', stream, bytes: data.slice(4) };
  return { kind: type === types.writeOpen ? 'write-open' : 'read-open', stream };
}

function frame(type: number, data: string, pid: number): string {
  const length = HEADER_LENGTH + data.length;
  return int32(type) + int16(length) + int16(0) + int32(PROTOCOL_VERSION) + int32(pid) + data;
}

const int16 = (value: number): string => String.fromCharCode(value & 255, (value >>> 8) & 255);
const int32 = (value: number): string => int16(value) + int16(value >>> 16);
const uint16At = (bytes: string, at: number): number =>
  bytes.charCodeAt(at) + bytes.charCodeAt(at + 1) * 256;
const uint32At = (bytes: string, at: number): number =>
  uint16At(bytes, at) + uint16At(bytes, at + 2) * 65_536;
