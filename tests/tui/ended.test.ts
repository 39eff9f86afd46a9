// The page of agents that have ended, and what is pasted into a prompt.

import { describe, expect, it } from 'vitest';
import { actionReport, Driver, endedAgent, fleet, pane } from './fixture.ts';

const ENTER = '\r';

const starts = (driver: Driver) => driver.take().filter(({ kind }) => kind === 'resume');

const agents = [
  endedAgent(9, { blocker: 'no such folder' }),
  endedAgent(2),
  endedAgent(7, { target: 'vm1' }),
];

const open = (): Driver => {
  const driver = new Driver({ columns: 110, rows: 24 }).snapshot(fleet).type('jR');
  expect(driver.text).toContain('Asking the daemon.');
  driver.take();
  return driver.send({ type: 'ended', answer: { ok: true, value: agents } });
};

describe('agents that have ended', () => {
  it('are asked for by R, and the one of the selected pane is chosen', () => {
    const driver = new Driver({ columns: 110, rows: 24 }).snapshot(fleet).type('jR');
    expect(driver.take()).toContainEqual({ kind: 'list-ended' });
    expect(open().lines.slice(1, 5)).toEqual([
      'ended  start one again with its session',
      '   2m  claude      work                      /home/dev/project             prompt 2',
      '   7m  claude      vm1/work                  /home/dev/project             prompt 7',
      '   9m  claude      work                      /home/dev/project             no such folder',
    ]);
    expect(open().selected).toBe('key-7');
    expect(starts(open().type(ENTER))).toMatchObject([{ agent: agents[2] }]);
    expect(starts(open().type(`k${ENTER}`))).toMatchObject([{ agent: agents[1] }]);
  });

  it('that cannot be started say why, and Escape starts none', () => {
    const blocked = open().type(`jj${ENTER}`);
    expect(starts(blocked)).toEqual([]);
    expect(blocked.lines.at(-1)).toBe(' no such folder');
    const driver = open().type('\x1b');
    expect(driver.text).toContain('needs you');
    expect(starts(driver.type(ENTER))).toEqual([]);
  });

  it('have an outcome that stays until a key is pressed', () => {
    const driver = open().type(ENTER);
    const answer = { ok: true, value: actionReport('it goes on with its session') } as const;
    driver.send({ type: 'resumed', agent: endedAgent(7), answer }).later(60);
    const words = 'claude in /home/dev/project: delivered: it goes on with its session.';
    expect(driver.lines.at(-1)).toBe(` ${words}`);
  });

  it('are none, or not known, in words', () => {
    const none = new Driver().snapshot(fleet).type('R');
    none.send({ type: 'ended', answer: { ok: true, value: [] } });
    expect(none.text).toContain('No agent has ended in the last day.');
    none.send({ type: 'ended', answer: { ok: false, problem: 'the store is full' } });
    const lost = new Driver().snapshot(fleet).type('R');
    lost.send({ type: 'ended', answer: { ok: false, problem: 'the daemon is gone' } });
    expect(lost.text).toContain('the daemon is gone');
  });
});

describe('a prompt that is pasted', () => {
  const prompt = (text: string): Driver => {
    const driver = new Driver({ columns: 80, rows: 24 }).snapshot([pane(1, { state: 'idle' })]);
    driver.take();
    return driver.type(`s\x1b[200~${text}\x1b[201~`);
  };

  it('keeps its lines', () => {
    const driver = prompt('first\r  second\r\nthird');
    expect(driver.lines.at(-1)).toContain('Prompt: first⏎  second⏎third');
    const effects = driver.type(ENTER).take();
    expect(effects).toMatchObject([{ order: { kind: 'send', text: 'first\n  second\nthird' } }]);
  });

  it('is whole or not there at all', () => {
    const whole = 'x'.repeat(19_000);
    expect(prompt(whole).type(ENTER).take()).toMatchObject([{ order: { text: whole } }]);
    const driver = prompt('y'.repeat(20_001));
    expect(driver.lines.at(-2)).toContain('Nothing was added');
    expect(driver.type(ENTER).take()).toEqual([]);
  });
});
