import { describe, expect, it } from 'vitest';
import type { PaneItem } from '../schema/api/panes.ts';
import {
  clockText,
  optionsText,
  reasonText,
  requestText,
  shortCount,
  usageText,
  workNotes,
} from './pane-notes.ts';
import type { View } from './view.ts';

const at = new Date(2026, 4, 10, 14, 5);
const view: View = { width: 80, color: false, unicode: true, nowMs: at.getTime() };
const quiet = {
  last_at: null,
  tool: null,
  prompt: null,
  title: null,
  background_count: 0,
  subagents: [],
  usage: null,
};
const pane = (activity: Partial<PaneItem['activity']>, more: Partial<PaneItem> = {}) =>
  ({
    attention: { kinds: [], since: null, requests: [] },
    reason_code: null,
    until: null,
    activity: { ...quiet, ...activity },
    ...more,
  }) as unknown as PaneItem;

describe('the notes of a pane', () => {
  it('show background work and how full the context is', () => {
    const usage = { context_used: 86_000, context_max: 200_000, tokens: 1_240_000 };
    const busy = pane({ background_count: 2, subagents: [{ id: 'a' }], usage });
    expect(workNotes(busy)).toEqual(['1 subagent', '2 bg', 'ctx 43%']);
    expect(usageText(busy)).toBe('context 86k of 200k, 1.2M tokens');
    expect(workNotes(pane({ usage: { context_used: 950 } }))).toEqual(['ctx 950']);
    expect(workNotes(pane({}))).toEqual([]);
    expect(usageText(pane({}))).toBe('');
  });

  it('show the end of a usage limit in local time', () => {
    const until = new Date(2026, 4, 10, 16, 30).toISOString();
    const limited = pane({}, { reason_code: 'usage_limit', until });
    expect(reasonText(view, limited)).toBe('usage_limit until 16:30');
    expect(reasonText(view, pane({}, { reason_code: 'retrying' }))).toBe('retrying');
    expect(reasonText(view, pane({}))).toBeNull();
    expect(clockText(view, new Date(2026, 4, 12, 9, 0).getTime())).toBe('05-12 09:00');
    const stuck = { kinds: ['stuck' as const], since: null, requests: [], snoozed_until: null };
    expect(reasonText(view, pane({}, { attention: stuck }))).toBe('stuck');
  });

  it('show the open request and its options', () => {
    const options = [
      { label: 'Yes', selected: true },
      { label: 'No', selected: false },
    ];
    const detail = { kind: 'approval' as const, tool: 'Bash', command: 'rm -r x', options };
    const request = { request_id: 'r', kind: 'approval' as const, since: '', seen: false, detail };
    expect(requestText(request)).toBe('Bash: rm -r x');
    expect(optionsText(request)).toBe('>1. Yes  2. No');
  });

  it.each([
    [999, '999'],
    [1_500, '2k'],
    [999_499, '999k'],
    [999_500, '1.0M'],
  ])('count %d as %s', (count, text) => {
    expect(shortCount(count)).toBe(text);
  });
});
