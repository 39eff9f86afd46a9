// What a chat prints of the updates of an ACP member: its words as they come, its tools as a line
// each, and what it asks with the numbers that answer it. Pure; every text is foreign.

import { safeText } from '../../../render/safe-text.ts';

type Update = Readonly<Record<string, unknown>>;

/** A permission request that waits. */
export interface ChatRequest {
  readonly requestId: string;
  readonly labels: readonly string[];
}

const isObject = (value: unknown): value is Update =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Line ends stay, everything else that is no text goes. */
const safeLines = (text: string): string =>
  text
    .split('\n')
    .map((line) => keepBlanks(line))
    .join('\n');

/** A chunk may begin or end with the blank between two words. */
function keepBlanks(line: string): string {
  const [, before = '', inner = '', after = ''] = /^( *)(.*?)( *)$/s.exec(line) ?? [];
  return before + safeText(inner) + after;
}

export class ChatText {
  readonly #open = new Map<string, ChatRequest>();
  readonly #tools = new Map<string, string>();
  /** The kind of chunk that the last line is of. */
  #chunk = '';

  /** The oldest request that waits. */
  get request(): ChatRequest | null {
    return this.#open.values().next().value ?? null;
  }

  /** Ends the line of a chunk. */
  endLine(): string {
    const isInside = this.#chunk !== '';
    this.#chunk = '';
    return isInside ? '\n' : '';
  }

  /** What is printed for an update; empty for most. */
  text(update: Update): string {
    const kind = textOf(update['sessionUpdate']);
    if (kind === 'agent_message_chunk' || kind === 'agent_thought_chunk') {
      return this.#chunkText(kind, update);
    }
    if (kind === 'tool_call' || kind === 'tool_call_update') return this.#toolText(update);
    if (kind === 'agtmux_permission') return this.#requestText(update);
    if (kind === 'agtmux_permission_over') this.#open.delete(textOf(update['requestId']));
    if (kind !== 'agtmux_turn_over') return '';
    this.#open.clear();
    const reason = textOf(update['stopReason']);
    return `${this.endLine()}${reason === 'end_turn' ? '' : `— ${safeText(reason)}\n`}`;
  }

  #chunkText(kind: string, { content }: Update): string {
    const text = isObject(content) ? textOf(content['text']) : '';
    // Thoughts are named, and not shown.
    if (kind === 'agent_thought_chunk') {
      if (this.#chunk === kind) return '';
      const before = this.endLine();
      this.#chunk = kind;
      return `${before}∴ thinking`;
    }
    const before = this.#chunk === kind ? '' : this.endLine();
    this.#chunk = kind;
    return before + safeLines(text);
  }

  #toolText({ toolCallId, title, status }: Update): string {
    const id = textOf(toolCallId);
    const name = textOf(title) || this.#tools.get(id) || 'tool';
    this.#tools.set(id, name);
    if (this.#tools.size > 256) this.#tools.delete(this.#tools.keys().next().value ?? '');
    if (status !== 'completed' && status !== 'failed') return '';
    this.#tools.delete(id);
    return `${this.endLine()}● ${safeText(name)}${status === 'failed' ? ' (failed)' : ''}\n`;
  }

  #requestText({ requestId, toolCall, options }: Update): string {
    const labels = (Array.isArray(options) ? options : []).filter(isObject);
    const names = labels.map(({ label }) => textOf(label));
    this.#open.set(textOf(requestId), { requestId: textOf(requestId), labels: names });
    const what = isObject(toolCall) ? textOf(toolCall['title']) || textOf(toolCall['kind']) : '';
    const lines = names.map((name, index) => `  ${index + 1}. ${safeText(name)}\n`);
    return `${this.endLine()}? ${safeText(what) || 'It asks for a permission'}\n${lines.join('')}`;
  }
}
