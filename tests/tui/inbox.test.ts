// The inbox and the keys that act: what each does to what was shown, what it refuses, and what is
// said of it afterwards.

import { describe, expect, it } from 'vitest';
import type { PaneItem } from '../../src/schema/api/panes.ts';
import { actionReport, ago, asks, Driver, pane, screen } from './fixture.ts';

const ENTER = '\r';
const PAGE_DOWN = '\x1b[6~';

const optionsOf = (...labels: readonly string[]) =>
  labels.map((label, at) => ({ label, selected: at === 0 }));

const options = optionsOf('Yes', "Yes, and don't ask again", 'No');

const approval = (id: number, seconds: number, command: string): PaneItem =>
  pane(id, {
    state: 'waiting_approval',
    runtime_id: `runtime-${id}`,
    state_version: 10 * id,
    attention: asks('approval', seconds, { tool: 'Bash', command, options }),
  });

const ownWords = (attention: PaneItem['attention']): PaneItem['attention'] => ({
  ...attention,
  requests: attention.requests.map((each) => ({ ...each, takes_text: true })),
});

const question: PaneItem = pane(3, {
  agent: 'codex',
  target: 'vm1',
  state: 'waiting_input',
  attention: ownWords(
    asks('question', 30, {
      kind: 'question',
      text: 'Which database?',
      options: optionsOf('PostgreSQL', 'SQLite'),
    } as never),
  ),
});

const oldest = approval(1, 300, 'npm test');
const newer = approval(2, 60, 'git push');

/** The inbox with three requests, read by a person. */
const inbox = (size = { columns: 100, rows: 30 }, panes = [newer, question, oldest]): Driver => {
  const driver = new Driver(size).snapshot(panes).type('i').later();
  driver.take();
  return driver;
};

const acts = (driver: Driver) => driver.take().filter(({ kind }) => kind === 'act');

/** The inbox whose one request was answered, and whose row has not followed yet. */
const answeredInbox = (): Driver =>
  inbox(undefined, [oldest])
    .type('1')
    .send({
      type: 'acted',
      shown: { pane: oldest, request: oldest.attention.requests[0]! },
      order: { kind: 'answer', labels: ['Yes'], isSeveral: false },
      answer: { ok: true, value: actionReport('chose "Yes"') },
    });

describe('the inbox', () => {
  it('lists what all agents ask, the oldest first, and shows the first one whole', () => {
    const command = `set -e\n  cd src\n\techo ${'x'.repeat(120)}`;
    const driver = inbox(undefined, [newer, question, approval(1, 300, command)]);
    expect(driver.lines[1]).toBe('inbox  1 of 3');
    expect(driver.lines.slice(2, 5).map((line) => line.slice(0, 32))).toEqual([
      '   5m  claude  main:1.1      Bas',
      '   1m  claude  main:1.2      Bas',
      '  31s  codex   vm1/main:1.3  Whi',
    ]);
    expect(driver.text).toContain('── claude main:1.1 approval for 5m ──');
    expect(driver.text).toContain('   set -e\n     cd src\n     echo xxx');
    expect(driver.text.match(/x/g)?.length).toBeGreaterThan(120);
    expect(driver.text).toContain("\n 1.  Yes\n 2.  Yes, and don't ask again\n 3.  No\n");
  });

  it.each([
    [60, 24],
    [80, 24],
    [120, 32],
    [200, 34],
  ])('stands on %i columns as on the recorded screen', async (columns, rows) => {
    const driver = inbox({ columns, rows });
    const answer = {
      ok: true,
      value: screen('key-1', ['● Bash(npm test)', '', ' ❯ 1. Yes']),
    } as const;
    driver.send({ type: 'previewed', paneKey: 'key-1', answer });
    await expect(driver.text).toMatchFileSnapshot(`screens/inbox-${columns}.txt`);
  });

  it('answers by the number of an option as shown, and goes on to the next', () => {
    const driver = inbox().type('2');
    expect(acts(driver)).toMatchObject([
      {
        order: { kind: 'answer', labels: ["Yes, and don't ask again"], isSeveral: false },
        shown: {
          pane: { pane_key: 'key-1', runtime_id: 'runtime-1', state_version: 10 },
          request: { request_id: 'request-1' },
        },
      },
    ]);
    expect(driver.text).toContain('being answered  Bash: npm test');
    expect(driver.text).toContain('── claude main:1.2 approval');
    driver.later().type('a').later().type('1');
    expect(acts(driver)).toMatchObject([
      { order: { kind: 'approve' }, shown: { pane: { pane_key: 'key-2' } } },
      { order: { kind: 'answer', labels: ['PostgreSQL'] }, shown: { pane: { pane_key: 'key-3' } } },
    ]);
    expect(driver.text).toContain('Nothing more is asked.');
    expect(driver.later().type('a1d').take()).toEqual([]);
  });

  it('is not answered by a key that repeats, or that comes as the next one comes up', () => {
    const driver = inbox().type('aaaa');
    expect(acts(driver)).toHaveLength(1);
    expect(driver.text).toContain('this has just come up');
    expect(acts(driver.later().type('d'))).toMatchObject([{ shown: { pane: newer } }]);
  });

  it('says so below the outcome of the last answer, and neither hides the other', () => {
    const driver = inbox().type('aa').finish('chose "Yes"');
    expect(driver.lines.at(-2)).toContain('this has just come up');
    expect(driver.lines.at(-1)).toContain('delivered: chose "Yes".');
    const early = inbox().type('a').finish('chose "Yes"').type('a');
    expect(early.lines.at(-2)).toContain('delivered: chose "Yes".');
    expect(early.lines.at(-1)).toContain('this has just come up');
  });

  it('takes no number that no option has, and no approval for a question', () => {
    const driver = inbox().type('7');
    expect(driver.lines.at(-1)).toContain('There is no option 7');
    driver.later().type('nn').later().type('a');
    expect(driver.lines.at(-1)).toContain('choose an option by its number');
    expect(driver.type(' ').lines.at(-1)).not.toContain('approve');
    expect(acts(driver)).toEqual([]);
  });

  it('refuses a key on a request that changed since it came up, and then shows the new one', () => {
    const driver = inbox();
    driver.changed([approval(1, 300, 'rm -rf /')]);
    expect(driver.text).toContain('   npm test\n');
    expect(driver.text).toContain('It has changed meanwhile');
    driver.type('a');
    expect(acts(driver)).toEqual([]);
    expect(driver.text).toContain('what is asked has changed');
    expect(driver.text).toContain('   rm -rf /\n');
    expect(acts(driver.later().type('a'))).toMatchObject([{ order: { kind: 'approve' } }]);
  });

  it('answers with the newest version where only that has changed, or the mark moved', () => {
    const driver = inbox();
    const marked = options.map((each, at) => ({ ...each, selected: at === 2 }));
    const detail = { tool: 'Bash', command: 'npm test', options: marked };
    driver.changed([{ ...oldest, state_version: 12, attention: asks('approval', 300, detail) }]);
    expect(acts(driver.type('1'))).toMatchObject([{ shown: { pane: { state_version: 12 } } }]);
  });

  it('goes on after what was answered elsewhere, but not under the key', () => {
    const driver = inbox();
    driver.changed([pane(1)]);
    expect(driver.text).toContain('   npm test\n');
    expect(driver.text).toContain('It is no longer asked. n shows the next one.');
    driver.type('1');
    expect(acts(driver)).toEqual([]);
    expect(driver.text).toContain('that is no longer asked');
    expect(driver.text).toContain('── claude main:1.2 approval');
  });

  it('is not the same request when another process runs in the pane', () => {
    const driver = inbox();
    driver.changed([{ ...oldest, runtime_id: 'another' }]);
    expect(acts(driver.type('a'))).toEqual([]);
  });

  it('approves nothing before its end was on the screen, and denies at once', () => {
    const long = approval(1, 300, Array.from({ length: 40 }, (_, at) => `line ${at}`).join('\n'));
    const driver = inbox({ columns: 80, rows: 24 }, [long]).type('1');
    expect(driver.text).toContain('there is more to read');
    expect(driver.text).toContain('↓');
    expect(acts(driver.type('a'))).toEqual([]);
    for (let page = 0; page < 10; page += 1) driver.type(PAGE_DOWN);
    expect(driver.text).toContain('line 39');
    expect(acts(driver.type('1'))).toHaveLength(1);
    const denied = inbox({ columns: 80, rows: 24 }, [long]).type('d');
    expect(acts(denied)).toMatchObject([{ order: { kind: 'deny' } }]);
  });

  it('takes no number while an option is not on the screen', () => {
    const many = Array.from({ length: 20 }, (_, at) => `choice ${at + 1}`);
    const attention = asks('question', 60, { text: 'Which?', options: optionsOf(...many) });
    const driver = inbox({ columns: 80, rows: 24 }, [pane(1, { attention })]);
    expect(driver.type('s').text).toContain('there is more to read');
    for (let page = 0; page < 10; page += 1) driver.type(PAGE_DOWN);
    expect(driver.type('1').text).toContain('Not all options fit here');
    expect(driver.type(`s20${ENTER}`).text).toContain('being answered');
    expect(acts(driver)).toMatchObject([{ order: { kind: 'answer', labels: ['choice 20'] } }]);
  });

  it('denies with a reason by D, and takes an answer of one own to a question by s', () => {
    const driver = inbox().type('D');
    expect(driver.lines.at(-1)).toContain('Deny, because: ');
    driver.type(`not on Fridays${ENTER}`).later().type(`n`).later().type(`sMaria DB${ENTER}`);
    expect(acts(driver)).toMatchObject([
      { order: { kind: 'deny', reason: 'not on Fridays' }, shown: { pane: oldest } },
      { order: { kind: 'own-answer', text: 'Maria DB' }, shown: { pane: question } },
    ]);
  });

  it('a menu that takes no text says what it is, and that it is answered in its pane', () => {
    const signIn = pane(1, {
      agent: 'qwen',
      reason_code: 'auth_required',
      attention: asks('question', 60),
    });
    const driver = inbox(undefined, [signIn]);
    expect(driver.text).toContain('What this sign-in menu of qwen says is on its screen.');
    expect(driver.text).toContain('It is answered in its pane. Enter shows the pane.');
    expect(driver.type('s').text).toContain('It takes no text from here');
    expect(acts(driver)).toEqual([]);
  });

  it('takes several numbers, and no single key, where several options may be chosen', () => {
    const checks = optionsOf('lint', 'types', 'tests').map((each) => ({ ...each, checked: false }));
    const attention = asks('question', 60, { text: 'Which checks?', options: checks });
    const driver = inbox(undefined, [pane(1, { attention })]);
    expect(driver.text).toContain(' 2.  [ ] types');
    expect(driver.type('1').text).toContain('s takes their numbers');
    expect(acts(driver)).toEqual([]);
    expect(acts(driver.type(`s1,3${ENTER}`))).toMatchObject([
      { order: { kind: 'answer', labels: ['lint', 'tests'], isSeveral: true } },
    ]);
  });

  it('shows the next question of a dialog at once, also where it has the id of the last', () => {
    const driver = answeredInbox();
    expect(driver.text).toContain('Nothing more is asked.');
    expect(driver.changed([approval(1, 300, 'npm publish')]).text).toContain('   npm publish');
  });

  it('puts off what is shown, goes on, and lists it last until then', () => {
    const driver = inbox().type(`z${ENTER}`);
    expect(driver.take()).toContainEqual({ kind: 'snooze', paneKey: 'key-1', forMs: 1_800_000 });
    expect(driver.text).toContain('── claude main:1.2 approval');
    const attention = { ...oldest.attention, kinds: [], snoozed_until: ago(-1_800) };
    driver.changed([{ ...oldest, attention }]);
    expect(driver.lines[4]).toContain('put off  Bash: npm test');
  });

  it('shows the pane with Enter, is closed by Escape, and opens at any of several requests', () => {
    const driver = inbox().type(ENTER);
    expect(driver.take()).toMatchObject([{ kind: 'jump', paneKey: 'key-1' }]);
    expect(driver.type('\x1b').text).toContain('needs you  3');
    const [first] = oldest.attention.requests;
    const requests = [first!, { ...first!, request_id: 'request-2' }];
    driver.changed([{ ...oldest, attention: { ...oldest.attention, requests } }]);
    expect(driver.type('s').text).toContain('inbox  1 of 4');
  });

  it('does not come back to what was answered before its row has followed', () => {
    const driver = answeredInbox();
    expect(driver.text).toContain('Nothing more is asked.');
    expect(driver.later(20).text).toContain('── claude main:1.1 approval');
    driver.changed([pane(1)]);
    expect(driver.text).toContain('Nothing is asked.');
  });

  it('says that nothing is asked, and shows what comes up then', () => {
    const driver = inbox(undefined, [pane(1)]);
    expect(driver.text).toContain('Nothing is asked.');
    expect(driver.lines.at(-1)).toBe(' ? help  Esc list');
    expect(acts(driver.type('a1d'))).toEqual([]);
    driver.changed([oldest]).type('a');
    expect(driver.text).toContain('this has just come up');
    expect(acts(driver)).toEqual([]);
  });

  it('draws nothing but ASCII without UTF-8', () => {
    const look = { color: false, unicode: false, isLight: false };
    const driver = new Driver({ columns: 80, rows: 24 }, look).snapshot([oldest, question]);
    expect(driver.type('i').text).toMatch(/^[\x20-\x7e\n]*$/);
    expect(driver.type('\x1bA').text).toMatch(/^[\x20-\x7e\n]*$/);
  });
});
