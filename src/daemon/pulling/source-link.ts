// A connection to the socket of a pull source. The socket must be the user's own and no symlink;
// replies are bounded in size and time. What they mean is left to source-pull.ts.

import { lstat } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { connectUnix } from '../../platform/files/unix-connect.ts';
import { RpcSocket } from '../../platform/rpc/rpc-socket.ts';

const CONNECT_TIMEOUT_MS = 2_000;
const REPLY_TIMEOUT_MS = 5_000;
/** 500 events with payloads; a longer reply is refused and read again. */
const REPLY_BYTES_MAX = 8 * 1024 * 1024;

export type SourceErrorCode =
  | 'peer_uid_mismatch'
  | 'timeout'
  | 'ack_timeout'
  | 'protocol_desync'
  | 'invalid_cursor'
  | 'invalid_source_event';

/** Why a source could not be called, or the error that it replied with. */
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
  if (!('kind' in socket)) return linkOver(socket, path);
  if (socket.kind === 'timeout') {
    throw new SourceError('timeout', `${path} does not take connections`);
  }
  throw new SourceError('protocol_desync', `${path}: ${socket.error.message}`);
}

/** A link that is open until it is disposed of, or until the source hangs up. */
export interface SourceLink extends Disposable {
  /** Every later call is refused, with the error that ended it. */
  readonly isEnded: boolean;
  /** The result, or a rejection with a SourceError: `ack_timeout` where a time is given. */
  call(method: string, params: unknown, ackTimeoutMs?: number): Promise<unknown>;
}

function linkOver(socket: Socket, path: string): SourceLink {
  const rpc = new RpcSocket({
    socket,
    lineBytesMax: REPLY_BYTES_MAX,
    replyError: (error) => replyError(error, path),
    endError: (_end, detail) => new SourceError('protocol_desync', `${path}: ${detail}`),
  });
  const call: SourceLink['call'] = (method, params, ackTimeoutMs) => {
    const code = ackTimeoutMs === undefined ? 'timeout' : 'ack_timeout';
    const onTimeout = (): Error => new SourceError(code, `${path}: no answer to ${method}`);
    const timeoutMs = ackTimeoutMs ?? REPLY_TIMEOUT_MS;
    return rpc.request({ method, params, timeoutMs, onTimeout });
  };
  return {
    call,
    get isEnded() {
      return rpc.isEnded;
    },
    [Symbol.dispose]: () => rpc[Symbol.dispose](),
  };
}

/** The source's own words reach the registry; they are cut, not trusted. */
function replyError(error: unknown, path: string): SourceError {
  const text = JSON.stringify(error) ?? '';
  const isCursor = text.includes('invalid_cursor');
  const code = isCursor ? 'invalid_cursor' : 'protocol_desync';
  return new SourceError(code, `${path} answered ${text.slice(0, 200)}`);
}
