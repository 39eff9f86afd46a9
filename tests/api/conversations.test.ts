// Conversations through the operations, over transcripts that are real files: pages, streams that
// go on at a cursor, and what a file that changes under them becomes.

import { appendFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { LineRecords } from '../../src/agent-files/conversations/line-records.ts';
import { LineFollower } from '../../src/agent-files/files/line-follower.ts';
import { LocalFiles } from '../../src/agent-files/files/local-files.ts';
import type {
  ConversationMessage,
  StreamMessage,
} from '../../src/operations/ports/stream-message.ts';
import {
  type ConversationEntry,
  type ConversationPage,
  conversationSchemas,
} from '../../src/schema/api/conversation.ts';
import { paneKey, runtimeId } from '../scenario.ts';
import { Inside } from './fixture.ts';
import { InProcessDoor } from './in-process-door.ts';

const at = (number: number) => new Date(1_800_000_000_000 + number).toISOString();

function line(number: number, text = `answer ${number}`): string {
  const message = { id: `m${number}`, role: 'assistant', content: [{ type: 'text', text }] };
  const fields = { type: 'assistant', uuid: `u${number}`, timestamp: at(number), message };
  return `${JSON.stringify(fields)}\n`;
}

const lines = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, index) => line(from + index)).join('');

const ref = String(paneKey(0));

class Talk {
  readonly inside = new Inside();
  readonly door: InProcessDoor;
  readonly path: string;

  constructor(text: string, { isFollowed = false, sessionId = 'one' } = {}) {
    this.path = join(this.inside.folder, `${sessionId}.jsonl`);
    writeFileSync(this.path, text);
    this.door = new InProcessDoor(this.inside.host);
    onTestFinished(() => this.door[Symbol.dispose]());
    this.announce(sessionId, isFollowed);
  }

  announce(sessionId: string, isFollowed = false): void {
    const files = new LocalFiles();
    const follower = isFollowed
      ? new LineFollower({
          ...{ files, path: this.path, isBoundary: () => true },
          ...{ onLines: () => {}, onProblem: () => {} },
        })
      : null;
    if (follower) onTestFinished(() => follower[Symbol.dispose]());
    this.inside.transcripts.announce(runtimeId(0), {
      agent: 'claude',
      sessionId,
      records: new LineRecords(files, this.path, () => follower),
      child: () => null,
    });
  }

  async page(input: object): Promise<ConversationPage> {
    const result = await this.door.call('read_conversation', { ref, ...input });
    if (!result.ok) throw new Error(result.problem.message);
    return conversationSchemas.read_conversation.output.parse(result.value);
  }

  async watch(input: object = {}): Promise<void> {
    const result = await this.door.call('watch_conversation', { ref, ...input });
    expect(result).toMatchObject({ ok: true });
  }

  get messages(): readonly ConversationMessage[] {
    return this.door.messages.filter((each): each is ConversationMessage => isOfTalk(each));
  }

  /** The numbers of the answers that a watcher got, in their order; words between them are kept. */
  get story(): readonly (number | string)[] {
    return this.messages.flatMap((message) => {
      if (message.type === 'conversation_entries') return numbers(message.entries);
      if (message.type === 'conversation_gap') return [message.reason];
      if (message.type === 'conversation_began') return [message.is_snapshot ? 'all' : 'on'];
      return message.type === 'conversation_caught_up' ? ['|'] : ['end'];
    });
  }

  async until(story: readonly (number | string)[]): Promise<void> {
    await vi.waitFor(() => expect(this.story).toEqual(story), 15_000);
    expect(this.inside.defects).toEqual([]);
  }
}

const isOfTalk = ({ type }: StreamMessage): boolean => type.startsWith('conversation_');

const numbers = (entries: readonly ConversationEntry[]): readonly (number | string)[] =>
  entries.map((entry) =>
    entry.kind === 'text' ? Number(entry.text.replace('answer ', '')) : entry.kind,
  );

const range = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => from + index);

describe('pages', () => {
  it('go back to the start and forward to the end, each entry once and in order', async () => {
    const talk = new Talk(lines(0, 1_000));
    let page = await talk.page({ limit: 300 });
    expect(numbers(page.entries)).toEqual(range(700, 1_000));
    let found = numbers(page.entries);
    while (page.before !== null) {
      page = await talk.page({ limit: 300, before: page.before });
      found = [...numbers(page.entries), ...found];
    }
    expect(found).toEqual(range(0, 1_000));
    page = await talk.page({ limit: 400, from_start: true, after: undefined });
    const forward = [...numbers((await talk.page({ limit: 400, from_start: true })).entries)];
    let { after, has_more: hasMore } = page;
    while (hasMore) {
      page = await talk.page({ limit: 400, after });
      forward.push(...numbers(page.entries));
      ({ after, has_more: hasMore } = page);
    }
    expect(forward).toEqual(range(0, 1_000));
    expect((await talk.page({ after })).entries).toEqual([]);
  });

  it('an entry that was written again is there once', async () => {
    const talk = new Talk(lines(0, 5) + line(3) + lines(5, 7));
    expect(numbers((await talk.page({})).entries)).toEqual(range(0, 7));
    const { entries } = await talk.page({ limit: 4 });
    expect(numbers(entries)).toEqual([3, 4, 5, 6]);
    const fourth = entries[1]?.cursor;
    expect(numbers((await talk.page({ after: fourth })).entries)).toEqual([5, 6]);
  });

  it('a long text is cut, and is whole in pieces; secrets are in neither', async () => {
    const secret = `sk-ant-api03-${'a'.repeat(60)}`;
    const long = `${'ab😀'.repeat(30_000)} ${secret}`;
    const talk = new Talk(line(0, long) + line(1, secret));
    const { entries } = await talk.page({});
    expect(JSON.stringify(entries)).not.toContain(secret);
    expect(entries[0]?.cut?.['text']).toBeGreaterThan(100_000);
    let whole = '';
    for (let from: number | null = 0; from !== null; ) {
      const input = { ref, cursor: entries[0]?.cursor, field: 'text', from };
      const result = await talk.door.call('read_conversation_text', input);
      if (!result.ok) throw new Error(result.problem.message);
      const piece = result.value as { text: string; next: number | null };
      expect(piece.text).toBe(piece.text.toWellFormed());
      whole += piece.text;
      from = piece.next;
    }
    expect(whole.startsWith('ab😀'.repeat(30_000))).toBe(true);
    expect(whole).not.toContain(secret);
  });

  it('lines that are broken or too long are gaps in their places', async () => {
    const huge = JSON.stringify({ type: 'user', message: { content: 'x'.repeat(9_000_000) } });
    const talk = new Talk(`${line(0)}{"type":\n${line(1)}${huge}\n${line(2)}\0\0\n{"half`);
    const expected = [0, 'gap', 1, 'gap', 2, 'gap'];
    expect(numbers((await talk.page({})).entries)).toEqual(expected);
    expect(numbers((await talk.page({ from_start: true })).entries)).toEqual(expected);
  });

  it('a cursor of a transcript that was cut or replaced gives a gap and a new page', async () => {
    const talk = new Talk(lines(0, 10));
    const { after } = await talk.page({});
    truncateSync(talk.path, line(0).length * 3);
    expect(await talk.page({ after })).toMatchObject({ gap: 'truncated' });
    writeFileSync(talk.path, lines(100, 200));
    const page = await talk.page({ after, limit: 5 });
    expect(page.gap).toBe('replaced');
    expect(numbers(page.entries)).toEqual(range(195, 200));
    expect(await talk.page({ before: 'nonsense' })).toMatchObject({ gap: 'replaced' });
    expect(await talk.page({ after: 'zz.1.1' })).toMatchObject({ gap: 'other_conversation' });
  });

  it('a pane without a transcript is refused', async () => {
    const talk = new Talk('');
    const result = await talk.door.call('read_conversation', { ref: String(paneKey(1)) });
    expect(result).toMatchObject({ ok: false, problem: { code: 'E_REF_NOT_FOUND' } });
    const other = await talk.door.call('read_conversation', { ref, conversation: 'claude:x' });
    expect(other).toMatchObject({ ok: false });
    expect((await talk.page({})).entries).toEqual([]);
  });
});

describe.each([true, false])('a stream, with lines of a follower: %s', (isFollowed) => {
  it('brings what was there and then what comes', async () => {
    const talk = new Talk(lines(0, 600), { isFollowed });
    await talk.watch({ last: 10 });
    await talk.until(['all', ...range(590, 600), '|']);
    appendFileSync(talk.path, lines(600, 605));
    await talk.until(['all', ...range(590, 600), '|', ...range(600, 605)]);
  });

  it('goes on at a cursor, whole messages and all', async () => {
    const talk = new Talk(lines(0, 1_000), { isFollowed });
    const { after } = await talk.page({ limit: 250, from_start: true });
    await talk.watch({ cursor: after });
    await talk.until(['on', ...range(250, 1_000), '|']);
  });

  it('a line that is written in pieces comes once, when it is whole', async () => {
    const talk = new Talk(lines(0, 3), { isFollowed });
    await talk.watch();
    await talk.until(['all', 0, 1, 2, '|']);
    appendFileSync(talk.path, line(3).slice(0, 20));
    appendFileSync(talk.path, line(3).slice(20) + line(4).slice(0, 5));
    await talk.until(['all', 0, 1, 2, '|', 3]);
    appendFileSync(talk.path, line(4).slice(5));
    await talk.until(['all', 0, 1, 2, '|', 3, 4]);
  });

  it('a file that is cut and written anew is a gap, then all that it holds', async () => {
    const talk = new Talk(lines(0, 5), { isFollowed });
    await talk.watch();
    await talk.until(['all', ...range(0, 5), '|']);
    truncateSync(talk.path, 0);
    appendFileSync(talk.path, line(50));
    // The cut file may be read while it is empty: then its one line comes after the mark.
    const entries = (): unknown => talk.story.filter((each) => each !== '|');
    const first = ['all', ...range(0, 5), 'truncated', 'all', 50];
    await vi.waitFor(() => expect(entries()).toEqual(first), 15_000);
    appendFileSync(talk.path, line(51));
    await vi.waitFor(() => expect(entries()).toEqual([...first, 51]), 15_000);
  });

  it('another file in its place is a gap, and a copy that goes on is none', async () => {
    const talk = new Talk(lines(0, 5), { isFollowed });
    await talk.watch();
    await talk.until(['all', ...range(0, 5), '|']);
    writeFileSync(`${talk.path}.new`, lines(0, 7));
    renameSync(`${talk.path}.new`, talk.path);
    await talk.until(['all', ...range(0, 5), '|', 5, 6]);
    writeFileSync(`${talk.path}.new`, lines(20, 30));
    renameSync(`${talk.path}.new`, talk.path);
    const second = ['replaced', 'all', ...range(20, 30), '|'];
    await talk.until(['all', ...range(0, 5), '|', 5, 6, ...second]);
  });

  it('follows the agent to its next conversation', async () => {
    const talk = new Talk(lines(0, 2), { isFollowed });
    await talk.watch();
    await talk.until(['all', 0, 1, '|']);
    writeFileSync(talk.path, lines(7, 9));
    talk.announce('two', isFollowed);
    await vi.waitFor(() => expect(talk.story.slice(-4)).toEqual(['all', 7, 8, '|']), 15_000);
    const began = talk.messages.findLast(({ type }) => type === 'conversation_began');
    expect(began).toMatchObject({ conversation: { id: 'claude:two' } });
  });
});

it('a watcher of an agent that has said nothing yet gets all when it begins', async () => {
  const inside = new Inside();
  const door = new InProcessDoor(inside.host);
  onTestFinished(() => door[Symbol.dispose]());
  const opened = await door.call('watch_conversation', { ref });
  expect(opened).toMatchObject({ ok: true, value: { conversation: null } });
  const path = join(inside.folder, 'late.jsonl');
  const records = new LineRecords(new LocalFiles(), path);
  const transcript = { agent: 'claude', sessionId: 'late', records, child: () => null };
  inside.transcripts.announce(runtimeId(0), transcript);
  writeFileSync(path, lines(0, 2));
  await vi.waitFor(
    () =>
      expect(
        door.messages.flatMap((each) =>
          each.type === 'conversation_entries' ? numbers(each.entries) : [],
        ),
      ).toEqual([0, 1]),
    15_000,
  );
});
