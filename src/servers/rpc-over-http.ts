// One call of JSON-RPC as one HTTP request, for scripts: it has the deadline of its operation and
// is given up when the caller hangs up. There are no streams. Who may call is the caller's.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Actor } from '../operations/ports/operation.ts';
import { problem } from './access.ts';
import { parseRequest, problemLine } from './json-rpc.ts';
import { RpcPeer } from './rpc-peer.ts';
import { type OperationHost, Session } from './session.ts';

/** As much as a line of the socket may have. */
const BODY_BYTES_MAX = 1024 * 1024;

/** Answers the request; its headers are set, and it was let in. */
export async function serveRpc(
  request: IncomingMessage,
  response: ServerResponse,
  { host, actor }: { readonly host: OperationHost; readonly actor: Actor },
): Promise<void> {
  const { timeout: silenceMs = 0 } = request.socket;
  const send = (status: number, text: string): void => {
    if (response.writableEnded) return;
    // Who does not read the reply does not hold the connection.
    request.socket.setTimeout(silenceMs);
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(text);
  };
  // Pages elsewhere can send plain text unasked, and nothing else.
  if (!/^application\/json\b/.test(request.headers['content-type'] ?? '')) {
    const wrong = problem('E_INPUT_INVALID', 'the content type must be application/json');
    send(415, problemLine(null, wrong));
    return;
  }
  const body = await bodyOf(request);
  if (body === null) {
    const wrong = problem('E_INPUT_INVALID', `the body has more than ${BODY_BYTES_MAX} bytes`);
    response.setHeader('Connection', 'close');
    send(413, problemLine(null, wrong));
    return;
  }
  const parsed = parseRequest(body);
  if (parsed.kind === 'request' && parsed.id === undefined) {
    const wrong = problem('E_INPUT_INVALID', 'a call over HTTP has an id', -32600);
    send(200, problemLine(null, wrong));
    return;
  }
  const session = new Session({ ...host, actor, streamsMax: 0 });
  response.on('close', () => session[Symbol.dispose]());
  // The connection is quiet while the call runs; its deadline ends it.
  request.socket.setTimeout(0);
  new RpcPeer({ session: () => session, send: (text) => send(200, text) }).serve(parsed);
}

/** Null where there is more than may be. Never ends where the peer has hung up. */
export function bodyOf(request: IncomingMessage): Promise<Buffer | null> {
  const { promise, resolve } = Promise.withResolvers<Buffer | null>();
  const parts: Buffer[] = [];
  let size = 0;
  request.on('data', (bytes: Buffer) => {
    size += bytes.length;
    if (size > BODY_BYTES_MAX) resolve(null);
    else parts.push(bytes);
  });
  request.on('end', () => resolve(Buffer.concat(parts)));
  return promise;
}
