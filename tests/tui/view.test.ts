// The view as text at fixed sizes, and what each width keeps. The screens are files beside this.

import { describe, expect, it } from 'vitest';
import { textWidth } from '../../src/render/width.ts';
import { renderScreen } from '../../src/tui/pages/render-screen.ts';
import { lineBytes } from '../../src/tui/view/spans.ts';
import { ago, asks, Driver, explanation, fleet, pane, screen } from './fixture.ts';

const dialog = [
  '\x1b[1m● Bash\x1b[0m(npm test -- --run)',
  '',
  '\x1b[38;5;153m Do you want to proceed?\x1b[39m',
  '\x1b[7m ❯ 1. Yes \x1b[27m',
  '   2. No',
  '',
  '',
];

const drawAt = (columns: number, rows: number): Driver => {
  const driver = new Driver({ columns, rows }).snapshot();
  const answer = { ok: true, value: screen('key-1', dialog) } as const;
  return driver.send({ type: 'previewed', paneKey: 'key-1', answer });
};

describe('the list', () => {
  it.each([
    [40, 20],
    [60, 24],
    [80, 24],
    [120, 30],
    [200, 40],
    [300, 50],
  ])('stands on %i columns as on the recorded screen', async (columns, rows) => {
    const driver = drawAt(columns, rows);
    for (const line of driver.lines) expect(textWidth(line)).toBeLessThanOrEqual(columns);
    expect(driver.lines).toHaveLength(rows);
    await expect(driver.text).toMatchFileSnapshot(`screens/list-${columns}.txt`);
  });

  it('names each pane where it has no room for its column, and not its folder', () => {
    const folder = { session: 'api', title: 'api', title_quality: 'path' as const };
    const panes = [pane(1, { ...folder, window: 1 }), pane(2, { ...folder, window: 2 })];
    const narrow = new Driver({ columns: 40, rows: 12 }).snapshot(panes);
    const places = panes.map(({ identity }) => `api:${identity?.window_index}.`);
    for (const place of places) expect(narrow.text).toContain(place);
    const own = new Driver({ columns: 40, rows: 12 }).snapshot(
      panes.map((each) => ({ ...each, title: 'Fix dates', title_quality: 'session' as const })),
    );
    expect(own.text).toContain('Fix dates');
  });

  it('has who needs a person on top, then groups with news, then agents before shells', () => {
    const headings = drawAt(100, 40).lines.filter((line) => /^(?:needs you|▾)/.test(line));
    expect(headings.map((line) => line.replace(/ {2}.*/, ''))).toEqual([
      'needs you',
      '▾ local/日本語',
      '▾ local/docs',
      '▾ local/work',
      '▾ vm1/build',
    ]);
    const driver = new Driver().snapshot([
      pane(1, { session: 'a', presence: 'unmanaged', agent: null }),
      pane(2, { session: 'b', state: 'idle' }),
    ]);
    expect(driver.lines[1]).toContain('local/b');
  });

  it('that has only panes that are gone is empty, and no filter is to blame', () => {
    const gone = new Driver().snapshot([pane(1, { presence: 'missing' })]);
    expect(gone.text).toContain('No tmux panes found.');
    expect(gone.text).not.toContain('filter. Escape');
  });

  it('always shows the reason of a state, with or without a column for states', () => {
    for (const columns of [40, 60, 100, 200]) {
      const text = new Driver({ columns, rows: 40 }).snapshot().text;
      expect(text).toContain('vm1 down for 5m');
      expect(text).toContain('api_error');
    }
    const limited = pane(1, { reason_code: 'usage_limit', until: ago(-600), state: 'error' });
    expect(new Driver().snapshot([limited]).text).toContain('usage_limit, 10m left');
  });

  it('shows that an agent is stuck, which its state does not', () => {
    const stuck = pane(1, { state: 'running', attention: { ...asks('stuck', 90), requests: [] } });
    expect(new Driver().snapshot([stuck]).text).toMatch(
      /running .* Fix the parser\n {4}stuck: no sign of work for 1m\n/,
    );
  });

  it('names the server only where a target has two', () => {
    const one = pane(1, { session: 'a' });
    const two = pane(2, { session: 'b', server: '/tmp/tmux-0/other' });
    expect(new Driver().snapshot([one]).lines[1]).toMatch(/^▾ local\/a /);
    const text = new Driver().snapshot([one, two]).text;
    expect(text).toContain('local+default/a');
    expect(text).toContain('local+other/b');
  });

  it('names a pane with its target where another pane has the same location', () => {
    const here = pane(1, { session: 'api' });
    const there = { ...pane(1, { session: 'api', target: 'vm1' }), pane_key: 'other' };
    const own = pane(2, { session: 'api' });
    const driver = new Driver().snapshot([here, there, own]);
    for (const name of ['local/api:1.1', 'vm1/api:1.1', 'api:1.2']) {
      expect(driver.text).toContain(` ${name} `);
    }
    // Also where the filter hides the other one.
    expect(driver.type('/local').text).toContain(' local/api:1.1 ');
  });

  it('lists a pane of two sessions in both, and an agent without a pane too', () => {
    const linked = pane(1, { session: 'a' });
    const other = { ...linked.identity!, session_name: 'b', session_id: '$77' };
    const seat = { ...pane(2, { title: 'no terminal' }), identity: null, locations: [] };
    const both = { ...linked, locations: [linked.identity!, other] };
    const text = new Driver().snapshot([both, seat]).text;
    expect(text).toContain('local/a');
    expect(text).toContain('local/b');
    expect(text).toContain('local without a pane');
  });

  it('says why it is empty', () => {
    expect(new Driver().text).toContain('Waiting for the daemon.');
    expect(new Driver().snapshot([]).text).toContain('No tmux panes found.');
    expect(new Driver().snapshot().type('/nothing has this').text).toContain('matches the filter');
  });

  it('keeps the selected row on the screen of a long list', () => {
    const many = Array.from({ length: 200 }, (_, index) => pane(index, { title: `t${index}` }));
    const driver = new Driver({ columns: 60, rows: 10 }).snapshot(many);
    for (let step = 0; step < 200; step += 1) {
      expect(driver.text).toContain('▸');
      driver.type('j');
    }
    expect(driver.type('g').lines[2]).toContain('▸');
    expect(driver.type('G').lines[8]).toContain('▸');
    expect(driver.lines[1]).toContain('↑192');
    driver.type('k');
    expect(driver.lines[7]).toContain('▸');
    expect(driver.type('g').lines[8]).toContain('↓193');
  });
});

describe('the preview', () => {
  it('shows the last lines of the screen in their colours, and what is asked above them', () => {
    const driver = drawAt(80, 24);
    const bytes = renderScreen(driver.model).map((line) => lineBytes(line, true));
    expect(driver.text).toContain('approval for 3m: Bash: npm test -- --run');
    expect(driver.text).toContain('2. No');
    expect(bytes.some((line) => line.includes('\x1b[38;5;153m Do you want to proceed?'))).toBe(
      true,
    );
    expect(bytes.some((line) => line.includes('\x1b[7m ❯ 1. Yes '))).toBe(true);
  });

  it('shows the last prompt and message, tokens, branch and folder where they are known', () => {
    const activity = {
      ...fleet[1]!.activity,
      prompt: 'Fix the flaky test',
      message: 'The clock was mocked twice.',
      usage: { context_used: 43_000, context_max: 200_000, tokens: 1_200_000 },
    };
    const driver = new Driver({ columns: 170, rows: 30 }).snapshot([pane(1, { activity })]);
    for (const line of [
      ' prompt    Fix the flaky test',
      ' message   The clock was mocked twice.',
      ' usage     context 43k of 200k, 1.2M tokens',
      ' branch    main in ~/project',
    ]) {
      expect(driver.lines.map((each) => each.split('│')[1])).toContain(line);
    }
    const low = new Driver({ columns: 80, rows: 17 }).snapshot([pane(1, { activity })]);
    expect(low.text).toContain('prompt');
    expect(low.text).not.toContain('usage');
  });

  it.each([
    ['completed', null, 'The clock was mocked twice.'],
    ['idle', null, 'The clock was mocked twice.'],
    ['running', null, 'Fix the flaky test'],
    ['running', 'Bash: npm test', 'Bash: npm test'],
    ['unknown', null, ''],
  ] as const)('the row of a pane that is %s (tool: %s) ends with: %s', (state, tool, words) => {
    const activity = {
      ...fleet[1]!.activity,
      tool,
      prompt: 'Fix the flaky test',
      message: '\x1b]52;c;aGk=\x07The clock\u202e was mocked twice.',
    };
    const attention = { kinds: [], since: null, requests: [], snoozed_until: null };
    const driver = new Driver({ columns: 240, rows: 12 }).snapshot([
      pane(1, { activity, attention, state, title: 'the title' }),
    ]);
    const [row = ''] = driver.lines.filter((line) => line.includes('the title'));
    expect(row.split('│')[0]?.trimEnd()).toMatch(
      words === '' ? /the title {9}/ : /the title {2}\S/,
    );
    expect(row.split('│')[0]?.replaceAll(/ +/g, ' ')).toContain(words);
    expect(driver.text).not.toContain('\u202e');
  });

  it('keeps only inverse without colours, and only ASCII without UTF-8', () => {
    const look = { color: false, unicode: false, isLight: false };
    const driver = new Driver({ columns: 120, rows: 30 }, look).snapshot();
    driver.send({
      type: 'previewed',
      paneKey: 'key-1',
      answer: { ok: true, value: screen('key-1', dialog) },
    });
    const bytes = renderScreen(driver.model).map((line) => lineBytes(line, false));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what must not be there.
    for (const line of bytes) expect(line).toMatch(/^(?:[\x20-\x7e]|\x1b\[7m|\x1b\[0m)*$/);
    expect(driver.text).toContain('> ! ');
  });

  it('has darker colours of ours on a light background, and leaves those of the pane', () => {
    const driver = drawAt(80, 24);
    const bytes = (isLight: boolean) =>
      renderScreen(driver.model)
        .map((line) => lineBytes(line, true, isLight))
        .join('\n');
    expect(bytes(false)).toContain('\x1b[1;33mneeds you');
    expect(bytes(true)).not.toContain('\x1b[33m');
    expect(bytes(true)).toContain('\x1b[1;38;5;130mneeds you');
    for (const isLight of [true, false]) expect(bytes(isLight)).toContain('\x1b[38;5;153m Do you');
  });

  it('says why there is none', () => {
    const driver = new Driver({ columns: 120, rows: 30 }).snapshot();
    expect(driver.text).toContain('Reading the screen.');
    const answer = { ok: false, problem: 'the pane is gone' } as const;
    driver.send({ type: 'previewed', paneKey: 'key-1', answer });
    expect(driver.text).toContain('No preview: the pane is gone');
  });
});

describe('the bars', () => {
  it('count who needs a person, states and agents', () => {
    const [header = ''] = drawAt(120, 30).lines;
    expect(header).toContain('2 need you');
    expect(header).toContain('1✗ 1! 1> 1✓ 1· 1~');
    expect(header).toContain('6 agents in 7 panes');
  });

  it('keep help and quit on the narrowest terminal, and drop nothing in half', () => {
    expect(drawAt(40, 20).lines.at(-1)).toBe(' ⏎ jump  e explain  ? help  q quit');
  });

  it('show that nothing is known while the daemon is gone, and grey everything', () => {
    const driver = drawAt(100, 24).send({ type: 'link', link: 'lost' });
    driver.send({ type: 'tick', nowMs: driver.model.nowMs + 5_000 });
    expect(driver.lines[0]).toContain('not connected, last seen 5s ago');
    expect(driver.lines[0]).not.toContain('need you');
    expect(driver.lines.at(-1)).toContain('r start the daemon');
    const rows = renderScreen(driver.model).slice(1, -1);
    const colours = rows.flat().filter(({ style }) => style.foreground || style.bold);
    expect(colours).toEqual([]);
    driver.send({ type: 'link', link: 'back' });
    expect(driver.lines[0]).toContain('need you');
  });
});

describe('the pages of text', () => {
  it('are the ledger in the words of explain, scrolled within its ends', async () => {
    const driver = new Driver({ columns: 80, rows: 24 }).snapshot().type('e');
    driver.send({ type: 'tick', nowMs: driver.model.nowMs + 1 });
    const answer = { ok: true, value: explanation(fleet[0]!) } as const;
    driver.send({ type: 'explained', paneKey: 'key-1', answer });
    await expect(driver.text).toMatchFileSnapshot('screens/explain-80.txt');
    expect(driver.type('GGG').text).toContain('the event of number 29');
    expect(driver.type('k').text).toContain('the event of number 28');
    expect(driver.type('\x1b').text).toContain('local/work');
  });

  it('are the conversation, at its end until it is scrolled, with tools folded or not', () => {
    const driver = new Driver({ columns: 60, rows: 12 }).snapshot().type('l');
    const entry = (number: number, fields: object) => ({
      ...{ id: `e${number}`, seq: number, cursor: `c${number}`, position: number },
      ...{ at: null, turn: null, subagent: null, ...fields },
    });
    const texts = Array.from({ length: 30 }, (_, index) =>
      entry(index, { kind: 'text', text: `answer ${index} ${'word '.repeat(20)}\x1b[2J` }),
    );
    const call = entry(30, {
      kind: 'tool_call',
      call_id: 'c',
      tool: 'Bash',
      input: '{"command":"ls"}',
    });
    const output = 'first\nsecond';
    const result = entry(31, { kind: 'tool_result', call_id: 'c', status: 'ok', output });
    const read = (entries: readonly object[]) =>
      driver.send({
        type: 'log-read',
        paneKey: 'key-1',
        answer: { ok: true, value: { entries } as never },
      });
    read(texts);
    expect(driver.text).toContain('answer 29');
    expect(driver.text).not.toContain('answer 0 ');
    for (const line of driver.lines) expect(textWidth(line)).toBeLessThanOrEqual(60);
    read([...texts, call, result]);
    expect(driver.text).toContain('ok (2 lines): first');
    expect(driver.text).not.toContain('second');
    expect(driver.type('t').text).toContain('second');
    expect(driver.type('g').text).toContain('answer 0');
    read([...texts, call, result, entry(32, { kind: 'text', text: 'the last' })]);
    expect(driver.text).toContain('answer 0');
    expect(driver.type('G').text).toContain('the last');
    expect(driver.type('\x1b').text).toContain('local/work');
  });

  it('are the help, with every key', async () => {
    const driver = new Driver({ columns: 80, rows: 100 }).snapshot().type('?');
    await expect(driver.text).toMatchFileSnapshot('screens/help-80.txt');
  });
});

describe('a terminal that is too small', () => {
  it.each([
    [39, 24],
    [80, 5],
    [1, 1],
    [12, 3],
    [0, 0],
  ])('of %i by %i gets a notice that fits', (columns, rows) => {
    const driver = new Driver({ columns, rows }).snapshot();
    expect(driver.lines).toHaveLength(rows);
    for (const line of driver.lines) expect(textWidth(line)).toBeLessThanOrEqual(columns);
    if (columns > 20) expect(driver.text).toContain('agtmux needs 40x6');
  });
});

describe('attention', () => {
  it('marks in bold what was not seen', () => {
    const driver = new Driver().snapshot([
      pane(1, { state: 'running' }),
      pane(2, { state: 'completed', attention: asks('completion', 5) }),
      pane(3, { state: 'completed' }),
    ]);
    const marks = renderScreen(driver.type('G').model)
      .flat()
      .filter(({ text }) => text === '✓' || text === '>');
    expect(marks.map(({ text, style }) => [text, style.bold])).toEqual([
      ['✓', true],
      ['>', false],
      // Selected: inverse, and nothing else.
      ['✓', undefined],
    ]);
  });
});
