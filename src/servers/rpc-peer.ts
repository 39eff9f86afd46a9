// JSON-RPC with one peer over any transport that carries whole messages: each request becomes a
// call of the peer's session, is answered under its id, and may be given up. When a peer is read,
// and how much may be on its way, is left to the transport.

import type { StreamMessage } from '../operations/ports/stream-message.ts';
import { problem } from './access.ts';
import {
  messageLine,
  parseRequest,
  problemLine,
  type RequestKey,
  type RpcLine,
  resultLine,
} from './json-rpc.ts';
import type { Session } from './session.ts';

/** As in the Language Server Protocol: a notification that gives up a call of this connection. */
const CANCEL_METHOD = '$/cancelRequest';

export interface RpcPeerParts {
  readonly session: () => Session;
  readonly send: (text: string) => void;
  /** More calls at a time are refused; absent: the transport reads no more of them. */
  readonly callsMax?: number;
  /** Called when a call that took a while was answered. */
  readonly onReplied?: () => void;
}

export class RpcPeer {
  readonly #parts: RpcPeerParts;
  /** Cancels of the open calls, by id. */
  readonly #cancels = new Map<RequestKey, () => void>();

  constructor(parts: RpcPeerParts) {
    this.#parts = parts;
  }

  serve(request: RpcLine): void {
    const { session, send, callsMax = Number.POSITIVE_INFINITY, onReplied } = this.#parts;
    if (request.kind === 'broken') {
      send(problemLine(request.id, request.problem));
      return;
    }
    const { id, method, params } = request;
    // With an id it is a request like any other, and is answered: there is no such operation.
    if (method === CANCEL_METHOD && id === undefined) {
      this.#cancelOf(params)?.();
      return;
    }
    if (session().runningCount >= callsMax) {
      const full = problem('E_INPUT_INVALID', `this connection has ${callsMax} calls already`);
      if (id !== undefined) send(problemLine(id, full));
      return;
    }
    let isReplied = false;
    let isAwaited = false;
    const cancel = session().call(method, params, (result) => {
      isReplied = true;
      if (id !== undefined) {
        this.#cancels.delete(id);
        send(result.ok ? resultLine(id, result.value) : problemLine(id, result.problem));
      }
      if (isAwaited) onReplied?.();
    });
    isAwaited = !isReplied;
    if (isAwaited && id !== undefined) this.#cancels.set(id, cancel);
  }

  /** A message of one of the session's streams. */
  push(subscription: string, message: StreamMessage): void {
    this.#parts.send(messageLine(subscription, message));
  }

  /** Whether the line gave up a call that runs: that waits for no room among the others. */
  hasCancelled(line: Buffer): boolean {
    if (this.#cancels.size === 0 || !line.includes(CANCEL_METHOD)) return false;
    const request = parseRequest(line);
    const isCancel =
      request.kind === 'request' && request.method === CANCEL_METHOD && request.id === undefined;
    const cancel = isCancel ? this.#cancelOf(request.params) : undefined;
    cancel?.();
    return cancel !== undefined;
  }

  /** How to give up the call with this id; undefined where it is answered already. */
  #cancelOf(params: unknown): (() => void) | undefined {
    const { id } = (params ?? {}) as { readonly id?: RequestKey };
    return id === undefined ? undefined : this.#cancels.get(id);
  }
}
