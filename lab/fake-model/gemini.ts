// Google's generateContent and streamGenerateContent, as Gemini CLI speaks them.

import { asList, asRecord, offeredTool, textsOf } from './foreign.ts';
import {
  type Dialect,
  frame,
  type ModelAnswer,
  type ModelRequest,
  type ToolCall,
} from './reply.ts';

const statusNames: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};

const usageMetadata = { promptTokenCount: 1200, candidatesTokenCount: 40, totalTokenCount: 1240 };

const read = (body: unknown, path: string): ModelRequest => {
  const request = asRecord(body);
  const config = asRecord(request['generationConfig']);
  return {
    model: /models\/([^:/?]+)/.exec(path)?.[1] ?? '',
    stream: path.includes(':streamGenerateContent'),
    tools: asList(request['tools'])
      .flatMap((tool) => asList(asRecord(tool)['functionDeclarations']))
      .map(asRecord)
      .flatMap((tool) =>
        offeredTool(tool['name'], tool['parametersJsonSchema'] ?? tool['parameters']),
      ),
    userTexts: asList(request['contents'])
      .map(asRecord)
      .filter((content) => content['role'] !== 'model')
      .flatMap((content) => textsOf(content['parts'])),
    wantsJson: config['responseMimeType'] === 'application/json',
  };
};

const thought = (text: string) => ({ text, thought: true });

const callPart = (call: ToolCall) => ({
  functionCall: { id: call.id, name: call.name, args: call.args },
});

const chunk = (request: ModelRequest, parts: readonly unknown[], finishReason?: string) => ({
  candidates: [
    {
      content: { role: 'model', parts },
      index: 0,
      ...(finishReason === undefined ? {} : { finishReason }),
    },
  ],
  modelVersion: request.model,
  responseId: 'lab',
  ...(finishReason === undefined ? {} : { usageMetadata }),
});

const whole = (request: ModelRequest, answer: ModelAnswer): unknown =>
  chunk(
    request,
    [
      ...(answer.thinking === undefined ? [] : [thought(answer.thinking)]),
      ...(answer.text === undefined ? [] : [{ text: answer.text }]),
      ...(answer.call === undefined ? [] : [callPart(answer.call)]),
    ],
    'STOP',
  );

export const gemini: Dialect = {
  name: 'gemini',
  read,
  stream: (request) => ({
    begin: () => '',
    thinking: (text) => frame(chunk(request, [thought(text)])),
    text: (text) => frame(chunk(request, [{ text }])),
    call: (call) => frame(chunk(request, [callPart(call)])),
    end: () => frame(chunk(request, [{ text: '' }], 'STOP')),
  }),
  whole,
  failure: (status, message) => ({
    error: { code: status, message, status: statusNames[status] ?? 'UNKNOWN' },
  }),
};
