// The last prompt and the last message in recordings of real agents, each by the source that reads
// its transcript.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../../scripts/script-entry.ts';
import { normalise, sampleLines, sampleText } from './signal.ts';

type Words = Readonly<Record<'prompt' | 'message', string | null | undefined>>;

/** What stands after all signals: the newest of each. */
function wordsIn(agent: string, source: string, signals: readonly unknown[]): Words {
  const words = { prompt: undefined, message: undefined } as Record<keyof Words, Words['prompt']>;
  for (const raw of signals) {
    const signal = normalise(agent, source, raw);
    if (signal.kind !== 'claims') continue;
    words.prompt = signal.activity?.prompt ?? words.prompt;
    words.message = signal.activity?.message ?? words.message;
  }
  return words;
}

const talk = (agent: string): readonly string[] =>
  readFileSync(join(root, 'tests/fixtures/conversations', `${agent}.jsonl`), 'utf8')
    .trimEnd()
    .split('\n');

describe('the last prompt and message', () => {
  it.each([
    {
      ...{ agent: 'claude', source: 'claude-transcript' },
      ...{ prompt: 'ask me several things', message: 'I will use your choice.' },
      lines: sampleLines('claude-transcript.jsonl').slice(0, 74),
    },
    {
      ...{ agent: 'codex', source: 'codex-rollout', prompt: 'run the test suite' },
      message: 'All 14 tests pass. Nothing else to change.',
      lines: sampleLines('codex-rollout.jsonl'),
    },
    {
      ...{ agent: 'copilot', source: 'copilot-events' },
      ...{ prompt: 'ASKTOOL db', message: 'I will write a file.' },
      lines: sampleLines('copilot-events.jsonl'),
    },
    {
      ...{ agent: 'gemini', source: 'gemini-chat', prompt: 'lab-ba94e4 go on' },
      ...{ message: 'The answer is word-d11453c4.', lines: talk('gemini') },
    },
    {
      ...{ agent: 'qwen', source: 'qwen-chat', prompt: 'lab-d7a4a5 go on' },
      ...{ message: 'The answer is word-afdafe82.', lines: talk('qwen') },
    },
  ])('of $agent are in its $source', ({ agent, source, lines, prompt, message }) => {
    expect(wordsIn(agent, source, lines)).toEqual({ prompt, message });
  });

  it('of opencode are in the events of its server, and nothing of a text that grows', () => {
    const events = sampleText('opencode-sse.txt')
      .split('\n')
      .filter((line) => line.startsWith('data: '))
      .map((line) => line.slice('data: '.length));
    expect(wordsIn('opencode', 'opencode-http', events)).toEqual({
      prompt: 'HELLO from http',
      message: 'Hello from the fake model.',
    });
    const growing = { type: 'text', text: 'half of', time: { start: 1 } };
    const part = (more: object) => ({
      type: 'message.part.updated',
      properties: { sessionID: 'ses_1', part: { ...growing, ...more } },
    });
    expect(normalise('opencode', 'opencode-http', part({})).kind).toBe('ignored');
    const own = { time: undefined, synthetic: true };
    expect(normalise('opencode', 'opencode-http', part(own)).kind).toBe('ignored');
  });

  it('of gemini are in its hooks too', () => {
    const event = { hook_event_name: 'AfterAgent', prompt_response: 'It is done.' };
    expect(wordsIn('gemini', 'gemini-hooks', [event]).message).toBe('It is done.');
  });

  it('of codex are there while the turn goes on', () => {
    const lines = sampleLines('codex-rollout.jsonl');
    const at = lines.findIndex((line) => line.includes('"AgentMessage"'));
    const before = lines.slice(0, at + 1);
    expect(before.some((line) => line.includes('task_complete'))).toBe(false);
    expect(wordsIn('codex', 'codex-rollout', before).message).toMatch(/^I looked through/);
  });

  it('are never those of a subagent', () => {
    const line = {
      uuid: 'u',
      agentId: 'a1',
      type: 'assistant',
      message: { parts: [{ text: 'x' }] },
    };
    expect(normalise('qwen', 'qwen-chat', line).kind).toBe('ignored');
    const { agentId: _agent, ...main } = line;
    expect(wordsIn('qwen', 'qwen-chat', [main]).message).toBe('x');
  });
});
