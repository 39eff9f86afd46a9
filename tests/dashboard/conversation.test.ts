// What a conversation is on the page, as data: its parts, its pages, and the text of agents.

import { describe, expect, it } from 'vitest';
import type { ConversationEntry } from '../../src/schema/api/conversation.ts';
import {
  answerTo,
  applyConversation,
  type ConversationText,
  conversationParts,
  emptyConversation,
  withEarlier,
} from '../../src/web/state/conversation.ts';
import { richBlocks, richPieces } from '../../src/web/state/rich-text.ts';

let seq = 0;

function entry(fields: object): ConversationEntry {
  seq += 1;
  const common = { id: `e${seq}`, seq, cursor: `c${seq}`, position: seq, at: null, turn: null };
  return { ...common, subagent: null, ...fields } as ConversationEntry;
}

const conversation = {
  ...{ id: 'claude:one', agent: 'claude', session_id: 'one', pane_key: 'p', runtime_id: 'r' },
};
const push = { subscription: 'v1' };

const took = (text: ConversationText, ...entries: ConversationEntry[]): ConversationText =>
  applyConversation(text, {
    type: 'conversation_entries',
    data: { ...push, phase: 'live', entries, cursor: entries.at(-1)?.cursor ?? '' },
  });

const began = (text: ConversationText, isSnapshot: boolean): ConversationText =>
  applyConversation(text, {
    type: 'conversation_began',
    data: { ...push, conversation, is_snapshot: isSnapshot },
  });

describe('a conversation', () => {
  it('begins with a snapshot, grows, goes on after a loss, and joins earlier pages', () => {
    const later = [entry({ kind: 'prompt', text: 'b' }), entry({ kind: 'text', text: 'c' })];
    let text = took(began(emptyConversation, true), ...later);
    expect(text).toMatchObject({ hasEarlier: true, isWhole: false });
    const data = { ...push, cursor: 'c' };
    text = applyConversation(text, { type: 'conversation_caught_up', data });
    expect(text.isWhole).toBe(true);
    text = took(began(text, false), entry({ kind: 'text', text: 'd' }));
    const earlier = [entry({ kind: 'prompt', text: 'a' })];
    text = withEarlier(text, { entries: earlier, before: null, gap: null });
    const texts = text.entries.map((each) => 'text' in each && each.text);
    expect(texts).toEqual(['a', 'b', 'c', 'd']);
    expect(text.hasEarlier).toBe(false);
  });

  it('that was replaced begins anew and says so; a page of the one before is left out', () => {
    let text = took(began(emptyConversation, true), entry({ kind: 'text', text: 'old' }));
    text = applyConversation(text, {
      type: 'conversation_gap',
      data: { ...push, reason: 'replaced' },
    });
    text = took(began(text, true), entry({ kind: 'text', text: 'new' }));
    expect(text.gap).toBe('replaced');
    expect(text.entries).toHaveLength(1);
    const page = { entries: [entry({ kind: 'text', text: 'old' })], before: 'x', gap: 'replaced' };
    expect(withEarlier(text, page as never).entries).toHaveLength(1);
  });

  it('holds no more than it may, and can read again what it left out', () => {
    const many = Array.from({ length: 3_000 }, () => entry({ kind: 'text', text: 'x' }));
    let text = { ...took(emptyConversation, ...many), hasEarlier: false };
    text = { ...took(text, ...many) };
    expect(text.entries).toHaveLength(5_000);
    expect(text.hasEarlier).toBe(true);
  });

  it('has a tool with its result and its diffs in one part, however they are mixed', () => {
    const [call, other] = ['one', 'two'].map((id) =>
      entry({ kind: 'tool_call', call_id: id, tool: 'Edit', input: '{}' }),
    );
    const asked = entry({ kind: 'diff', call_id: 'one', path: 'a.ts', diff: '+x' });
    const result = entry({ kind: 'tool_result', call_id: 'one', status: 'ok', output: 'done' });
    const done = entry({ kind: 'diff', call_id: 'one', path: 'a.ts', diff: '@@\n+x' });
    const loose = entry({ kind: 'tool_result', call_id: 'gone', status: 'error', output: '' });
    const parts = conversationParts([call, asked, other, result, done, loose] as never);
    expect(parts.map((part) => part.entry)).toEqual([call, other, loose]);
    expect(parts[0]).toMatchObject({ result, diffs: [done] });
    expect(parts[1]).toMatchObject({ result: null, diffs: [] });
  });

  it('has each question with its own answer, and leaves out what says nothing', () => {
    const ask = (text: string): ConversationEntry =>
      entry({ kind: 'question', call_id: 'q', text, options: ['A', 'B'] });
    const answer = entry({ kind: 'answer', call_id: 'q', text: 'First?: A\nSecond?: B' });
    const silent = [
      entry({ kind: 'turn', phase: 'began', duration_ms: null }),
      entry({ kind: 'thinking', text: ' ' }),
      entry({ kind: 'unknown', type: 'x', text: 'x' }),
    ];
    const parts = conversationParts([...silent, ask('First?'), ask('Second?'), answer]);
    const given = parts.map((part) => answerTo(part.entry as never, part.answer));
    expect(given).toEqual(['A', 'B']);
  });
});

describe('the text of an agent', () => {
  it('has its code, lists, headings, quotes and tables as blocks', () => {
    const text =
      '# Title\nplain\nmore\n- one\n  1. two\n> said\n| a | b |\n| 1 | 2 |\n```ts\nx = 1\n```';
    expect(richBlocks(text).map(({ kind }) => kind)).toEqual([
      ...['heading', 'text', 'item', 'item', 'quote', 'table', 'code'],
    ]);
    expect(richBlocks('```\nnever closed')).toEqual([
      { kind: 'code', language: '', text: 'never closed' },
    ]);
    expect(richBlocks('  - deep').at(0)).toMatchObject({ kind: 'item', mark: '•', depth: 1 });
  });

  it('leads only to the web, and says where when its words do not', () => {
    const [lie] = richPieces('[https://good.example](https://evil.example/x)');
    expect(lie).toMatchObject({ kind: 'link', host: 'evil.example' });
    // The name of the host is in each of them, and a person reads another one.
    const lies = [
      ['https://good.example/?evil.example', 'https://evil.example/'],
      ['good.example/evil.example', 'https://evil.example/'],
      ['https://good.example@evil.example/', 'https://evil.example/'],
      ['to evil.example, or good.example', 'https://evil.example/'],
      ['https://g\u043e\u043ed.example', 'https://g\u043e\u043ed.example'],
    ] as const;
    for (const [text, href] of lies) {
      const [each] = richPieces(`[${text}](${href})`);
      expect([text, each]).toMatchObject([text, { kind: 'link', host: new URL(href).host }]);
    }
    const [plain, , end] = richPieces('https://a.example/b. And `code`');
    expect(plain).toMatchObject({ kind: 'link', text: 'https://a.example/b', host: null });
    expect(end).toEqual({ kind: 'code', text: 'code' });
    for (const bad of ['[x](javascript:alert(1))', 'data:text/html,x', '[x](file:///etc)']) {
      expect(richPieces(bad).some(({ kind }) => kind === 'link')).toBe(false);
    }
  });

  it('of any size and shape is read at once', () => {
    const hostile = ['`', '*', '[', '**[', '|', '- ', '> ', '# ', '```\n', '[a](', 'https://'];
    for (const each of hostile) expect(richBlocks(each.repeat(100_000)).length).toBeGreaterThan(0);
  }, 10_000);
});
