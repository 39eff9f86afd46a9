import { expect, it } from 'vitest';
import type { Reply } from '../tmux-wire/control-parser.ts';
import { guardedCommand, readGuarded } from './guarded-command.ts';

const guard = { paneId: '%1', panePid: 42, command: 'claude' };
const reply = (...lines: string[]): Reply => ({
  kind: 'reply',
  ok: true,
  number: 1,
  flags: 1,
  lines,
});
const refusal = (facts: string) => readGuarded([reply(`agtmux-refused ${facts}`)], guard);

it('a program name cannot leave its place in the condition', () => {
  const hostile = { ...guard, command: 'a,b}#{pane_id}' };
  expect(guardedCommand(hostile, [['send-keys', '-t', '%1', 'Enter']])[4]).toContain(
    '|#{pane_current_command},42|0|0|0|0|a#,b#}##{pane_id#}}',
  );
});

it('a command that ran is done', () => {
  expect(readGuarded([reply(), reply('agtmux-done')], guard)).toEqual({ isDone: true });
});

it('a program whose name holds a line end cannot make a refusal look done', () => {
  const hostile = reply('agtmux-refused 42 0 0 0 0 x', 'agtmux-done');
  expect(readGuarded([hostile], guard)).toEqual({ isDone: false, guard: 'program_changed' });
});

it.each([
  ['7 0 0 0 0 claude', 'pane_replaced'],
  ['42 0 0 0 1 claude', 'pane_dead'],
  ['42 1 0 0 0 claude', 'copy_mode'],
  ['42 0 1 0 0 claude', 'synchronized'],
  ['42 0 0 1 0 claude', 'input_off'],
  ['42 0 0 0 0 bash', 'program_changed'],
  ['42 0 0 0 0 claude', 'screen_changed'],
] as const)('the guard that failed is named: %s', (facts, name) => {
  expect(refusal(facts)).toEqual({ isDone: false, guard: name });
});

it('an unknown pane, an error or nothing at all means that the pane is gone', () => {
  const gone = { isDone: false, guard: 'pane_gone' };
  expect(refusal('     ')).toEqual(gone);
  expect(readGuarded([], guard)).toEqual(gone);
  expect(readGuarded([{ ...reply("can't find pane: %1"), ok: false }], guard)).toEqual(gone);
});
