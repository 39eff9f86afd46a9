// Connects to a Unix socket, within a time. What is spoken there is left to the caller.

import { createConnection, type Socket } from 'node:net';

export type ConnectFailure =
  | { readonly kind: 'timeout' }
  | { readonly kind: 'refused'; readonly error: NodeJS.ErrnoException };

/** A connected socket without listeners, or the failure. Never rejects. */
export function connectUnix(path: string, timeoutMs: number): Promise<Socket | ConnectFailure> {
  return new Promise((resolve) => {
    const socket = createConnection(path);
    const timer = setTimeout(() => {
      socket.destroy();
      resolve({ kind: 'timeout' });
    }, timeoutMs);
    socket.once('connect', () => {
      clearTimeout(timer);
      socket.removeAllListeners('error');
      resolve(socket);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      resolve({ kind: 'refused', error });
    });
  });
}
