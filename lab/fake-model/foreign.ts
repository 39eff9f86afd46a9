// Small readers of JSON that nobody vouches for: what has another shape reads as empty.

import type { JsonSchema, OfferedTool } from './reply.ts';

export type Foreign = Readonly<Record<string, unknown>>;

export const asRecord = (value: unknown): Foreign =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Foreign) : {};

export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const asText = (value: unknown): string => (typeof value === 'string' ? value : '');

// The texts of a message's content, which is a string or a list of blocks.
export const textsOf = (content: unknown): readonly string[] =>
  typeof content === 'string'
    ? [content]
    : asList(content)
        .map((block) => asText(asRecord(block)['text']))
        .filter((text) => text !== '');

export const offeredTool = (name: unknown, schema: unknown, freeform = false): OfferedTool[] =>
  asText(name) === ''
    ? []
    : [{ name: asText(name), freeform, schema: asRecord(schema) as JsonSchema }];
