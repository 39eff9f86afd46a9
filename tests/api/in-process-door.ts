// A second door, as small as one can be: calls operations in the test's own process and keeps what
// streams send. It frames nothing and holds no rule, as no door may.

import type { Actor } from '../../src/operations/ports/operation.ts';
import type { StreamMessage } from '../../src/operations/ports/stream-message.ts';
import type { CallResult } from '../../src/servers/access.ts';
import { type OperationHost, Session } from '../../src/servers/session.ts';

const user: Actor = { kind: 'user', id: 'in process', scopes: ['read', 'control', 'admin'] };

export class InProcessDoor implements Disposable {
  readonly messages: StreamMessage[] = [];
  readonly #session: Session;

  constructor(host: OperationHost, actor: Actor = user) {
    const push = (_subscription: string, message: StreamMessage) => this.messages.push(message);
    this.#session = new Session({ ...host, actor, streamsMax: 2, push });
  }

  call(name: string, params: unknown): Promise<CallResult> {
    return new Promise((resolve) => this.#session.call(name, params, resolve));
  }

  [Symbol.dispose](): void {
    this.#session[Symbol.dispose]();
  }
}
