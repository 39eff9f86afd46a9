// What an ACP member said and did, as entries of a conversation: chunks of one message are one
// entry, and so are all updates of one tool call. Entries that can still grow come last. The newest
// updates are kept as they came too. Both are bounded; nothing is on the disk.

import { type AcpObject, isObject } from './acp-frames.ts';
import type { AcpSignal } from './acp-signal.ts';

const RECORDS_TEXT_MAX = 4_000_000;
const TEXT_MAX = 256_000;
const UPDATES_MAX = 2_000;
const UPDATES_TEXT_MAX = 4_000_000;
const OPEN_CALLS_MAX = 256;

/** One whole entry. `agents/shared/acp-conversation.ts` reads it. */
export interface AcpRecord {
  readonly position: number;
  readonly next: number;
  readonly text: string;
}

/** An update as the agent sent it. */
export interface KeptUpdate {
  readonly seq: number;
  readonly atMs: number;
  readonly update: AcpObject;
  readonly length: number;
}

interface OpenMessage {
  readonly key: string;
  readonly kind: 'prompt' | 'text' | 'thinking';
  readonly id: string;
  readonly atMs: number;
  text: string;
}

interface OpenCall {
  readonly id: string;
  fields: AcpObject;
  isShown: boolean;
}

export type EntryFields = { readonly kind: string } & AcpObject;

const messageKinds: Readonly<Record<string, OpenMessage['kind']>> = {
  user_message_chunk: 'prompt',
  agent_message_chunk: 'text',
  agent_thought_chunk: 'thinking',
};

export class AcpTranscript {
  readonly #nowMs: () => number;
  readonly #records: AcpRecord[] = [];
  readonly #updates: KeptUpdate[] = [];
  readonly #calls = new Map<string, OpenCall>();
  readonly #listeners = new Set<() => void>();
  #recordsLength = 0;
  #updatesLength = 0;
  #end = 0;
  #nextSeq = 1;
  #nextId = 1;
  #message: OpenMessage | null = null;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get records(): readonly AcpRecord[] {
    return this.#records;
  }

  get end(): number {
    return this.#end;
  }

  /** What is still growing: the newest message. */
  get open(): EntryFields | null {
    return this.#message && entryOf(this.#message);
  }

  get isEmpty(): boolean {
    return this.#records.length === 0 && this.#message === null;
  }

  /** Kept updates after a number, and the number to go on with. */
  updatesAfter(seq: number, limit: number): readonly KeptUpdate[] {
    return this.#updates.filter((each) => each.seq > seq).slice(0, limit);
  }

  get lastSeq(): number {
    return this.#nextSeq - 1;
  }

  /** Called after each change, until it is disposed of. */
  watch(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
  }

  note(signal: AcpSignal): void {
    switch (signal.kind) {
      case 'update':
        this.#update(signal.update);
        break;
      case 'turn_began':
        this.#flush();
        this.#add({ kind: 'turn', phase: 'began', duration_ms: null });
        this.#add({ kind: 'prompt', text: signal.text.slice(0, TEXT_MAX) });
        break;
      case 'permission':
        this.#showCalls();
        this.#keep({ sessionUpdate: 'agtmux_permission', ...signal.request });
        this.#add({
          ...{ kind: 'question', call_id: callIdOf(signal.request.toolCall) },
          text: titleOf(signal.request.toolCall),
          options: signal.request.options.map(({ label }) => label),
        });
        break;
      case 'permission_over': {
        const { request, chosen } = signal;
        this.#keep({ sessionUpdate: 'agtmux_permission_over', requestId: request.requestId });
        const call_id = callIdOf(request.toolCall);
        this.#add({ kind: 'answer', call_id, text: chosen?.label ?? 'cancelled' });
        break;
      }
      case 'turn_ended':
        this.#turnOver(signal.stopReason);
        if (signal.stopReason === 'cancelled') this.#add({ kind: 'interruption', text: '' });
        this.#add({ kind: 'turn', phase: 'ended', duration_ms: null });
        break;
      case 'turn_failed':
        this.#turnOver('error');
        this.#add({ kind: 'error', code: String(signal.code), text: signal.message });
        break;
      case 'exited':
        if (signal.wasInTurn) this.#turnOver('exited');
        if (!signal.isWanted) this.#add({ kind: 'error', code: null, text: exitText(signal) });
        break;
      default:
        return;
    }
    for (const listener of [...this.#listeners]) listener();
  }

  #turnOver(stopReason: string): void {
    this.#flush();
    for (const call of this.#calls.values()) this.#endCall(call, 'interrupted');
    this.#calls.clear();
    this.#keep({ sessionUpdate: 'agtmux_turn_over', stopReason });
  }

  #update(update: AcpObject): void {
    this.#keep(update);
    const name = typeof update['sessionUpdate'] === 'string' ? update['sessionUpdate'] : 'unknown';
    const kind = Object.hasOwn(messageKinds, name) ? messageKinds[name] : undefined;
    if (kind !== undefined) this.#chunk(kind, update);
    else if (name === 'tool_call' || name === 'tool_call_update') this.#call(update);
    else if (!silent.has(name)) {
      this.#flush();
      this.#add({ kind: 'unknown', type: name.slice(0, 100), text: textOf(update) });
    }
  }

  #chunk(kind: OpenMessage['kind'], { content, messageId }: AcpObject): void {
    const id = typeof messageId === 'string' ? messageId.slice(0, 200) : '';
    const key = `${kind}:${id}`;
    if (this.#message?.key !== key) {
      this.#flush();
      const own = `${key}:${this.#nextId}`;
      this.#nextId += 1;
      this.#message = { key, kind, id: own, atMs: this.#nowMs(), text: '' };
    }
    const message = this.#message as OpenMessage;
    message.text = (message.text + textOfContent(content)).slice(0, TEXT_MAX);
  }

  #call(update: AcpObject): void {
    const id = callIdOf(update);
    let call = this.#calls.get(id);
    if (call === undefined) {
      this.#flush();
      call = { id, fields: {}, isShown: false };
      this.#calls.set(id, call);
      const [oldest] = this.#calls.values();
      if (this.#calls.size > OPEN_CALLS_MAX && oldest) this.#endCall(oldest, 'interrupted');
    }
    const present = Object.entries(update).filter(([, value]) => value !== null);
    call.fields = { ...call.fields, ...Object.fromEntries(present) };
    const status = call.fields['status'];
    if (status === 'completed' || status === 'failed') {
      this.#endCall(call, status === 'completed' ? 'ok' : 'error');
    } else if (status === 'in_progress') this.#showCall(call);
  }

  #showCalls(): void {
    this.#flush();
    for (const call of this.#calls.values()) this.#showCall(call);
  }

  #showCall(call: OpenCall): void {
    if (call.isShown) return;
    call.isShown = true;
    const { fields, id: call_id } = call;
    const input = fields['rawInput'] ?? { title: fields['title'] ?? '' };
    this.#add({ kind: 'tool_call', call_id, tool: titleOf(fields), input });
  }

  #endCall(call: OpenCall, status: 'ok' | 'error' | 'interrupted'): void {
    this.#showCall(call);
    this.#calls.delete(call.id);
    const { fields, id: call_id } = call;
    const parts = Array.isArray(fields['content']) ? fields['content'].filter(isObject) : [];
    for (const part of parts.slice(0, 16)) {
      if (part['type'] !== 'diff' || typeof part['path'] !== 'string') continue;
      this.#add({ kind: 'diff', call_id, path: part['path'], diff: diffOf(part) });
    }
    const texts = parts.map((part) => textOfContent(part['content'])).filter((each) => each !== '');
    const raw = fields['rawOutput'];
    const output = texts.length > 0 ? texts.join('\n') : textOfRaw(raw);
    this.#add({ kind: 'tool_result', call_id, status, output: output.slice(0, TEXT_MAX) });
  }

  #flush(): void {
    const message = this.#message;
    this.#message = null;
    if (message !== null && message.text !== '') this.#add(entryOf(message), message.atMs);
  }

  #add(entry: EntryFields, atMs: number = this.#nowMs()): void {
    const id = entry['id'] ?? `e${this.#nextId}`;
    this.#nextId += 1;
    const text = JSON.stringify({ ...entry, id, at: atMs });
    const position = this.#end;
    this.#end += text.length + 1;
    this.#records.push({ position, next: this.#end, text });
    this.#recordsLength += text.length;
    while (this.#recordsLength > RECORDS_TEXT_MAX && this.#records.length > 1) {
      this.#recordsLength -= this.#records.shift()?.text.length ?? 0;
    }
  }

  #keep(update: AcpObject): void {
    const { length } = JSON.stringify(update);
    this.#updates.push({ seq: this.#nextSeq, atMs: this.#nowMs(), update, length });
    this.#nextSeq += 1;
    this.#updatesLength += length;
    while (
      this.#updates.length > UPDATES_MAX ||
      (this.#updatesLength > UPDATES_TEXT_MAX && this.#updates.length > 1)
    ) {
      this.#updatesLength -= this.#updates.shift()?.length ?? 0;
    }
  }
}

/** They say what the agent can do, or how full its context is, and nothing of the talk. */
const silent: ReadonlySet<string> = new Set([
  ...['available_commands_update', 'current_mode_update', 'config_option_update'],
  ...['session_info_update', 'usage_update'],
]);

const entryOf = ({ kind, id, text }: OpenMessage): EntryFields => ({ kind, id, text });

const callIdOf = ({ toolCallId }: AcpObject): string =>
  typeof toolCallId === 'string' ? toolCallId.slice(0, 200) : '';

function titleOf({ title, kind }: AcpObject): string {
  if (typeof title === 'string' && title !== '') return title.slice(0, 300);
  return typeof kind === 'string' ? kind.slice(0, 100) : 'tool';
}

function textOfContent(content: unknown): string {
  if (!isObject(content)) return '';
  const { type, text } = content;
  if (typeof text === 'string') return text;
  return typeof type === 'string' ? `[${type.slice(0, 40)}]` : '';
}

const textOf = (value: AcpObject): string => JSON.stringify(value).slice(0, TEXT_MAX);

function textOfRaw(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/** Whole texts, as the agent gave them: the old one taken away, the new one added. */
function diffOf({ oldText, newText }: AcpObject): string {
  const lines = (mark: string, text: unknown): readonly string[] =>
    typeof text === 'string' && text !== ''
      ? text
          .slice(0, TEXT_MAX / 2)
          .split('\n')
          .map((line) => `${mark}${line}`)
      : [];
  return [...lines('-', oldText), ...lines('+', newText)].join('\n');
}

type Exit = Extract<AcpSignal, { readonly kind: 'exited' }>;

const exitText = ({ reason, signal, exitCode }: Exit): string =>
  reason ?? `the agent ended with ${signal ?? `exit code ${exitCode}`}`;
