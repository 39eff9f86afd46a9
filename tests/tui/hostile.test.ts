// Whatever titles, names, screens and sizes there are: the view never throws, never is wider or
// higher than the terminal, and no byte of others reaches it but printable text and colours.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textWidth } from '../../src/render/width.ts';
import type { PaneItem } from '../../src/schema/api/panes.ts';
import { attentionKinds, reasonCodes } from '../../src/schema/state.ts';
import { plainStyle } from '../../src/text/ansi.ts';
import { states } from '../../src/text/state-words.ts';
import type { Message } from '../../src/tui/message.ts';
import { renderScreen } from '../../src/tui/pages/render-screen.ts';
import { ansiLines } from '../../src/tui/view/ansi-lines.ts';
import { frameBytes, pictureOf } from '../../src/tui/view/frame.ts';
import { lineBytes, lineWidth } from '../../src/tui/view/spans.ts';
import { ago, asks, Driver, endedAgent, explanation, pane, screen } from './fixture.ts';
import {
  ada,
  bundleItem,
  bundleListOf,
  inboxOf,
  member,
  messageItem,
  party,
  receipt,
} from './team-fixture.ts';

const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom(
    '\x1b]52;c;aGk=\x07clip',
    '\x1b[2J\x9b31mred',
    '\x1b[?1049l\x1b[?25h',
    'abc\u202efed\u2066',
    '\u0000\u0007\u0085',
    'e\u0301'.repeat(60),
    '日本語の名前 🚀👩‍👧🇯🇵',
    '\ud800',
    'x'.repeat(300),
    'tab\there\r\nnext',
    '\x1b[38;2;1;2;3mcolour\x1b[48;5;300m\x1b[5m\x1b[8m',
  ),
);

/** With or without options, one line or hundreds. */
function hostileRequest(text: string, other: string) {
  if (text.length % 3 === 0) return { text, tool: other };
  const options = [text, other, `${text}\n${other}`].map((label) => ({ label, selected: false }));
  return { tool: other, command: `${text}\n${other}\t`.repeat(text.length), text, options };
}

const hostilePane: fc.Arbitrary<PaneItem> = fc
  .record({
    id: fc.nat({ max: 30 }),
    text: nasty,
    other: nasty,
    state: fc.constantFrom(...states),
    reason: fc.option(fc.constantFrom(...reasonCodes)),
    presence: fc.constantFrom('managed' as const, 'unmanaged' as const, 'missing' as const),
    kind: fc.option(fc.constantFrom(...attentionKinds)),
    seat: fc.boolean(),
    age: fc.integer({ min: -1_000, max: 10_000_000 }),
  })
  .map(({ id, text, other, state, reason, presence, kind, seat, age }) => {
    const item = pane(id, {
      session: other,
      title: text,
      agent: presence === 'managed' ? other : null,
      git_branch: text,
      target: other,
      server: text,
      current_path: text,
      state,
      reason_code: reason,
      until: ago(-age),
      presence,
      since: ago(age),
      ...(kind === null ? {} : { attention: asks(kind, age, hostileRequest(text, other)) }),
    });
    return seat ? { ...item, identity: null, locations: [] } : item;
  });

const about = { subscription: 's', cursor: 'c', generated_at: ago(0) };

const message: fc.Arbitrary<(driver: Driver) => unknown> = fc.oneof(
  fc.array(hostilePane, { maxLength: 12 }).map((panes) => (d: Driver) => d.snapshot(panes)),
  fc.tuple(fc.array(hostilePane, { maxLength: 4 }), fc.array(fc.nat({ max: 30 }))).map(
    ([panes, gone]) =>
      (d: Driver) =>
        d.changed(
          panes,
          gone.map((id) => `key-${id}`),
        ),
  ),
  fc.constantFrom('lost' as const, 'back' as const).map((link) => (d: Driver) => {
    d.send({ type: 'link', link });
  }),
  fc
    .record({ columns: fc.integer({ min: 0, max: 400 }), rows: fc.integer({ min: 0, max: 80 }) })
    .map((size) => (d: Driver) => d.send({ type: 'resized', size })),
  fc.nat({ max: 100_000 }).map((ms) => (d: Driver) => {
    d.send({ type: 'tick', nowMs: d.model.nowMs + ms });
  }),
  fc
    .oneof(fc.constantFrom('i', 'A', 'D', 'X', 'K', 'R', 's', 'z', '1', '\t', '\x1b[6~', ' '))
    .map((keys) => (d: Driver) => d.type(keys)),
  fc.tuple(nasty, fc.boolean()).map(
    ([text, ok]) =>
      (d: Driver) =>
        d.finish(text, ok),
  ),
  fc.tuple(nasty, nasty, fc.boolean()).map(([text, other, ok]) => (d: Driver) => {
    const words = { path: text, session_name: other, prompt: other, target: text };
    const agent = endedAgent(text.length, { ...words, blocker: ok ? null : other });
    d.send({ type: 'ended', answer: { ok: true, value: [agent, endedAgent(2)] } });
  }),
  fc
    .oneof(fc.constantFrom('e', '?', 'p', '/', '!', 'a', 'n', 'j', 'G', 'q', '\r', '\x1b'), nasty)
    .map((keys) => (d: Driver) => d.type(keys)),
  fc.array(nasty, { maxLength: 30 }).map((lines) => (d: Driver) => d.send(...answers(d, lines))),
  fc.constantFrom('m', 'M', 'b', 'u', 'd', 'x', 'a').map((keys) => (d: Driver) => d.type(keys)),
  fc.tuple(nasty, nasty).map(([text, other]) => (d: Driver) => {
    const fields = { subject: other, body: `${text}\n${other}`, attachments: [text] };
    const receipts = [receipt(party(text, other, text), { status: 'queued', reason: text })];
    const all = [messageItem('m1', fields), messageItem('m2', { ...fields, from: ada, receipts })];
    d.send({ type: 'messages-read', answer: { ok: true, value: inboxOf(all, ada) } });
  }),
  fc.tuple(nasty, nasty).map(([text, other]) => (d: Driver) => {
    const sessions = [
      member(text, { name: other, coder: text, directory: other, presence: 'live' }),
    ];
    const list = bundleListOf(
      [bundleItem(other, { state: 'up', state_reason: text, groups: [text], sessions })],
      [{ code: 'E', file: text, line: 1, key: other, message: text }],
    );
    d.send({ type: 'teams-read', answer: { ok: true, value: list } });
  }),
  nasty.map((text) => (d: Driver) => d.send({ type: 'notice', text, isProblem: true })),
  hostilePane.map((item) => (d: Driver) => {
    const { pane_key, ref, attention } = item;
    const data = { ...about, panes: [{ pane_key, ref, attention }] };
    d.send({ type: 'push', push: { type: 'attention_changed', data } });
  }),
);

/** The screen and the ledger that the view waits for. */
function answers({ model }: Driver, lines: readonly string[]): readonly Message[] {
  const item = [...model.panes.values()].find(({ pane_key }) => pane_key === model.ledger?.paneKey);
  const previewed = model.preview && {
    type: 'previewed' as const,
    paneKey: model.preview.paneKey,
    answer: { ok: true as const, value: screen(model.preview.paneKey, lines) },
  };
  const explained = item && {
    type: 'explained' as const,
    paneKey: item.pane_key,
    answer: { ok: true as const, value: explanation(item) },
  };
  return [previewed, explained].filter((each) => each !== null && each !== undefined);
}

/** What is left of bytes when our own colours are taken out. */
const withoutColours = (bytes: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what may be there.
  bytes.replace(/\x1b\[[0-9;:]+m/g, '');

// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what must not be there.
const forbidden = /[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/;

function checkView({ model }: Driver): void {
  const lines = renderScreen(model);
  expect(lines).toHaveLength(model.size.rows);
  for (const line of lines) {
    expect(lineWidth(line)).toBeLessThanOrEqual(model.size.columns);
    expect(withoutColours(lineBytes(line, model.look.color))).not.toMatch(forbidden);
  }
}

describe('the view', () => {
  it('holds its shape under any messages, names, screens and sizes', () => {
    const look = fc.record({ color: fc.boolean(), unicode: fc.boolean(), isLight: fc.boolean() });
    fc.assert(
      fc.property(look, fc.array(message, { maxLength: 25 }), (drawn, steps) => {
        const driver = new Driver({ columns: 100, rows: 30 }, drawn);
        for (const step of steps) {
          step(driver);
          checkView(driver);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('a screen', () => {
  it('is read into printable text and colours, whatever is in it', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(nasty, fc.string({ unit: 'binary' }))), (lines) => {
        for (const line of ansiLines(lines, true)) {
          expect(withoutColours(lineBytes(line, true))).not.toMatch(forbidden);
          const plain = lineBytes(line, false).replaceAll('\x1b[7m', '').replaceAll('\x1b[0m', '');
          expect(plain).not.toContain('\x1b');
        }
      }),
    );
  });

  it('keeps colours and attributes, drops what is not one, and goes on over a line end', () => {
    const [first, second] = ansiLines(
      ['a\x1b[1;31mb\x1b[38;5;9mc\x1b[48:2::1:2:3md\x1b[5;8me', 'f\x1b[mg\x1b]8;;http://x\x07h'],
      true,
    );
    expect(first?.map(({ text }) => text)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(first?.[1]?.style).toMatchObject({ bold: true, dim: false, foreground: '31' });
    expect(first?.[2]?.style.foreground).toBe('38;5;9');
    expect(first?.[3]?.style.background).toBe('48:2::1:2:3');
    expect(second?.[0]?.style).toEqual(first?.[4]?.style);
    expect(second?.slice(1).map(({ text, style }) => [text, style])).toEqual([
      ['g', plainStyle],
      ['h', plainStyle],
    ]);
  });
});

describe('a picture', () => {
  it.each(['', 'i'])('of agents that rest takes no byte while time passes, after %j', (keys) => {
    const rests = [1, 2, 3].map((id) => pane(id, { state: 'idle', since: ago(7_260 * id) }));
    const waits = pane(9, { since: ago(9_000), attention: asks('question', 9_000) });
    const driver = new Driver({ columns: 120, rows: 30 }).snapshot([...rests, waits]).type(keys);
    const draw = () => pictureOf(renderScreen(driver.model), 120, driver.model.look);
    const before = draw();
    for (let second = 0; second < 30; second += 1) {
      driver.send({ type: 'tick', nowMs: driver.model.nowMs + 1_000 });
      expect(frameBytes(before, draw())).toBe('');
    }
  });

  it('is written as its changed lines only, and not at all when nothing changed', () => {
    const driver = new Driver().snapshot();
    const before = pictureOf(renderScreen(driver.model), 80, driver.model.look);
    expect(frameBytes(null, before)).toContain('\x1b[2J');
    expect(frameBytes(before, pictureOf(renderScreen(driver.model), 80, driver.model.look))).toBe(
      '',
    );
    driver.send({ type: 'notice', text: 'Something.', isProblem: false });
    const bytes = frameBytes(before, pictureOf(renderScreen(driver.model), 80, driver.model.look));
    expect(bytes.startsWith('\x1b[?2026h\x1b[24;1H')).toBe(true);
    expect(bytes.endsWith('\x1b[?2026l')).toBe(true);
    expect(textWidth(bytes)).toBeLessThan(160);
  });
});
