// Transcripts that change in every way under those who read them: lines appended whole and in
// pieces, files cut anywhere, replaced, rotated and copied. Whoever reads has, from the last gap
// on, exactly what the file holds, each entry once and in order.

import {
  appendFileSync,
  copyFileSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { LineRecords } from '../../src/agent-files/conversations/line-records.ts';
import { LocalFiles } from '../../src/agent-files/files/local-files.ts';
import type { StreamMessage } from '../../src/operations/ports/stream-message.ts';
import { type ConversationEntry, conversationSchemas } from '../../src/schema/api/conversation.ts';
import { repeats } from '../length.ts';
import { eventually } from '../live/tmux-server.ts';
import { paneKey, runtimeId } from '../scenario.ts';
import { Inside } from './fixture.ts';
import { InProcessDoor } from './in-process-door.ts';

const ref = String(paneKey(0));

const line = (number: number): string => {
  const text = `answer ${number} ${'.'.repeat((number * 37) % 200)}`;
  const message = { role: 'assistant', content: [{ type: 'text', text }] };
  return `${JSON.stringify({ type: 'assistant', uuid: `u${number}`, message })}\n`;
};

type Step =
  | { readonly kind: 'append' | 'pieces' | 'replace' | 'rewrite'; readonly lines: number }
  | { readonly kind: 'cut'; readonly share: number }
  | { readonly kind: 'half' | 'rotate' | 'copy' | 'read' };

const count = fc.integer({ min: 1, max: 12 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom('append', 'pieces'), lines: count }),
  fc.record({ kind: fc.constantFrom('replace', 'rewrite'), lines: count }),
  fc.record({ kind: fc.constant('cut'), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
  fc.record({ kind: fc.constantFrom('half', 'rotate', 'copy', 'read') }),
) as fc.Arbitrary<Step>;

/** One transcript and what is done to it. Each line that is ever written is another. */
class Transcript {
  readonly inside = new Inside();
  readonly door = new InProcessDoor(this.inside.host);
  readonly path = join(this.inside.folder, 'talk.jsonl');
  #next = 0;

  constructor() {
    onTestFinished(() => this.door[Symbol.dispose]());
    writeFileSync(this.path, '');
    this.inside.transcripts.announce(runtimeId(0), {
      agent: 'claude',
      sessionId: 'talk',
      records: new LineRecords(new LocalFiles(), this.path),
      child: () => null,
    });
  }

  #lines(lines: number): string {
    return Array.from({ length: lines }, () => line(this.#next++)).join('');
  }

  /** What a line that was cut off is followed by is a part of it, as with any writer. */
  take(each: Step): void {
    if (each.kind === 'append') appendFileSync(this.path, this.#lines(each.lines));
    else if (each.kind === 'pieces') {
      const text = this.#lines(each.lines);
      for (let from = 0; from < text.length; from += 61) {
        appendFileSync(this.path, text.slice(from, from + 61));
      }
    } else if (each.kind === 'replace') {
      writeFileSync(`${this.path}.new`, this.#lines(each.lines));
      renameSync(`${this.path}.new`, this.path);
    } else if (each.kind === 'rewrite') writeFileSync(this.path, this.#lines(each.lines));
    else if (each.kind === 'cut') {
      truncateSync(this.path, Math.floor(readFileSync(this.path).length * each.share));
    } else if (each.kind === 'half') appendFileSync(this.path, line(this.#next++).slice(0, 30));
    else if (each.kind === 'rotate') {
      renameSync(this.path, `${this.path}.1`);
      writeFileSync(this.path, this.#lines(1));
    } else if (each.kind === 'copy') {
      copyFileSync(this.path, `${this.path}.copy`);
      renameSync(`${this.path}.copy`, this.path);
    }
  }

  /** What it holds now: the answers, and broken lines. */
  get held(): readonly string[] {
    const text = readFileSync(this.path, 'utf8');
    const whole = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
    return whole.filter((each) => each !== '').map(wordOfLine);
  }

  remove(): void {
    rmSync(this.inside.folder, { recursive: true, force: true });
  }
}

function wordOfLine(text: string): string {
  try {
    return JSON.parse(text).message.content[0].text;
  } catch {
    return 'gap';
  }
}

const wordOf = (entry: ConversationEntry): string =>
  entry.kind === 'text' ? entry.text : entry.kind;

function expectOrder(entries: readonly ConversationEntry[]): void {
  for (const [index, { seq }] of entries.entries()) {
    const before = entries[index - 1];
    if (before) expect(seq).toBeGreaterThan(before.seq);
  }
}

it('who reads page after page has what the file holds, from the last gap on', async () => {
  const transcript = new Transcript();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      writeFileSync(transcript.path, '');
      let entries: ConversationEntry[] = [];
      let after: string | undefined;
      const read = async (): Promise<void> => {
        const from = after === undefined ? { from_start: true } : { after };
        const result = await transcript.door.call('read_conversation', {
          ref,
          limit: 500,
          ...from,
        });
        if (!result.ok) throw new Error(result.problem.message);
        const page = conversationSchemas.read_conversation.output.parse(result.value);
        entries = page.gap === null ? [...entries, ...page.entries] : [...page.entries];
        after = page.after;
        expectOrder(entries);
        expect(entries.map(wordOf)).toEqual(transcript.held);
      };
      for (const each of steps) {
        transcript.take(each);
        if (each.kind === 'read') await read();
      }
      await read();
    }),
    { numRuns: repeats(2_000) },
  );
});

/** What a watcher has from the last snapshot on. */
function sentEntries(messages: readonly StreamMessage[]): readonly ConversationEntry[] {
  const begin = messages.findLastIndex(
    (each) => each.type === 'conversation_began' && each.is_snapshot,
  );
  return messages
    .slice(begin + 1)
    .flatMap((each) => (each.type === 'conversation_entries' ? each.entries : []));
}

it('who watches has what the file holds, from the last gap on', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
      const transcript = new Transcript();
      const { door } = transcript;
      const opened = await door.call('watch_conversation', { ref, last: 10_000 });
      expect(opened).toMatchObject({ ok: true });
      for (const each of steps) {
        transcript.take(each);
        // Some changes are seen by themselves, some together with the next.
        if (each.kind === 'read') await new Promise((resolve) => setImmediate(resolve));
      }
      const isThere = (): boolean =>
        JSON.stringify(sentEntries(door.messages).map(wordOf)) === JSON.stringify(transcript.held);
      await eventually(isThere, 'all that the file holds').catch(() =>
        expect(sentEntries(door.messages).map(wordOf)).toEqual(transcript.held),
      );
      expectOrder(sentEntries(door.messages));
      expect(transcript.inside.defects).toEqual([]);
      door[Symbol.dispose]();
      transcript.remove();
    }),
    { numRuns: repeats(60) },
  );
}, 180_000);
