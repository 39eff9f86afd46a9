// The permission requests of one agent that nobody has answered yet. The first answer counts; a
// flood of requests is refused.

import { type AcpObject, isObject } from './acp-frames.ts';
import type { PermissionOption, PermissionRequest } from './acp-signal.ts';

const OPEN_MAX = 32;
const OPTIONS_MAX = 32;
const LABEL_LENGTH_MAX = 300;

type Reply = (outcome: AcpObject) => boolean;

const cancelled: AcpObject = { outcome: 'cancelled' };

export class AcpPermissions {
  readonly #open = new Map<
    string,
    { readonly request: PermissionRequest; readonly reply: Reply }
  >();
  readonly #newId: () => string;

  constructor(newId: () => string) {
    this.#newId = newId;
  }

  get count(): number {
    return this.#open.size;
  }

  /** The request as it waits from now on; null: there are too many, and it was cancelled. */
  add(params: AcpObject, reply: Reply): PermissionRequest | null {
    if (this.#open.size >= OPEN_MAX) {
      reply(cancelled);
      return null;
    }
    const toolCall = isObject(params['toolCall']) ? params['toolCall'] : {};
    const request = { requestId: this.#newId(), toolCall, options: optionsOf(params['options']) };
    this.#open.set(request.requestId, { request, reply });
    return request;
  }

  find(requestId: string): PermissionRequest | null {
    return this.#open.get(requestId)?.request ?? null;
  }

  /** The only one that is open; null where none or several are. */
  only(): PermissionRequest | null {
    const [first, ...others] = this.#open.values();
    return first && others.length === 0 ? first.request : null;
  }

  /** False: it was answered before, or the agent takes no answer any more. */
  answer(requestId: string, option: PermissionOption): boolean {
    const found = this.#open.get(requestId);
    this.#open.delete(requestId);
    return found?.reply({ outcome: 'selected', optionId: option.id }) ?? false;
  }

  /** Answers all of them as cancelled, as the protocol asks for at the end of a turn. */
  cancelAll(): readonly PermissionRequest[] {
    const all = [...this.#open.values()];
    this.#open.clear();
    for (const { reply } of all) reply(cancelled);
    return all.map(({ request }) => request);
  }
}

function optionsOf(value: unknown): readonly PermissionOption[] {
  const listed = Array.isArray(value) ? value.slice(0, OPTIONS_MAX).filter(isObject) : [];
  return listed.flatMap(({ optionId, name, kind }) => {
    if (typeof optionId !== 'string') return [];
    const label = typeof name === 'string' && name.trim() !== '' ? name : optionId;
    return [
      {
        id: optionId,
        label: label.slice(0, LABEL_LENGTH_MAX),
        kind: typeof kind === 'string' ? kind : '',
      },
    ];
  });
}
