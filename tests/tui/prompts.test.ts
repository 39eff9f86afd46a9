// The lines in which a time or a name is typed, and how snoozed, named and lost panes are shown.

import { describe, expect, it } from 'vitest';
import { ago, asks, Driver, fleet, pane } from './fixture.ts';

describe('snoozing', () => {
  it('asks for a time, 30 minutes unless another is typed', () => {
    const driver = new Driver().snapshot();
    driver.take();
    expect(driver.type('z').lines.at(-1)).toBe(' Snooze for 30m   ⏎ accept  Esc back');
    driver.type('\r');
    expect(driver.take()).toEqual([{ kind: 'snooze', paneKey: 'key-1', forMs: 1_800_000 }]);
    driver.type('z2h\r');
    expect(driver.take()).toEqual([{ kind: 'snooze', paneKey: 'key-1', forMs: 7_200_000 }]);
    driver.type('z\x1b');
    expect(driver.take()).toEqual([]);
    expect(driver.model.page.kind).toBe('list');
  });

  it('refuses what is not a time, and says what to write', () => {
    const driver = new Driver().snapshot();
    driver.take();
    expect(driver.type('zsoon\r').lines.at(-1)).toContain('"soon" is not a time');
    expect(driver.type('z90d\r').lines.at(-1)).toContain('write 30m or 2h');
    expect(driver.take()).toEqual([]);
  });

  it('ends with z on a snoozed row, which is in its group and not among who needs a person', () => {
    const attention = {
      ...asks('approval', 60, { tool: 'Bash' }),
      kinds: [],
      snoozed_until: ago(-600),
    };
    const driver = new Driver().snapshot([pane(1, { state: 'waiting_approval', attention })]);
    expect(driver.lines[1]).toMatch(/^▾ local\/main/);
    expect(driver.lines[2]).toMatch(/snoozed until \d\d:\d\d/);
    driver.take();
    driver.type('z');
    expect(driver.take()).toEqual([{ kind: 'unsnooze', paneKey: 'key-1' }]);
  });

  it('is only for who needs a person', () => {
    const driver = new Driver().snapshot([pane(1)]);
    expect(driver.type('z').lines.at(-1)).toContain('Only an agent that needs you');
  });
});

describe('naming', () => {
  it('edits the name of the pane; an empty one removes it', () => {
    const driver = new Driver().snapshot([pane(1, { alias: 'api' })]);
    driver.take();
    expect(driver.type(',').lines.at(-1)).toContain(' Name: api');
    driver.type('-2\r');
    expect(driver.take()).toEqual([{ kind: 'name', paneKey: 'key-1', alias: 'api-2' }]);
    driver.type(',\x15\r');
    expect(driver.take()).toEqual([{ kind: 'name', paneKey: 'key-1', alias: null }]);
  });

  it('takes keys of the list as text, and a paste without its line ends', () => {
    const driver = new Driver().snapshot([pane(1)]);
    driver.take();
    driver.type(',q!z\x7f\x1b[200~ two\nlines\x1b[201~\r');
    expect(driver.take()).toEqual([{ kind: 'name', paneKey: 'key-1', alias: 'q! two lines' }]);
  });

  it('shows the name before the title, and finds the pane by it', () => {
    const panes = [pane(1, { alias: 'payments' }), pane(2, { title: 'other' })];
    const driver = new Driver({ columns: 100, rows: 24 }).snapshot(panes);
    expect(driver.lines.find((line) => line.includes('payments'))).toContain(
      'payments · Fix the parser',
    );
    expect(driver.type('/paym').text).not.toContain('other');
  });
});

describe('a target that does not answer', () => {
  it('is in the header, and its rows show dim what was last known', () => {
    const lost = {
      ...fleet[5]!,
      last_known: { state: 'running' as const, reason_code: null, since: ago(900) },
    };
    const driver = new Driver({ columns: 120, rows: 24 }).snapshot([lost]);
    expect(driver.lines[0]).toContain('vm1 down for 5m');
    const row = driver.lines.find((line) => line.includes('Release build'));
    expect(row).toMatch(/~ running +5m .*\(vm1 down for 5m\) Release build/);
  });
});

describe('replying', () => {
  const options = ['Yes', 'No'].map((label, at) => ({ label, selected: at === 0 }));
  const asking = () => {
    const attention = asks('approval', 60, { tool: 'Bash', options });
    const driver = new Driver().snapshot([pane(1, { state: 'waiting_approval', attention })]);
    driver.take();
    return driver;
  };

  it('answers a request by the number or the label of an option, and names what was shown', () => {
    const driver = asking();
    expect(driver.type('s').lines.at(-1)).toContain('Answer: ');
    driver.type('2\r');
    const [effect] = driver.take();
    expect(effect).toMatchObject({ kind: 'act', order: { kind: 'answer', labels: ['No'] } });
    expect(effect).toHaveProperty('shown.request.request_id', 'request-1');
    expect(effect).toHaveProperty('shown.pane.pane_key', 'key-1');
    const other = asking().type('sYes\r');
    expect(other.take()).toMatchObject([{ order: { kind: 'answer', labels: ['Yes'] } }]);
  });

  it('refuses a number that no option has, and sends nothing without a text', () => {
    const driver = asking();
    expect(driver.type('s7\r').lines.at(-1)).toContain('There is no option 7');
    driver.type('s\r').type('s\x1b');
    expect(driver.take()).toEqual([]);
  });

  it('sends a prompt to an agent that asks nothing', () => {
    const driver = new Driver().snapshot([pane(1, { state: 'idle' })]);
    driver.take();
    expect(driver.type('s').lines.at(-1)).toContain('Prompt: ');
    driver.type('run the tests\r');
    expect(driver.take()).toMatchObject([{ order: { kind: 'send', text: 'run the tests' } }]);
  });
});

describe('a typed line that is refused before it begins', () => {
  const question = asks('question', 60, { text: 'Which one?' });
  const approval = asks('approval', 60, { tool: 'Bash', command: 'make' });
  const takesText = question.requests.map((request) => ({ ...request, takes_text: true }));
  const idle = pane(1, { state: 'idle' });
  const asking = pane(1, {
    state: 'waiting_input',
    attention: { ...question, requests: takesText },
  });
  const waiting = pane(1, { state: 'waiting_approval', attention: approval });
  const lines = [
    ['a prompt', idle, 'srun the tests', 'send', { kind: 'send', text: 'run the tests' }],
    ['an own answer', asking, 'sthe third', 'answer', { kind: 'own-answer', text: 'the third' }],
    ['a reason', waiting, 'D\tnot here', 'reason', { kind: 'deny', reason: 'not here' }],
    [
      'a reason in the inbox',
      waiting,
      'iDnot here',
      'reason',
      { kind: 'deny', reason: 'not here' },
    ],
  ] as const;

  it.each(lines)('%s stays while the daemon is silent', (_name, item, keys, about, order) => {
    const driver = new Driver().snapshot([item]).type(keys);
    driver.take();
    driver.send({ type: 'link', link: 'silent' }).type('\r');
    expect(driver.take()).toEqual([]);
    expect(driver.model.page).toMatchObject({
      kind: 'prompt',
      about,
      text: expect.stringMatching(/^(?:run|the|not) /),
    });
    expect(driver.lines.at(-2)).toContain('the daemon does not answer. Enter tries again.');
    driver.send({ type: 'link', link: 'back' }).type('\r');
    expect(driver.take()).toMatchObject([{ kind: 'act', order }]);
    expect(driver.model.page.kind).not.toBe('prompt');
  });

  it.each(lines)('%s stays while the pane is busy', (_name, item, keys, _about, order) => {
    const driver = new Driver().snapshot([item]).type(keys);
    driver.take();
    driver.model = { ...driver.model, running: new Map([['key-1', { kind: 'interrupt' }]]) };
    driver.type('\r');
    expect(driver.take()).toEqual([]);
    expect(driver.lines.at(-2)).toContain('wait for what is under way');
    driver.finish('done').type('\r');
    expect(driver.take()).toMatchObject([{ kind: 'act', order }]);
    expect(driver.model.page.kind).not.toBe('prompt');
  });

  it('a prompt is there again after the line was left to start the daemon', () => {
    const driver = new Driver().snapshot([idle]).send({ type: 'link', link: 'lost' });
    driver.type('srun the tests\r').type('\x1b').take();
    expect(driver.type('r').take()).toMatchObject([{ kind: 'start-daemon' }]);
    driver.send({ type: 'link', link: 'back' }).type('s\r');
    expect(driver.take()).toMatchObject([{ order: { kind: 'send', text: 'run the tests' } }]);
  });
});
