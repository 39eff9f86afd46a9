// One JSON message of a client, read off its text. Fields that are not known are ignored. Pure.

import { type RpcLine, requestOf } from '../json-rpc.ts';
import type { ConverterRequest } from './converter/converter.ts';

export interface WebRequest extends ConverterRequest {
  readonly prompt?: string;
  readonly stream?: boolean;
  readonly includeSessionFilter?: string;
  readonly excludeSessionFilter?: string;
  readonly includePathFilter?: string;
  readonly excludePathFilter?: string;
}

const fields = {
  id: 'string',
  type: 'string',
  agent: 'string',
  prompt: 'string',
  stream: 'boolean',
  includeSessionFilter: 'string',
  excludeSessionFilter: 'string',
  includePathFilter: 'string',
  excludePathFilter: 'string',
  protocol: 'string',
  conversationId: 'string',
  subscriptionId: 'string',
  cursor: 'string',
  filter: 'object',
} as const;

const kinds = { string: 'a text', boolean: 'true or false', object: 'an object' } as const;

/** A request, a call of JSON-RPC, or what is wrong with the text. Never throws. */
export function readRequest(
  text: string,
): WebRequest | { readonly call: RpcLine } | { readonly error: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { error: `invalid JSON: ${error instanceof Error ? error.message : 'not JSON'}` };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { error: 'invalid JSON: a message is an object' };
  }
  const isCall = 'jsonrpc' in value && value.jsonrpc === '2.0';
  return isCall ? { call: requestOf(value) } : fieldsOf(value);
}

function fieldsOf(value: object): WebRequest | { readonly error: string } {
  const request: Record<string, unknown> = { type: '' };
  for (const [name, kind] of Object.entries(fields)) {
    const field = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : null;
    if (field === null || field === undefined) continue;
    if (typeof field !== kind) return { error: `invalid JSON: ${name} must be ${kinds[kind]}` };
    request[name] = field;
  }
  return request as unknown as WebRequest;
}
