// One connection to the daemon's socket. Every call has a deadline; nothing is retried here.

import type { Socket } from 'node:net';
import { connectUnix } from '../platform/files/unix-connect.ts';
import { RpcSocket } from '../platform/rpc/rpc-socket.ts';
import type { RefCandidate } from '../schema/outcome.ts';
import { DaemonError, daemonDown, daemonFault } from './daemon-error.ts';

/** Far above a listing of thousands of panes. */
const LINE_BYTES_MAX = 256 * 1024 * 1024;

/** A connection, as the client uses it. */
export interface Connection extends Disposable {
  readonly rpc: RpcSocket;
  /** The reply, or a rejection with a DaemonError. */
  call(method: string, params: unknown, timeoutMs: number): Promise<unknown>;
}

/** Connects, or rejects with a DaemonError: `E_DAEMON_DOWN`, `E_NOT_PERMITTED` or `timeout`. */
export async function openConnection(socketPath: string, timeoutMs: number): Promise<Connection> {
  const socket = await connectUnix(socketPath, timeoutMs);
  if (!('kind' in socket)) return connectionOver(socket, socketPath);
  if (socket.kind === 'refused') throw connectProblem(socket.error, socketPath);
  throw daemonFault('timeout', `nobody took the connection to ${socketPath} in time`);
}

function connectProblem(error: NodeJS.ErrnoException, socketPath: string): DaemonError {
  if (error.code !== 'EACCES' && error.code !== 'EPERM') {
    return daemonDown(`no daemon answers at ${socketPath} (${error.code ?? error.message})`);
  }
  const message = `the socket ${socketPath} belongs to another user`;
  return new DaemonError({ code: 'E_NOT_PERMITTED', rpcCode: -32003, message });
}

function connectionOver(socket: Socket, path: string): Connection {
  const rpc = new RpcSocket({
    socket,
    lineBytesMax: LINE_BYTES_MAX,
    replyError,
    cancelMethod: '$/cancelRequest',
    endError: (end, detail) =>
      end === 'broken'
        ? daemonFault('protocol_desync', `${path}: ${detail}`)
        : daemonDown(end === 'closed' ? detail : `the daemon at ${path}: ${detail}`),
  });
  const call: Connection['call'] = (method, params, timeoutMs) => {
    const late = `${method}: no answer from ${path} in ${timeoutMs} ms`;
    const onTimeout = (): Error => daemonFault('timeout', late);
    return rpc.request({ method, params, timeoutMs, onTimeout });
  };
  return { rpc, call, [Symbol.dispose]: () => rpc[Symbol.dispose]() };
}

interface ErrorFields {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly data?: {
    readonly code?: unknown;
    readonly hint?: unknown;
    readonly candidates?: unknown;
    readonly rule?: unknown;
  };
}

function replyError(error: unknown): DaemonError {
  const { code, message, data } = error as ErrorFields;
  return new DaemonError({
    code: typeof data?.code === 'string' ? data.code : 'protocol_desync',
    rpcCode: typeof code === 'number' ? code : -32603,
    message: typeof message === 'string' ? message : 'the daemon refused',
    hint: typeof data?.hint === 'string' ? data.hint : null,
    candidates: candidatesOf(data?.candidates),
    rule: typeof data?.rule === 'string' ? data.rule : null,
  });
}

/** The well-formed ones: another version of the daemon may send others. */
function candidatesOf(value: unknown): readonly RefCandidate[] {
  return (Array.isArray(value) ? value : []).filter(
    (each: RefCandidate | null) =>
      typeof each?.ref === 'string' &&
      typeof each.state === 'string' &&
      typeof each.title === 'string' &&
      (each.agent === null || typeof each.agent === 'string'),
  );
}
