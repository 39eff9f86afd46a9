// Anthropic's Messages API, as Claude Code speaks it.

import { asList, asRecord, asText, offeredTool, textsOf } from './foreign.ts';
import {
  type Dialect,
  frame,
  type ModelAnswer,
  type ModelRequest,
  type StreamWriter,
} from './reply.ts';

const errorTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

const usage = { input_tokens: 1200, output_tokens: 40 };

const read = (body: unknown): ModelRequest => {
  const request = asRecord(body);
  return {
    model: asText(request['model']),
    stream: request['stream'] === true,
    tools: asList(request['tools']).flatMap((tool) =>
      offeredTool(asRecord(tool)['name'], asRecord(tool)['input_schema']),
    ),
    userTexts: asList(request['messages'])
      .map(asRecord)
      .filter((message) => message['role'] === 'user')
      .flatMap((message) => textsOf(message['content'])),
    wantsJson: asRecord(asRecord(request['output_config'])['format'])['type'] === 'json_schema',
  };
};

const message = (request: ModelRequest) => ({
  id: 'msg_lab',
  type: 'message',
  role: 'assistant',
  model: request.model,
  content: [] as unknown[],
  stop_reason: null as string | null,
  stop_sequence: null,
  usage,
});

class AnthropicStream implements StreamWriter {
  readonly #request: ModelRequest;
  #open: 'none' | 'thinking' | 'text' = 'none';
  #index = -1;
  #stopReason = 'end_turn';

  constructor(request: ModelRequest) {
    this.#request = request;
  }

  begin(): string {
    return send({ type: 'message_start', message: message(this.#request) });
  }

  thinking(text: string): string {
    return (
      this.#into('thinking', { type: 'thinking', thinking: '', signature: '' }) +
      this.#delta({ type: 'thinking_delta', thinking: text })
    );
  }

  text(text: string): string {
    return (
      this.#into('text', { type: 'text', text: '' }) + this.#delta({ type: 'text_delta', text })
    );
  }

  call(call: { id: string; name: string; args: unknown }): string {
    const closed = this.#close();
    this.#index += 1;
    this.#stopReason = 'tool_use';
    const block = { type: 'tool_use', id: call.id, name: call.name, input: {} };
    return (
      closed +
      send({ type: 'content_block_start', index: this.#index, content_block: block }) +
      this.#delta({ type: 'input_json_delta', partial_json: JSON.stringify(call.args) }) +
      send({ type: 'content_block_stop', index: this.#index })
    );
  }

  end(): string {
    const delta = { stop_reason: this.#stopReason, stop_sequence: null };
    return (
      this.#close() + send({ type: 'message_delta', delta, usage }) + send({ type: 'message_stop' })
    );
  }

  #into(kind: 'thinking' | 'text', block: unknown): string {
    if (this.#open === kind) return '';
    const closed = this.#close();
    this.#open = kind;
    this.#index += 1;
    return closed + send({ type: 'content_block_start', index: this.#index, content_block: block });
  }

  #close(): string {
    if (this.#open === 'none') return '';
    const signed =
      this.#open === 'thinking' ? this.#delta({ type: 'signature_delta', signature: 'lab' }) : '';
    this.#open = 'none';
    return signed + send({ type: 'content_block_stop', index: this.#index });
  }

  #delta(delta: unknown): string {
    return send({ type: 'content_block_delta', index: this.#index, delta });
  }
}

const send = (data: { type: string } & Record<string, unknown>): string => frame(data, data.type);

const whole = (request: ModelRequest, answer: ModelAnswer): unknown => ({
  ...message(request),
  content: [
    ...(answer.thinking === undefined
      ? []
      : [{ type: 'thinking', thinking: answer.thinking, signature: 'lab' }]),
    ...(answer.text === undefined ? [] : [{ type: 'text', text: answer.text }]),
    ...(answer.call === undefined
      ? []
      : [
          {
            type: 'tool_use',
            id: answer.call.id,
            name: answer.call.name,
            input: answer.call.args,
          },
        ]),
  ],
  stop_reason: answer.call === undefined ? 'end_turn' : 'tool_use',
});

export const anthropic: Dialect = {
  name: 'anthropic',
  read,
  stream: (request) => new AnthropicStream(request),
  whole,
  failure: (status, text) => ({
    type: 'error',
    error: { type: errorTypes[status] ?? 'api_error', message: text },
    request_id: 'req_lab',
  }),
};
