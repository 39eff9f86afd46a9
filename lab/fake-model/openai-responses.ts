// OpenAI's Responses API, as Codex speaks it. Items are sent whole at their end, because that is
// what Codex keeps of them; deltas before it are what it draws.

import { asList, asRecord, asText, type Foreign, offeredTool, textsOf } from './foreign.ts';
import { openAiFailure } from './openai-failure.ts';
import {
  type Dialect,
  frame,
  type ModelAnswer,
  type ModelRequest,
  type OfferedTool,
  type StreamWriter,
  type ToolCall,
} from './reply.ts';

const usage = {
  input_tokens: 1200,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 40,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 1240,
};

const readTool = (tool: Foreign): readonly OfferedTool[] => {
  if (tool['type'] === 'custom') return offeredTool(tool['name'], {}, true);
  if (tool['type'] === 'tool_search') return offeredTool('tool_search', tool['parameters']);
  if (tool['type'] !== 'namespace') return offeredTool(tool['name'], tool['parameters']);
  const namespace = asText(tool['name']);
  return asList(tool['tools'])
    .map(asRecord)
    .flatMap(readTool)
    .map((each) => ({ ...each, namespace }));
};

/** What a search has found stays in the conversation, and can be called from then on. */
const foundTools = (input: unknown): readonly OfferedTool[] =>
  asList(input)
    .map(asRecord)
    .filter((item) => item['type'] === 'tool_search_output')
    .flatMap((item) => asList(item['tools']).map(asRecord).flatMap(readTool));

const read = (body: unknown): ModelRequest => {
  const request = asRecord(body);
  const input = request['input'];
  return {
    model: asText(request['model']),
    stream: request['stream'] === true,
    tools: [...asList(request['tools']).map(asRecord).flatMap(readTool), ...foundTools(input)],
    userTexts:
      typeof input === 'string'
        ? [input]
        : asList(input)
            .map(asRecord)
            .filter((item) => item['role'] === 'user')
            .flatMap((item) => textsOf(item['content'])),
    wantsJson: asText(asRecord(asRecord(request['text'])['format'])['type']).startsWith('json'),
  };
};

const messageItem = (text: string) => ({
  type: 'message',
  id: 'msg_lab',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
});

const reasoningItem = (text: string) => ({
  type: 'reasoning',
  id: 'rs_lab',
  summary: [{ type: 'summary_text', text }],
});

const searchItem = ({ id, args }: ToolCall) => ({
  ...{ type: 'tool_search_call', id: `tsc_${id}`, call_id: id, execution: 'client' },
  ...{ arguments: args, status: 'completed' },
});

const callItem = (call: ToolCall) =>
  call.freeform === undefined
    ? {
        type: 'function_call',
        id: `fc_${call.id}`,
        call_id: call.id,
        name: call.name,
        ...(call.namespace === undefined ? {} : { namespace: call.namespace }),
        arguments: JSON.stringify(call.args),
        status: 'completed',
      }
    : {
        type: 'custom_tool_call',
        id: `ctc_${call.id}`,
        call_id: call.id,
        name: call.name,
        input: call.freeform,
        status: 'completed',
      };

const itemOf = (call: ToolCall) =>
  call.name === 'tool_search' ? searchItem(call) : callItem(call);

const response = (request: ModelRequest, status: string, output: readonly unknown[]) => ({
  id: 'resp_lab',
  object: 'response',
  created_at: 1,
  model: request.model,
  status,
  output,
  ...(status === 'completed' ? { usage } : {}),
});

class ResponsesStream implements StreamWriter {
  readonly #request: ModelRequest;
  readonly #done: unknown[] = [];
  #open: { kind: 'text' | 'thinking'; text: string } | undefined;

  constructor(request: ModelRequest) {
    this.#request = request;
  }

  begin(): string {
    return send({ type: 'response.created', response: response(this.#request, 'in_progress', []) });
  }

  thinking(text: string): string {
    const added = this.#into('thinking', { ...reasoningItem(''), summary: [] });
    const part =
      added === ''
        ? ''
        : send({
            type: 'response.reasoning_summary_part.added',
            item_id: 'rs_lab',
            output_index: this.#done.length,
            summary_index: 0,
            part: { type: 'summary_text', text: '' },
          });
    this.#add(text);
    return (
      added +
      part +
      send({
        type: 'response.reasoning_summary_text.delta',
        item_id: 'rs_lab',
        output_index: this.#done.length,
        summary_index: 0,
        delta: text,
      })
    );
  }

  text(text: string): string {
    const added = this.#into('text', { ...messageItem(''), status: 'in_progress', content: [] });
    this.#add(text);
    return (
      added +
      send({
        type: 'response.output_text.delta',
        item_id: 'msg_lab',
        output_index: this.#done.length,
        content_index: 0,
        delta: text,
      })
    );
  }

  call(call: ToolCall): string {
    return this.#close() + this.#item(itemOf(call));
  }

  end(): string {
    const closed = this.#close();
    const whole = response(this.#request, 'completed', this.#done);
    return closed + send({ type: 'response.completed', response: whole });
  }

  #into(kind: 'text' | 'thinking', item: unknown): string {
    if (this.#open?.kind === kind) return '';
    const closed = this.#close();
    this.#open = { kind, text: '' };
    return (
      closed + send({ type: 'response.output_item.added', output_index: this.#done.length, item })
    );
  }

  #add(text: string): void {
    if (this.#open !== undefined) this.#open.text += text;
  }

  #close(): string {
    const open = this.#open;
    if (open === undefined) return '';
    this.#open = undefined;
    return this.#item(open.kind === 'text' ? messageItem(open.text) : reasoningItem(open.text));
  }

  #item(item: unknown): string {
    const sent = send({ type: 'response.output_item.done', output_index: this.#done.length, item });
    this.#done.push(item);
    return sent;
  }
}

const send = (data: { type: string } & Record<string, unknown>): string => frame(data, data.type);

const whole = (request: ModelRequest, answer: ModelAnswer): unknown =>
  response(request, 'completed', [
    ...(answer.thinking === undefined ? [] : [reasoningItem(answer.thinking)]),
    ...(answer.text === undefined ? [] : [messageItem(answer.text)]),
    ...(answer.call === undefined ? [] : [itemOf(answer.call)]),
  ]);

export const openAiResponses: Dialect = {
  name: 'openai-responses',
  read,
  stream: (request) => new ResponsesStream(request),
  whole,
  failure: openAiFailure,
};
