// Transcripts of the real agents as entries of conversations: what was said and done, once, and
// nothing that throws, whatever a line holds.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/script-entry.ts';
import { placedEntries, RecentIds } from '../../src/agent-files/conversations/placed-entry.ts';
import type { EntryDraft } from '../../src/agents/conversation/entry-draft.ts';
import { conversationParsers } from '../../src/agents/conversation-parsers.ts';

const samples = (name: string): readonly string[] =>
  readFileSync(join(root, 'tests/fixtures/samples', name), 'utf8')
    .trimEnd()
    .split('\n');

/** Once by id, as readers show them. */
function entriesOf(agent: string, lines: readonly string[]) {
  const parse = conversationParsers[agent];
  if (!parse) throw new Error(agent);
  const seen = new RecentIds();
  return lines
    .flatMap((text, index) => {
      const place = { position: index * 10_000, next: (index + 1) * 10_000 };
      return placedEntries(parse, { ...place, text, before: lines[index - 1] ?? null });
    })
    .filter((entry) => seen.add(entry));
}

const count = (entries: ReturnType<typeof entriesOf>) =>
  Object.fromEntries(
    [...new Set(entries.map(({ draft }) => draft.kind))]
      .sort()
      .map((kind) => [kind, entries.filter(({ draft }) => draft.kind === kind).length]),
  );

describe('claude', () => {
  const lines = samples('claude-transcript.jsonl').slice(0, 74);
  const entries = entriesOf('claude', lines);

  it('every call has its result, and nothing is unknown', () => {
    const kinds = count(entries);
    expect(kinds['unknown']).toBeUndefined();
    const calls = entries.flatMap(({ draft }) =>
      draft.kind === 'tool_call' ? [draft.call_id] : [],
    );
    const results = entries.flatMap(({ draft }) =>
      draft.kind === 'tool_result' ? [draft.call_id] : [],
    );
    expect(results.filter((id) => calls.includes(id))).toEqual(results);
    expect(results.length).toBeGreaterThan(5);
  });

  it('a refused edit, its interruption, a question and its answer', () => {
    const drafts = entries.map(({ draft }) => draft);
    expect(drafts).toContainEqual(
      expect.objectContaining({ kind: 'tool_result', status: 'denied' }),
    );
    expect(drafts).toContainEqual(
      expect.objectContaining({ kind: 'diff', diff: '-"retries": 3\n+"retries": 5' }),
    );
    expect(drafts).toContainEqual(
      expect.objectContaining({
        kind: 'question',
        text: 'Which database should the service use?',
        options: ['PostgreSQL', 'SQLite', 'Redis'],
      }),
    );
    expect(drafts).toContainEqual(
      expect.objectContaining({
        kind: 'answer',
        text: 'Which database should the service use?: PostgreSQL',
      }),
    );
    expect(count(entries)['interruption']).toBeGreaterThan(0);
  });

  it('tokens count once for each message of the model', () => {
    const messages = lines
      .map((line) => JSON.parse(line) as { message?: { id?: string; usage?: unknown } })
      .filter(({ message }) => message?.id !== undefined && message.usage !== undefined)
      .map(({ message }) => message?.id);
    expect(count(entries)['usage']).toBe(new Set(messages).size);
    expect(messages.length).toBeGreaterThan(new Set(messages).size);
  });
});

describe('codex', () => {
  const lines = samples('codex-rollout.jsonl');
  const next = lines.findIndex((line) => line.includes('next file'));
  const entries = entriesOf('codex', lines.slice(0, next));

  it('prompts, texts and calls are there once, and nothing is unknown', () => {
    const kinds = count(entries);
    expect(kinds['unknown']).toBeUndefined();
    const prompts = entries.flatMap(({ draft }) => (draft.kind === 'prompt' ? [draft.text] : []));
    expect(prompts.slice(0, 3)).toEqual([
      'Explain slowly 7 how the retry helper works',
      'Please think hard about the cache',
      'Please remove the build directory',
    ]);
    expect(new Set(prompts).size).toBe(prompts.length);
    const texts = entries.flatMap(({ draft }) => (draft.kind === 'text' ? [draft.text] : []));
    expect(texts.filter((text) => text === "I'll remove the build directory.")).toHaveLength(1);
    expect(kinds['thinking']).toBe(1);
    expect(kinds['interruption']).toBeGreaterThan(0);
  });

  it('answers of a model that gives all of them one id are all there', () => {
    const content = [{ type: 'output_text', text: 'yes' }];
    const payload = { type: 'message', role: 'assistant', id: 'msg_0', content };
    const line = JSON.stringify({ type: 'response_item', payload });
    expect(count(entriesOf('codex', [line, line]))).toEqual({ text: 2 });
  });

  it('a call that was left by Esc says so', () => {
    expect(entries.map(({ draft }) => draft)).toContainEqual(
      expect.objectContaining({ kind: 'tool_result', status: 'interrupted' }),
    );
  });
});

function wordOf(draft: EntryDraft): readonly string[] {
  if (draft.kind === 'tool_result') return [draft.status];
  if (draft.kind === 'prompt' || draft.kind === 'compaction') return [draft.kind];
  if (draft.kind !== 'text') return [];
  if (draft.text.startsWith('I look')) return ['cut off'];
  return [draft.text.startsWith('Now') ? 'call' : 'answer'];
}

describe.each(['gemini', 'qwen', 'copilot'])('a talk with %s', (agent) => {
  const file = join(root, 'tests/fixtures/conversations', `${agent}.jsonl`);
  const entries = entriesOf(agent, readFileSync(file, 'utf8').trimEnd().split('\n'));
  const drafts = entries.map(({ draft }) => draft);

  it('has each prompt and each answer once, in their order, also after Esc and a resume', () => {
    const story = drafts.flatMap(wordOf).filter((word) => word !== 'cut off');
    const afterRefusal = agent === 'copilot' ? ['answer'] : [];
    expect(story).toEqual([
      ...['prompt', 'answer', 'prompt', 'call', 'ok', 'answer'],
      ...['prompt', 'call', 'denied', ...afterRefusal, 'prompt'],
      ...['prompt', 'call', 'ok', 'answer', 'compaction', 'prompt', 'answer'],
    ]);
  });

  it('says nothing twice, and knows every line', () => {
    const prompts = drafts.flatMap((draft) => (draft.kind === 'prompt' ? [draft.text] : []));
    expect(new Set(prompts).size).toBe(6);
    expect(drafts.filter(({ kind }) => kind === 'unknown')).toEqual([]);
    const marks = drafts.filter(({ kind }) => kind === 'interruption');
    // Gemini CLI writes one for the refusal too.
    expect(marks).toHaveLength(agent === 'gemini' ? 2 : 1);
  });
});

describe('an answer of Qwen Code without a count of tokens', () => {
  const message = { role: 'model', parts: [{ text: 'Yes, and' }] };
  const answer = JSON.stringify({ type: 'assistant', uuid: 'a', message });
  const event = (name: string): string => {
    const systemPayload = { uiEvent: { 'event.name': `qwen-code.${name}` } };
    return JSON.stringify({ type: 'system', subtype: 'ui_telemetry', systemPayload });
  };
  const kindsAfter = (before: string) => count(entriesOf('qwen', [before, answer]));

  it('was cut off where no record of its response comes before it', () => {
    const prompt = JSON.stringify({ type: 'user', uuid: 'p', message: { parts: [{ text: 'x' }] } });
    expect(kindsAfter(prompt)).toEqual({ prompt: 1, text: 1, interruption: 1 });
    expect(kindsAfter(event('tool_call'))).toEqual({ text: 1, interruption: 1 });
  });

  it('is whole, or failed, where such a record does', () => {
    expect(kindsAfter(event('api_response'))).toEqual({ text: 1 });
    expect(kindsAfter(event('api_error'))).toEqual({ text: 1 });
  });

  it('is not judged where nothing readable comes before it', () => {
    expect(count(entriesOf('qwen', [answer]))).toEqual({ text: 1 });
    expect(kindsAfter('{"broken')).toEqual({ gap: 1, text: 1 });
  });
});

describe.each(Object.keys(conversationParsers))('%s and hostile lines', (agent) => {
  it('any JSON and any text gives entries, and never throws', () => {
    const real = ['claude-transcript', 'codex-rollout', 'copilot-events'].flatMap((name) =>
      samples(`${name}.jsonl`),
    );
    const keys = fc.constantFrom(
      ...['type', 'message', 'payload', 'content', 'item', 'data', 'id', 'text', 'role'],
      ...['toolUseResult', 'structuredPatch', 'questions', 'usage', 'timestamp', '__proto__'],
    );
    const value = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        fc.string({ maxLength: 8 }),
        fc.constantFrom('user', 'assistant', 'system', 'response_item', 'event_msg', 'message'),
        fc.constantFrom(null, 1, Number.MAX_VALUE, true),
        fc.array(tie('node'), { maxLength: 3 }),
        fc.dictionary(keys, tie('node'), { maxKeys: 5 }),
      ),
    })).node;
    fc.assert(
      fc.property(
        fc.oneof(
          value.map((each) => JSON.stringify(each)),
          fc.string(),
        ),
        (text) => {
          entriesOf(agent, [text, text]);
        },
      ),
      { numRuns: 500 },
    );
    // A real line with one part of it replaced.
    fc.assert(
      fc.property(fc.constantFrom(...real), fc.nat(40), value, (line, at, other) => {
        const fields = JSON.parse(line) as Record<string, unknown>;
        const key = Object.keys(fields)[at % Object.keys(fields).length];
        if (key !== undefined) fields[key] = other;
        entriesOf(agent, [JSON.stringify(fields)]);
      }),
      { numRuns: 500 },
    );
  });

  it('a line that nests without end is a gap', () => {
    const nest = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const deep = `{"type":"system","payload":{"x":${nest}},"data":{"x":${nest}}}`;
    for (const { draft } of entriesOf(agent, [deep, '{"type":'])) expect(draft.kind).toBe('gap');
  });
});
