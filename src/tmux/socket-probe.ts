// Whether anybody listens at a tmux socket, without starting a process: the file of a server that
// has ended stays behind.

import { connect } from 'node:net';

/** A server that is busy accepts late; one that takes longer is asked again later. */
const CONNECT_DEADLINE_MS = 2_000;

export type ProbeResult =
  | { readonly listens: true }
  | { readonly listens: false; readonly why: string };

/** Connects and hangs up. Never rejects. */
export function probeSocket(socketPath: string): Promise<ProbeResult> {
  const { promise, resolve } = Promise.withResolvers<ProbeResult>();
  const socket = connect({ path: socketPath });
  const timer = setTimeout(
    () => settle({ listens: false, why: 'it does not accept' }),
    CONNECT_DEADLINE_MS,
  );
  const settle = (result: ProbeResult): void => {
    clearTimeout(timer);
    socket.destroy();
    resolve(result);
  };
  socket.once('connect', () => settle({ listens: true }));
  socket.on('error', (error: NodeJS.ErrnoException) => {
    settle({ listens: false, why: sentences[error.code ?? ''] ?? error.message });
  });
  return promise;
}

const sentences: Readonly<Record<string, string>> = {
  ENOENT: 'there is no socket',
  ECONNREFUSED: 'nobody listens at the socket',
  EACCES: 'the socket may not be opened',
};
