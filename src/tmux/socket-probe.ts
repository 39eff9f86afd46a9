// Whether anybody listens at a tmux socket, without starting a process: the file of a server that
// has ended stays behind.

import { connect } from 'node:net';
import { Fault } from '../platform/fault.ts';

/** A server that is busy accepts late; one that takes longer is tried again later. */
const CONNECT_DEADLINE_MS = 2_000;

export type ProbeResult =
  | { readonly listens: true }
  | { readonly listens: false; readonly why: string };

/** Only these mean that there is no server; with any other error there may be one. */
const absences: Readonly<Record<string, string>> = {
  ENOENT: 'there is no socket',
  ECONNREFUSED: 'nobody listens at the socket',
  ECONNRESET: 'its server ended before it accepted',
};

const doubts: Readonly<Record<string, string>> = {
  EACCES: 'the socket may not be opened',
  EAGAIN: 'it hangs: too many wait for it already',
};

/** Connects and closes. Throws a Fault when a server hangs or refuses us: it is not gone. */
export function probeSocket(socketPath: string, signal: AbortSignal): Promise<ProbeResult> {
  const { promise, resolve, reject } = Promise.withResolvers<ProbeResult>();
  const socket = connect({ path: socketPath });
  const doubt = (code: 'timeout' | 'target_unreachable', detail: string): void =>
    reject(new Fault(code, { about: socketPath, detail }));
  const timer = setTimeout(() => doubt('timeout', 'it does not accept'), CONNECT_DEADLINE_MS);
  const onAbort = (): void => doubt('target_unreachable', 'it was cancelled');
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  socket.once('connect', () => resolve({ listens: true }));
  socket.on('error', (error: NodeJS.ErrnoException) => {
    const { code = '' } = error;
    const why = absences[code];
    if (why !== undefined) resolve({ listens: false, why });
    else doubt('target_unreachable', doubts[code] ?? error.message);
  });
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    socket.destroy();
  });
}
