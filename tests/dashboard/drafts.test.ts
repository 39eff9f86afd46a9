// What was begun for an agent and not sent.

import { expect, it } from 'vitest';
import { Drafts } from '../../src/web/state/drafts.ts';

const one = { runtime_id: 'rt1', pane_key: 'key' };
const next = { runtime_id: 'rt2', pane_key: 'key' };

it('a draft is that of one agent, and not of the next one in its pane', () => {
  const drafts = new Drafts();
  drafts.keep(one, { text: 'half a prompt' });
  drafts.keep(one, { moment: 'idle' });
  expect(drafts.of(one)).toEqual({ text: 'half a prompt', moment: 'idle' });
  expect(drafts.of(next)).toEqual({ text: '', moment: 'now' });
  drafts.keep(one, { text: '', moment: 'now' });
  expect(drafts.of(one).text).toBe('');
});

it('drafts are bounded: the one that was left alone the longest goes first', () => {
  const drafts = new Drafts();
  const at = (index: number) => ({ runtime_id: null, pane_key: `key-${index}` });
  for (let index = 0; index < 100; index += 1) drafts.keep(at(index), { text: 'x' });
  drafts.keep(at(0), { text: 'xy' });
  drafts.keep(at(100), { text: 'z' });
  expect([0, 1, 2, 100].map((index) => drafts.of(at(index)).text)).toEqual(['xy', '', 'x', 'z']);
  drafts.forget();
  expect(drafts.of(at(100)).text).toBe('');
});
