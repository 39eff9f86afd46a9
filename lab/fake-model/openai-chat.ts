// OpenAI's Chat Completions, as Copilot, opencode, qwen, kilo and pi speak it.

import { asList, asRecord, asText, offeredTool, textsOf } from './foreign.ts';
import { openAiFailure } from './openai-failure.ts';
import {
  type Dialect,
  frame,
  type ModelAnswer,
  type ModelRequest,
  type StreamWriter,
  type ToolCall,
} from './reply.ts';

const usage = { prompt_tokens: 1200, completion_tokens: 40, total_tokens: 1240 };

const read = (body: unknown): ModelRequest => {
  const request = asRecord(body);
  return {
    model: asText(request['model']),
    stream: request['stream'] === true,
    tools: asList(request['tools'])
      .map((tool) => asRecord(asRecord(tool)['function']))
      .flatMap((tool) => offeredTool(tool['name'], tool['parameters'])),
    userTexts: asList(request['messages'])
      .map(asRecord)
      .filter((message) => message['role'] === 'user')
      .flatMap((message) => textsOf(message['content'])),
    wantsJson: asText(asRecord(request['response_format'])['type']).startsWith('json'),
  };
};

const toolCall = (call: ToolCall) => ({
  id: call.id,
  type: 'function',
  function: { name: call.name, arguments: JSON.stringify(call.args) },
});

const stream = (request: ModelRequest): StreamWriter => {
  let finish = 'stop';
  const head = {
    id: 'chatcmpl-lab',
    object: 'chat.completion.chunk',
    created: 1,
    model: request.model,
  };
  const delta = (content: unknown, reason: string | null = null): string =>
    frame({ ...head, choices: [{ index: 0, delta: content, finish_reason: reason }] });
  return {
    begin: () => delta({ role: 'assistant', content: '' }),
    thinking: (text) => delta({ reasoning_content: text }),
    text: (text) => delta({ content: text }),
    call: (call) => {
      finish = 'tool_calls';
      return delta({ tool_calls: [{ index: 0, ...toolCall(call) }] });
    },
    end: () => `${delta({}, finish)}${frame({ ...head, choices: [], usage })}data: [DONE]\n\n`,
  };
};

const whole = (request: ModelRequest, answer: ModelAnswer): unknown => ({
  id: 'chatcmpl-lab',
  object: 'chat.completion',
  created: 1,
  model: request.model,
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: answer.text ?? null,
        ...(answer.thinking === undefined ? {} : { reasoning_content: answer.thinking }),
        ...(answer.call === undefined ? {} : { tool_calls: [toolCall(answer.call)] }),
      },
      finish_reason: answer.call === undefined ? 'stop' : 'tool_calls',
    },
  ],
  usage,
});

export const openAiChat: Dialect = {
  name: 'openai-chat',
  read,
  stream,
  whole,
  failure: openAiFailure,
};
