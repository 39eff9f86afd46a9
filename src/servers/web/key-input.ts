// The keys of one client. What comes while the last keys are being typed goes out as one with the
// next, in its order.

import type { TypedPart } from '../../schema/web/typing.ts';
import type { CallResult } from '../access.ts';
import type { ListedAgent } from './agent-list.ts';
import { partOfKeys } from './vt-keys.ts';

/** More than this is no typing: a prompt is sent as one. */
const WAITING_BYTES_MAX = 192 * 1024;
const PARTS_MAX = 4_096;

export interface KeyInputOptions {
  readonly type: (
    input: { readonly runtime_id: string; readonly parts: readonly TypedPart[] },
    reply: (result: CallResult) => void,
  ) => void;
  readonly onError: (error: string) => void;
}

interface Waiting {
  parts: TypedPart[];
  byteCount: number;
  isTyping: boolean;
}

export class KeyInput {
  readonly #options: KeyInputOptions;
  /** By runtime: keys for an agent that has ended reach no other. */
  readonly #waiting = new Map<string, Waiting>();

  constructor(options: KeyInputOptions) {
    this.#options = options;
  }

  take({ item, runtimeId }: ListedAgent, payload: Buffer): void {
    const part = payload.length === 0 ? null : partOfKeys(payload);
    if (part === null) return;
    const { onError } = this.#options;
    const waiting = this.#waiting.get(runtimeId) ?? { parts: [], byteCount: 0, isTyping: false };
    const byteCount = waiting.byteCount + payload.length;
    if (byteCount > WAITING_BYTES_MAX || waiting.parts.length >= PARTS_MAX) {
      onError(`keyboard input ${item.name}: more than ${WAITING_BYTES_MAX} bytes wait to be typed`);
      return;
    }
    waiting.byteCount = byteCount;
    waiting.parts.push(part);
    this.#waiting.set(runtimeId, waiting);
    if (!waiting.isTyping) this.#type(item.name, runtimeId, waiting);
  }

  #type(name: string, runtimeId: string, waiting: Waiting): void {
    const { parts } = waiting;
    waiting.parts = [];
    waiting.byteCount = 0;
    waiting.isTyping = true;
    this.#options.type({ runtime_id: runtimeId, parts }, (result) => {
      waiting.isTyping = false;
      if (!result.ok) this.#options.onError(`keyboard input ${name}: ${result.problem.message}`);
      // Keys after some that were refused were meant for a screen that those have made.
      if (result.ok && waiting.parts.length > 0) this.#type(name, runtimeId, waiting);
      else this.#waiting.delete(runtimeId);
    });
  }
}
