// Entries of a conversation as events of the protocol `tmux-converter.v1`, which knows fewer kinds:
// those without one of their own are `system` with the kind in `metadata`. Pure.

import type { ConversationEntry } from '../../../schema/api/conversation.ts';

export interface ContentBlock {
  readonly type: 'text' | 'thinking' | 'tool_use' | 'tool_result';
  readonly text?: string;
  readonly toolName?: string;
  readonly toolId?: string;
  readonly input?: unknown;
  readonly output?: string;
  readonly isError?: boolean;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** Fields without a value are left out. */
export interface ConversationEvent {
  readonly seq: number;
  readonly eventId: string;
  readonly type: string;
  readonly agentName: string;
  readonly conversationId: string;
  readonly timestamp: string;
  readonly role?: 'user' | 'assistant' | 'system';
  readonly content?: readonly ContentBlock[];
  readonly model?: string;
  readonly runtime: string;
  readonly tokenUsage?: Readonly<Record<string, number>>;
  readonly requestId?: string;
  readonly subagentId?: string;
  readonly durationMs?: number;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

type Shape = Pick<ConversationEvent, 'type'> & Partial<ConversationEvent>;

const textBlock = (text: string): readonly ContentBlock[] =>
  text === '' ? [] : [{ type: 'text', text }];

const system = (
  originalType: string,
  text: string,
  more: Readonly<Record<string, unknown>> = {},
): Shape => ({
  type: 'system',
  role: 'system',
  content: textBlock(text),
  metadata: { originalType, ...more },
});

const progress = (progressType: string): Shape => ({
  type: 'progress',
  metadata: { progressType },
});

/** The input of a tool is JSON, unless it had to be cut. */
function inputOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function toolShape(
  entry: Extract<ConversationEntry, { kind: 'tool_call' | 'tool_result' }>,
): Shape {
  if (entry.kind === 'tool_call') {
    const { tool: toolName, call_id: toolId, input } = entry;
    return {
      type: 'tool_use',
      role: 'assistant',
      content: [{ type: 'tool_use', toolName, toolId, input: inputOf(input) }],
    };
  }
  const { call_id: toolId, output, status } = entry;
  const isError = status !== 'ok';
  const metadata = isError ? { metadata: { status } } : {};
  return {
    type: 'tool_result',
    role: 'user',
    content: [{ type: 'tool_result', toolId, output, isError, ...metadata }],
  };
}

function shapeOf(entry: ConversationEntry): Shape {
  switch (entry.kind) {
    case 'prompt':
      return { type: 'user', role: 'user', content: textBlock(entry.text) };
    case 'text':
      return { type: 'assistant', role: 'assistant', content: textBlock(entry.text) };
    case 'thinking':
      return {
        type: 'thinking',
        role: 'assistant',
        content: [{ type: 'thinking', text: entry.text }],
      };
    case 'tool_call':
    case 'tool_result':
      return toolShape(entry);
    case 'turn':
      return entry.phase === 'began'
        ? progress('turn_start')
        : {
            type: 'turn_end',
            ...(entry.duration_ms === null ? {} : { durationMs: entry.duration_ms }),
          };
    case 'usage':
      return {
        ...progress('usage'),
        ...(entry.model === null ? {} : { model: entry.model }),
        tokenUsage: {
          inputTokens: entry.input_tokens,
          outputTokens: entry.output_tokens,
          cacheRead: entry.cache_read_tokens,
          cacheCreate: entry.cache_write_tokens,
        },
      };
    case 'error':
      return {
        type: 'error',
        role: 'system',
        content: textBlock(entry.text),
        metadata: { code: entry.code },
      };
    case 'gap':
      return {
        type: 'error',
        role: 'system',
        content: textBlock('A part of the transcript is missing here.'),
        metadata: { gap: entry.reason },
      };
    case 'diff':
      return system('diff', entry.diff, { path: entry.path, toolId: entry.call_id });
    case 'question':
      return system('question', entry.text, { options: entry.options, toolId: entry.call_id });
    case 'answer':
      return system('answer', entry.text, { toolId: entry.call_id });
    case 'child':
      return system('subagent', entry.text, {
        name: entry.name,
        conversation: entry.conversation,
      });
    case 'compaction':
      return system('compaction', entry.text, { trigger: entry.trigger });
    case 'interruption':
      return system('interruption', entry.text);
    case 'unknown':
      return system(entry.type, entry.text);
  }
}

export interface EventPlace {
  readonly agentName: string;
  readonly runtime: string;
  readonly conversationId: string;
}

/** A time is always there: of an entry without one, the time of the one before it. */
export function conversationEvent(
  place: EventPlace,
  entry: ConversationEntry,
  timestampBefore: string,
): ConversationEvent {
  const { metadata, ...shape } = shapeOf(entry);
  const about = { ...metadata, ...(entry.cut === undefined ? {} : { cut: entry.cut }) };
  return {
    seq: entry.seq,
    eventId: entry.id,
    ...shape,
    ...place,
    timestamp: entry.at ?? timestampBefore,
    ...(entry.turn === null ? {} : { requestId: entry.turn }),
    ...(entry.subagent === null ? {} : { subagentId: entry.subagent }),
    ...(Object.keys(about).length === 0 ? {} : { metadata: about }),
  };
}

/** What a client wants to be sent. */
export interface EventFilter {
  readonly types: ReadonlySet<string> | null;
  readonly excludeThinking: boolean;
  readonly excludeProgress: boolean;
}

const TYPES_MAX = 100;

/** `types` wins over the others. What is not of the right shape counts as absent. */
export function eventFilter(value: unknown): EventFilter {
  const fields = typeof value === 'object' && value !== null ? value : {};
  const types: unknown = Reflect.get(fields, 'types');
  const names = Array.isArray(types)
    ? types.slice(0, TYPES_MAX).filter((each) => typeof each === 'string')
    : [];
  return {
    types: names.length > 0 ? new Set(names) : null,
    excludeThinking: Reflect.get(fields, 'excludeThinking') === true,
    excludeProgress: Reflect.get(fields, 'excludeProgress') === true,
  };
}

export function isShown(
  { types, excludeThinking, excludeProgress }: EventFilter,
  { type }: ConversationEvent,
): boolean {
  if (types !== null) return types.has(type);
  if (type === 'thinking') return !excludeThinking;
  return type !== 'progress' || !excludeProgress;
}
