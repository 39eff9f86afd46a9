// What agents tell of their work, in the table and in the ledger: children below their agent, notes
// at the end, limits with their time, a crash where no agent is any more.

import { expect, it } from 'vitest';
import { renderExplanation } from '../../src/render/ledger.ts';
import { renderPanes } from '../../src/render/listings.ts';
import type { View } from '../../src/render/view.ts';
import { textWidth } from '../../src/render/width.ts';
import { explanationSchema } from '../../src/schema/api/ledger.ts';
import { NOW, paneItem, paneList } from './fixture.ts';

const view = (width: number): View => ({
  width,
  color: false,
  unicode: true,
  nowMs: Date.parse(NOW),
});
const quiet = paneItem().activity;
const subagents = [{ id: 'a1', kind: 'Explore' }, { id: 'a2' }];
const busy = paneItem({
  activity: {
    ...quiet,
    tool: 'Bash: make',
    prompt: 'fix it \u001b]52;c;aGk=\u0007',
    background_count: 2,
    subagents,
    usage: { context_used: 86_000, context_max: 200_000, tokens: 5_000 },
  },
});
const until = new Date(Date.parse(NOW) + 60_000).toISOString();
const limited = paneItem({ state: 'error', reason_code: 'usage_limit', until });
const crash = {
  request_id: 'crash@1',
  kind: 'crash' as const,
  since: NOW,
  seen: false,
  note: 'job ended with exit code 3',
};
const crashed = paneItem({
  presence: 'unmanaged',
  agent: 'job',
  state: 'error',
  reason_code: 'crashed',
  attention: { kinds: ['crash'], since: NOW, requests: [crash], snoozed_until: null },
});
const seat = { ...paneItem({ current_path: '/srv/shop' }), identity: null, locations: [] };

it('the table has children below their agent and notes at the end', () => {
  const text = renderPanes(view(200), paneList([busy, limited, crashed, seat]));
  const lines = text.split('\n');
  expect(lines[1]).toMatch(/running .*claude .*2 subagents, 2 bg, ctx 43%/);
  expect(lines[2]).toMatch(/^└ subagent +Explore/);
  expect(lines[3]).toMatch(/^└ subagent +a2/);
  expect(lines[4]).toMatch(/error \(usage_limit until \d\d:\d\d\)/);
  expect(lines[5]).toMatch(/✗ error \(crashed\) .*job ended with exit code 3/);
  expect(lines[6]).toContain('without a pane');
  for (const width of [10, 20, 40, 60, 80, 120]) {
    const narrow = renderPanes(view(width), paneList([busy, limited, crashed, seat])).split('\n');
    expect(Math.max(...narrow.map(textWidth))).toBeLessThanOrEqual(width);
  }
});

it('a table without any work has no column for it', () => {
  expect(renderPanes(view(200), paneList([paneItem()]))).not.toContain('NOTES');
});

it('the ledger shows the work, the request and its options', () => {
  const options = [
    { label: 'Yes', selected: true },
    { label: 'No', selected: false },
  ];
  const detail = { kind: 'approval' as const, tool: 'Bash', command: 'make', options };
  const request = { request_id: 'r', kind: 'approval' as const, since: NOW, seen: false, detail };
  const attention = {
    kinds: ['approval' as const],
    since: NOW,
    requests: [request],
    snoozed_until: null,
  };
  const explanation = explanationSchema.parse({
    schema_version: 1,
    generated_at: NOW,
    pane: { ...busy, attention },
    why: 'because',
    process: { basis: 'process', pid: 1, started_at: NOW, suspended: false },
    claims: [],
    events: [],
  });
  const text = renderExplanation(view(100), explanation);
  for (const line of [
    'tool:      Bash: make',
    'prompt:    fix it',
    'shells:    2 in the background',
    'subagents: Explore, a2',
    'usage:     context 86k of 200k, 5k tokens',
    'needs you: approval since 0s: Bash: make',
    'options:   >1. Yes 2. No',
  ]) {
    expect(text).toContain(line);
  }
  expect(text).not.toContain('\u001b');
});
