// The fake model of the lab, asked over HTTP as each vendor's clients do: the shape of its answers,
// whose script a request belongs to, gates, errors, broken streams, and a close with open streams.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeModel } from '../../lab/fake-model/fake-model.ts';
import { Gate } from '../../lab/fake-model/gate.ts';

const deadlineMs = 20_000;
const token = 'lab-7f3a';

const shellSchema = {
  type: 'object',
  properties: { command: { type: 'string' }, description: { type: 'string' } },
  required: ['command', 'description'],
};

let model: FakeModel;

beforeEach(async () => {
  model = await FakeModel.start();
});

afterEach(async () => {
  await model.close();
});

const post = (path: string, body: unknown): Promise<Response> =>
  fetch(`${model.url}${path}`, { method: 'POST', body: JSON.stringify(body) });

type Frame = Record<string, unknown> & { type?: string };

const frames = async (response: Response): Promise<readonly Frame[]> =>
  (await response.text())
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)) as Frame);

const anthropicBody = (text: string, more: object = {}) => ({
  model: 'claude-lab',
  stream: true,
  tools: [{ name: 'Bash', input_schema: shellSchema }],
  messages: [{ role: 'user', content: [{ type: 'text', text }] }],
  ...more,
});

const chatBody = (text: string, more: object = {}) => ({
  model: 'gpt-lab',
  stream: true,
  tools: [{ type: 'function', function: { name: 'bash', parameters: shellSchema } }],
  messages: [{ role: 'user', content: text }],
  ...more,
});

const callShell = { kind: 'tool', tool: 'shell', args: { command: './build' } } as const;

describe('what the four dialects look like', () => {
  it('Anthropic: blocks that open and close, and the reason of the stop', async () => {
    model.script(token, [
      { kind: 'thinking', thinking: 'Hm.', text: 'Done.' },
      { ...callShell, text: 'I build.' },
    ]);
    const first = await frames(await post('/v1/messages?beta=true', anthropicBody(token)));
    expect(first.map((frame) => frame.type)).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    const second = await (
      await post('/v1/messages', anthropicBody(token, { stream: false }))
    ).json();
    expect(second).toMatchObject({
      stop_reason: 'tool_use',
      content: [
        { type: 'text', text: 'I build.' },
        { type: 'tool_use', name: 'Bash', input: { command: './build', description: 'lab' } },
      ],
    });
  });

  it('OpenAI chat: deltas, the call with its arguments, and the end', async () => {
    model.script(token, [callShell, { kind: 'text', text: 'Done.' }]);
    const first = await frames(await post('/v1/chat/completions', chatBody(token)));
    expect(first.slice(0, 3)).toMatchObject([
      { choices: [{ delta: { role: 'assistant' }, finish_reason: null }] },
      { choices: [{ delta: { tool_calls: [{ index: 0, function: { name: 'bash' } }] } }] },
      { choices: [{ finish_reason: 'tool_calls' }] },
    ]);
    const response = await post('/v1/chat/completions', chatBody(token, { stream: false }));
    expect(await response.json()).toMatchObject({
      choices: [{ message: { content: 'Done.' }, finish_reason: 'stop' }],
    });
  });

  it('OpenAI responses: items come whole when they end; free text for a custom tool', async () => {
    model.script(token, [
      { kind: 'tool', tool: 'edit', args: { path: 'a.txt', old: 'x', new: 'y' }, text: 'I edit.' },
    ]);
    const body = {
      model: 'codex-lab',
      stream: true,
      tools: [{ type: 'custom', name: 'apply_patch' }],
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: token }] }],
    };
    const sent = await frames(await post('/v1/responses', body));
    expect(sent.map((frame) => frame.type)).toEqual([
      'response.created',
      'response.output_item.added',
      'response.output_text.delta',
      'response.output_item.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(sent[4]).toMatchObject({
      item: {
        type: 'custom_tool_call',
        name: 'apply_patch',
        input: '*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** End Patch\n',
      },
    });
  });

  it('Gemini: parts of a candidate, and a question filled from the schema of a tool', async () => {
    model.script(token, [
      { kind: 'tool', tool: 'question', args: { question: 'Which?', options: ['One', 'Two'] } },
    ]);
    const option = {
      type: 'object',
      properties: { label: {}, description: {} },
      required: ['label'],
    };
    const question = {
      type: 'object',
      properties: {
        question: { type: 'string' },
        header: { type: 'string' },
        type: { type: 'string', enum: ['choice', 'text'] },
        options: { type: 'array', items: option },
      },
      required: ['question', 'header', 'type'],
    };
    const parameters = {
      type: 'object',
      properties: { questions: { type: 'array', items: question } },
      required: ['questions'],
    };
    const sent = await frames(
      await post('/v1beta/models/gemini-lab:streamGenerateContent?alt=sse', {
        tools: [{ functionDeclarations: [{ name: 'ask_user', parametersJsonSchema: parameters }] }],
        contents: [{ role: 'user', parts: [{ text: token }] }],
      }),
    );
    expect(sent[0]).toMatchObject({
      candidates: [
        {
          content: {
            parts: [
              {
                functionCall: {
                  name: 'ask_user',
                  args: {
                    questions: [
                      {
                        question: 'Which?',
                        header: 'lab',
                        type: 'choice',
                        options: [
                          { label: 'One', description: 'Take One' },
                          { label: 'Two', description: 'Take Two' },
                        ],
                      },
                    ],
                  },
                },
              },
            ],
          },
        },
      ],
    });
    expect(sent.at(-1)).toMatchObject({ candidates: [{ finishReason: 'STOP' }] });
  });
});

describe('whose script a request belongs to', () => {
  const say = async (text: string, more: object = {}): Promise<string> => {
    const response = await post('/v1/chat/completions', chatBody(text, { stream: false, ...more }));
    const { choices } = (await response.json()) as { choices: { message: { content: string } }[] };
    return choices[0]?.message.content ?? '';
  };

  it('the newest token decides, and the last reply of a script repeats', async () => {
    model.script('lab-0001', [{ kind: 'text', text: 'old' }]);
    const handle = model.script(token, [
      { kind: 'text', text: 'first' },
      { kind: 'text', text: 'second' },
    ]);
    const text = `lab-0001 and later ${token}`;
    expect([await say(text), await say(text), await say(text)]).toEqual([
      'first',
      'second',
      'second',
    ]);
    expect(handle.requests.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(await say(`${token} and later lab-0001`)).toBe('old');
  });

  it('who makes a title quotes the prompt but uses up no reply', async () => {
    const handle = model.script(token, [{ kind: 'text', text: 'first' }]);
    const json = { tools: [], response_format: { type: 'json_object' } };
    expect(await say(`A title for: ${token}`, json)).toBe('{"title":"Lab"}');
    expect(await say('who are you')).toBe('Lab');
    expect(handle.requests).toEqual([]);
  });

  it('a tool of a server is called by the name that the agent gave it', async () => {
    const tool = 'mcp:agtmux/list_agents';
    const args = ({ userTexts }: { readonly userTexts: readonly string[] }) => ({
      agent: userTexts.at(-1),
    });
    model.script(token, [{ kind: 'tool', tool, args }]);
    const parameters = { type: 'object', properties: {} };
    const tools = ['list_agents', 'agtmux-list_agents'].map((name) => ({
      ...{ type: 'function', function: { name, parameters } },
    }));
    const body = chatBody(token, { stream: false, tools });
    const [choice] = (await (await post('/v1/chat/completions', body)).json()).choices;
    expect(choice.message.tool_calls).toMatchObject([
      { function: { name: 'agtmux-list_agents', arguments: JSON.stringify({ agent: token }) } },
    ]);
  });

  it('Codex searches for the tools of a server, and calls one by its two names', async () => {
    const tool = 'mcp:agtmux/list_agents';
    const handle = model.script(token, [
      { kind: 'tool', tool: 'search', args: { query: 'agents' } },
      { kind: 'tool', tool, args: {} },
    ]);
    const prompt = { role: 'user', content: [{ type: 'input_text', text: token }] };
    const searching = { type: 'tool_search', parameters: { properties: { query: {} } } };
    const shell = { type: 'function', name: 'shell', parameters: shellSchema };
    const body = { model: 'codex-lab', tools: [searching, shell], input: [prompt] };
    const [search] = (await (await post('/v1/responses', body)).json()).output;
    expect(search).toMatchObject({
      ...{ type: 'tool_search_call', execution: 'client', arguments: { query: 'agents' } },
    });
    const namespace = 'mcp__agtmux';
    const own = { type: 'function', name: 'list_agents', parameters: { type: 'object' } };
    const found = {
      type: 'tool_search_output',
      tools: [{ type: 'namespace', name: namespace, tools: [own] }],
    };
    const next = { ...body, input: [prompt, found] };
    const [call] = (await (await post('/v1/responses', next)).json()).output;
    expect(call).toMatchObject({ type: 'function_call', namespace, name: 'list_agents' });
    expect(handle.requests.at(-1)?.toolNames).toContain('mcp__agtmux__list_agents');
  });

  it('a tool that nobody offered is reported as a problem', async () => {
    const handle = model.script(token, [{ kind: 'tool', tool: 'plan', args: {} }]);
    expect(await say(token)).toContain('no tool of kind plan');
    expect(handle.requests[0]?.problem).toContain('among: bash');
  });
});

describe('when an answer ends', () => {
  it('a held stream goes on until its gate opens, and reports its moments in order', async () => {
    const gate = new Gate();
    const handle = model.script(token, [{ kind: 'text', text: 'Go.', until: gate, chunkMs: 5 }]);
    const response = post('/v1/messages', anthropicBody(token));
    await handle.reached(0, 'firstByteAtMs', deadlineMs);
    expect(handle.requests[0]?.finishedAtMs).toBeUndefined();
    gate.open();
    const finishedAtMs = await handle.reached(0, 'finishedAtMs', deadlineMs);
    expect(finishedAtMs).toBeGreaterThanOrEqual(handle.requests[0]?.requestAtMs ?? Infinity);
    expect((await frames(await response)).at(-1)?.type).toBe('message_stop');
  });

  it('an agent that goes away is seen', async () => {
    const handle = model.script(token, [
      { kind: 'text', text: '', until: new Gate(), quiet: true },
    ]);
    const gone = new AbortController();
    const asked = fetch(`${model.url}/v1/messages`, {
      method: 'POST',
      body: JSON.stringify(anthropicBody(token)),
      signal: gone.signal,
    }).catch(() => undefined);
    await handle.reached(0, 'requestAtMs', deadlineMs);
    gone.abort();
    await asked;
    await handle.reached(0, 'abortedAtMs', deadlineMs);
  });

  it('errors have the body of their vendor', async () => {
    model.script(token, [{ kind: 'error', status: 429, retryAfterS: 7 }]);
    const one = await post('/v1/messages', anthropicBody(token));
    expect([one.status, one.headers.get('retry-after')]).toEqual([429, '7']);
    expect(await one.json()).toMatchObject({ type: 'error', error: { type: 'rate_limit_error' } });
    const other = await post('/v1/chat/completions', chatBody(token));
    expect(await other.json()).toMatchObject({ error: { code: 'rate_limit_exceeded' } });
  });

  it('a cut stream breaks before its end', async () => {
    model.script(token, [{ kind: 'cut', text: 'I was go' }]);
    const response = await post('/v1/messages', anthropicBody(token));
    await expect(response.text()).rejects.toThrow();
  });

  it('a close ends held streams', async () => {
    const handle = model.script(token, [{ kind: 'text', text: 'Go.', until: new Gate() }]);
    const response = post('/v1/messages', anthropicBody(token)).then((it) => it.text());
    const broken = expect(response).rejects.toThrow();
    await handle.reached(0, 'firstByteAtMs', deadlineMs);
    await model.close();
    await broken;
  });

  it('what is no JSON is refused', async () => {
    const response = await fetch(`${model.url}/v1/messages`, { method: 'POST', body: '{' });
    expect(response.status).toBe(400);
  });
});
