// JSON-RPC 2.0 as text: one request from one line, and the lines of replies and of messages of a
// stream. No I/O.

import type { StreamMessage, StreamPane } from '../operations/ports/stream-message.ts';
import { type CallProblem, problem } from './access.ts';

/** A message of a stream with bytes in it. */
type OutputBytes = Extract<StreamMessage, { readonly bytes: Uint8Array }>;

export type RequestKey = string | number | null;

export type RpcLine =
  | {
      readonly kind: 'request';
      /** Undefined for a notification: it is run and not answered. */
      readonly id: RequestKey | undefined;
      readonly method: string;
      readonly params: unknown;
    }
  | { readonly kind: 'broken'; readonly id: RequestKey; readonly problem: CallProblem };

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Reads one line. Never throws, whatever the bytes are. */
export function parseRequest(line: Uint8Array): RpcLine {
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(line));
  } catch {
    return broken(null, -32700, 'the line is not JSON in UTF-8');
  }
  return requestOf(value);
}

/** The request in a value that was read already. */
export function requestOf(value: unknown): RpcLine {
  if (Array.isArray(value)) {
    return broken(null, -32600, 'batches are not supported; send one request a line');
  }
  if (typeof value !== 'object' || value === null) {
    return broken(null, -32600, 'a request is an object');
  }
  const { jsonrpc, id, method, params } = value as Record<string, unknown>;
  if (id !== undefined && id !== null && typeof id !== 'string' && typeof id !== 'number') {
    return broken(null, -32600, 'the id of a request is a string or a number');
  }
  const key = id ?? null;
  if (jsonrpc !== '2.0') return broken(key, -32600, 'a request says "jsonrpc": "2.0"');
  if (typeof method !== 'string') return broken(key, -32600, 'a request names its method');
  if (params !== undefined && (typeof params !== 'object' || Array.isArray(params))) {
    return broken(key, -32602, 'params are named: an object');
  }
  return { kind: 'request', id, method, params: params ?? undefined };
}

const broken = (id: RequestKey, rpcCode: number, message: string): RpcLine => ({
  kind: 'broken',
  id,
  problem: problem('E_INPUT_INVALID', message, rpcCode),
});

export const resultLine = (id: RequestKey, result: unknown): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${JSON.stringify(result)}}\n`;

export function problemLine(id: RequestKey, { rpcCode, message, ...data }: CallProblem): string {
  const error = { code: rpcCode, message, data };
  return `${JSON.stringify({ jsonrpc: '2.0', id, error })}\n`;
}

/** A message of a stream whose bytes go beside it, and not in it. */
export function messageHead(subscription: string, message: OutputBytes): string {
  const { type, bytes: _beside, ...rest } = message;
  return JSON.stringify({ jsonrpc: '2.0', method: type, params: { subscription, ...rest } });
}

/** A line in two parts, between which the name of the subscription goes. */
type FramedMessage = readonly [string, string];

// A message goes to every reader and an item into many messages: each becomes text once.
const framed = new WeakMap<StreamMessage, FramedMessage>();
const itemTexts = new WeakMap<StreamPane['item'], string>();

/** A message of a stream as a notification. */
export function messageLine(subscription: string, message: StreamMessage): string {
  let parts = framed.get(message);
  if (parts === undefined) {
    parts = frame(message);
    // A snapshot is large and goes to one reader.
    if (message.type !== 'snapshot') framed.set(message, parts);
  }
  return `${parts[0]}${subscription}${parts[1]}`;
}

function frame({ type, ...params }: StreamMessage): FramedMessage {
  let fields = '';
  for (const [name, value] of Object.entries(params)) {
    const isPanes = name === 'panes' && type !== 'attention_changed';
    const text = isPanes ? paneTexts(value as readonly StreamPane[]) : textOf(value);
    fields += `,"${name}":${text}`;
  }
  const head = `{"jsonrpc":"2.0","method":"${type}","params":{"subscription":"`;
  return [head, `"${fields}}}\n`];
}

/** Bytes go as base64. */
const textOf = (value: unknown): string =>
  value instanceof Uint8Array
    ? `"${Buffer.from(value.buffer, value.byteOffset, value.length).toString('base64')}"`
    : JSON.stringify(value);

const paneTexts = (panes: readonly StreamPane[]): string => `[${panes.map(paneText).join(',')}]`;

function paneText({ item, last_seen_at }: StreamPane): string {
  let text = itemTexts.get(item);
  if (text === undefined) {
    text = JSON.stringify(item).slice(0, -1);
    itemTexts.set(item, text);
  }
  return `${text},"last_seen_at":"${last_seen_at}"}`;
}
