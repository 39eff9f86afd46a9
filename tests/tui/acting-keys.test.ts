// The keys of the list that act on the selected agent: what they ask first, what they act on, and
// how the outcome is shown.

import { describe, expect, it } from 'vitest';
import type { Effect } from '../../src/tui/message.ts';
import { asks, Driver, pane } from './fixture.ts';

const ENTER = '\r';
const DETAIL = {
  tool: 'Bash',
  command: 'npm test\nnpm run build',
  options: ['Yes', 'No'].map((label, at) => ({ label, selected: at === 0 })),
};
const waiting = pane(1, { state: 'waiting_approval', attention: asks('approval', 60, DETAIL) });
const working = pane(1, { state: 'running', state_version: 7, runtime_id: 'r7' });

const open = (item = waiting): Driver => {
  const driver = new Driver({ columns: 90, rows: 30 }).snapshot([item]);
  driver.take();
  return driver;
};

const acts = (driver: Driver): readonly Effect[] =>
  driver.take().filter(({ kind }) => kind === 'act');

describe('approve and deny', () => {
  it.each([
    ['A', 'approve', 'Approve this for claude in local/main:1.1, once?'],
    ['D', 'deny', 'Deny this to claude in local/main:1.1?'],
  ])('%s shows all that is asked, and Enter does it', (key, kind, words) => {
    const driver = open().type(key);
    expect(driver.text).toContain('   npm test\n   npm run build\n 1.  Yes\n 2.  No\n');
    expect(driver.lines.at(-2)).toBe(` ${words}`);
    expect(acts(driver)).toEqual([]);
    const [effect] = acts(driver.type(ENTER));
    expect(effect).toMatchObject({ order: { kind }, shown: { pane: waiting } });
    expect(driver.text).toContain(kind === 'approve' ? 'approving… ' : 'denying… ');
  });

  it('are given up by Escape, and by no other key done', () => {
    const driver = open().type('A\x1b').type('Ayj 1').type('q');
    expect(driver.model.page.kind).toBe('list');
    expect(acts(driver.type(ENTER))).toEqual([]);
  });

  it('take a reason for a denial after Tab', () => {
    const driver = open().type('D\t');
    expect(driver.lines.at(-1)).toContain('Deny, because: ');
    expect(driver.text).toContain('   npm run build');
    expect(acts(driver.type(`use make${ENTER}`))).toMatchObject([
      { order: { kind: 'deny', reason: 'use make' } },
    ]);
    expect(acts(open().type(`D\t${ENTER}`))).toMatchObject([{ order: { kind: 'deny' } }]);
  });

  it('do nothing when what is asked has changed since it was shown', () => {
    const driver = open().type('A');
    const attention = asks('approval', 60, { ...DETAIL, command: 'rm -rf /' });
    driver.changed([{ ...waiting, attention }]).type(ENTER);
    expect(acts(driver)).toEqual([]);
    expect(driver.lines.at(-1)).toContain('Nothing was done: the agent has changed');
  });

  it('open the inbox where the line has no room for all that is asked', () => {
    const command = 'echo\n'.repeat(60);
    const long = { ...waiting, attention: asks('approval', 60, { ...DETAIL, command }) };
    expect(open(long).type('A').text).toContain('inbox  1 of 1');
  });

  it('open the inbox when a smaller terminal has no room for it any more', () => {
    const command = 'echo\n'.repeat(12);
    const long = { ...waiting, attention: asks('approval', 60, { ...DETAIL, command }) };
    const driver = open(long).type('A');
    expect(driver.text).toContain('Approve this for claude');
    driver.send({ type: 'resized', size: { columns: 100, rows: 8 } });
    expect(driver.lines).toHaveLength(8);
    expect(driver.text).not.toContain('Approve this');
    expect(acts(driver.type(ENTER))).toEqual([]);
  });

  it('are for approvals only', () => {
    const asking = { ...waiting, attention: asks('question', 60, DETAIL) };
    expect(open(asking).type('A').lines.at(-1)).toContain('This is a question');
    expect(open(pane(1)).type('D').lines.at(-1)).toContain('No approval is asked for');
  });
});

describe('interrupt and kill', () => {
  it('stop a turn after Enter, and only one that runs', () => {
    const driver = open(working).type('X');
    expect(driver.lines.at(-2)).toBe(' Stop the turn of claude in local/main:1.1?');
    expect(acts(driver.type(ENTER))).toMatchObject([
      { order: { kind: 'interrupt' }, shown: { pane: { runtime_id: 'r7', state_version: 7 } } },
    ]);
    expect(open().type('X').lines.at(-1)).toContain('there is nothing to stop');
  });

  it('name agent, pane, process and signal, which Tab changes', () => {
    const driver = open(working).type('K');
    const who = 'claude in local/main:1.1 (running, pid 4242)';
    expect(driver.lines.at(-2)).toBe(` Send SIGINT to ${who} and to all that it started?`);
    expect(driver.type('\t').text).toContain('SIGTERM');
    expect(driver.type('\t').text).toContain('SIGKILL');
    expect(driver.type('\t').text).toContain('SIGINT');
    expect(acts(driver.type(`\t${ENTER}`))).toMatchObject([
      { order: { kind: 'kill', signal: 'TERM' } },
    ]);
    expect(acts(open(working).type('K\x1b').type(ENTER))).toEqual([]);
  });

  it('do nothing once the agent is in another state, or is another', () => {
    const driver = open(working).type('K');
    driver.changed([{ ...working, state: 'completed', state_version: 8 }]).type(ENTER);
    expect(acts(driver)).toEqual([]);
    driver
      .type('K')
      .changed([{ ...working, runtime_id: 'other' }])
      .type(ENTER);
    expect(acts(driver)).toEqual([]);
  });

  it('are refused where no agent is', () => {
    const shell = pane(1, { presence: 'unmanaged', agent: null });
    for (const key of ['X', 'K']) {
      expect(open(shell).type(key).lines.at(-1)).toContain('No agent is in this pane');
    }
  });
});

describe('an action', () => {
  it('is under way once for each pane, and never without the daemon', () => {
    const driver = open(working).type(`X${ENTER}`);
    expect(acts(driver)).toHaveLength(1);
    driver.type(`K${ENTER}`);
    expect(acts(driver)).toEqual([]);
    expect(driver.lines.at(-1)).toContain('wait for what is under way');
    const lost = open(working).send({ type: 'link', link: 'lost' });
    expect(acts(lost.type(`K${ENTER}`))).toEqual([]);
    expect(lost.lines.at(-1)).toContain('the daemon does not answer');
  });

  it('ends in a sentence that stays until a key is pressed', () => {
    const driver = open(working).type(`X${ENTER}`).finish('the turn was stopped');
    expect(driver.text).not.toContain('stopping…');
    driver.later(120);
    expect(driver.lines.at(-1)).toBe(' claude main:1.1: delivered: the turn was stopped.');
    expect(driver.type('j').lines.at(-1)).toContain('q quit');
  });

  it('that was refused says why, and what to do', () => {
    const driver = open().type(`A${ENTER}`).finish('The dialog changed\nagent: delivered', false);
    expect(driver.lines.slice(-2)).toEqual([
      ' claude main:1.1: refused: The dialog changed agent: delivered. Look at it again, then',
      ' repeat the key.',
    ]);
  });

  it('is read before a key removes it: one that comes too soon leaves it', () => {
    const driver = open(working).type(`X${ENTER}`).finish('stopped');
    expect(driver.type('j').lines.at(-1)).toContain('delivered: stopped.');
    expect(driver.later().type('j').lines.at(-1)).not.toContain('delivered');
  });

  it('has its outcome below those that nobody has read yet', () => {
    const driver = new Driver({ columns: 100, rows: 30 }).snapshot([
      working,
      pane(2, { state: 'running' }),
    ]);
    driver.type(`X${ENTER}j`).type(`X${ENTER}`);
    driver.finish('the first').finish('the second', false);
    expect(driver.lines.at(-2)).toContain('delivered: the first.');
    expect(driver.lines.at(-1)).toContain('refused: the second.');
  });
});

describe('a prompt', () => {
  const idle = pane(1, { state: 'idle', state_version: 3 });

  it('waits for another Enter when the agent changed while it was typed', () => {
    const driver = open(idle).type('srun the tests');
    driver.changed([{ ...idle, state: 'running', state_version: 4 }]).type(ENTER);
    expect(acts(driver)).toEqual([]);
    expect(driver.lines.at(-2)).toContain('Not sent yet: the agent is running by now');
    expect(driver.lines.at(-1)).toContain('Prompt: run the tests');
    expect(acts(driver.type(ENTER))).toMatchObject([
      { order: { kind: 'send', text: 'run the tests' }, shown: { pane: { state_version: 4 } } },
    ]);
  });

  it('is not sent to another agent, and is kept where it was refused', () => {
    const driver = open(idle).type('srun the tests');
    driver.changed([{ ...idle, runtime_id: 'other' }]).type(ENTER);
    expect(acts(driver)).toEqual([]);
    expect(driver.lines.at(-1)).toContain('that agent is gone');
    expect(driver.type('s').lines.at(-1)).toContain('Prompt: run the tests');
    driver.type(ENTER).finish('a draft is in the box', false).later();
    expect(driver.type('s').lines.at(-1)).toContain('Prompt: run the tests');
    driver.type(ENTER).finish('sent').later();
    expect(driver.type('s').lines.at(-1)).not.toContain('run the tests');
  });
});

describe('the selection after an answer', () => {
  const answered = pane(1, { session: 'work', state: 'running' });
  const asking = { ...answered, state: 'waiting_approval', attention: waiting.attention } as const;
  const other = pane(2, { session: 'docs', state: 'idle' });

  it('stays with its agent in a collapsed group, where no key acts on another agent', () => {
    const driver = new Driver({ columns: 90, rows: 30 }).snapshot([answered, other]).type('-');
    driver.changed([asking]).type('gA\x1b').changed([answered]);
    expect(driver.lines.find((line) => line.includes('work'))).toMatch(
      /^\+ local\/work .*1 hidden/,
    );
    driver.take();
    driver.type('sXK');
    expect(driver.model.page.kind).toBe('list');
    expect(driver.take().filter(({ kind }) => kind !== 'preview')).toEqual([]);
    driver.type(' ');
    expect(driver.lines.find((line) => line.startsWith('▸'))).toContain('work:1.1');
  });
});

describe('a line in which something is typed', () => {
  it.each(['s', ','])('names the agent and its pane after %s', (key) => {
    const driver = open(pane(1, { state: 'idle' })).type(key);
    expect(driver.lines.at(-2)).toBe(' For claude in local/main:1.1:');
  });
});
