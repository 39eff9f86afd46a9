// The tables as text: they fit every width, keep what matters, and hostile names stay harmless.

import { describe, expect, it } from 'vitest';
import { fitColumns } from '../../src/render/grid.ts';
import { renderAdapters, renderAlerts, renderStatus } from '../../src/render/health.ts';
import { renderExplanation, renderHistory } from '../../src/render/ledger.ts';
import { renderPanes, renderSessions, renderWindows } from '../../src/render/listings.ts';
import { renderActions } from '../../src/render/requests.ts';
import { renderBundleReport } from '../../src/render/teams/bundles.ts';
import type { View } from '../../src/render/view.ts';
import { textWidth } from '../../src/render/width.ts';
import {
  adapterListSchema,
  alertListSchema,
  daemonInfoSchema,
} from '../../src/schema/api/health.ts';
import { explanationSchema, historySchema } from '../../src/schema/api/ledger.ts';
import { paneListSchema, sessionListSchema, windowListSchema } from '../../src/schema/api/panes.ts';
import { formatAge } from '../../src/text/format-age.ts';
import { NOW, paneItem, paneList, summaryOf } from './fixture.ts';

const view = (width: number, more: Partial<View> = {}): View => ({
  width,
  color: false,
  unicode: true,
  nowMs: Date.parse(NOW),
  ...more,
});

const hostileNames = [
  'a;b',
  'a"b\'c',
  '#{pid}',
  '$(x)',
  'do$llar',
  'tab\there',
  'line\nbreak',
  '日本語の名前 🚀👩‍👧',
  'x'.repeat(200),
  '\x1b]52;c;aGk=\x07clip',
  '\x1b[2J\x9b31mred',
  'abc\u202efed\u2066',
  '\u0000\u0007\u0085',
  'e\u0301'.repeat(60),
];

const hostilePanes = hostileNames.map((name, index) =>
  paneItem({
    session: name,
    index,
    title: name,
    agent: name,
    git_branch: name,
    current_path: name,
    target: index % 2 === 0 ? 'local' : 'vm1',
    server: `/tmp/${name}`,
  }),
);

const hostile = hostileNames.join('');
const counts = {
  agents: 2,
  by_state: summaryOf([paneItem(), paneItem({ state: 'idle' })]).by_state,
  needs_action: 0,
};

const panes = paneListSchema.parse(
  paneList(hostilePanes, {
    partial: true,
    target_errors: [{ target: hostile, code: 'target_unreachable', message: hostile }],
  }),
);
const windows = windowListSchema.parse({
  ...paneList([]),
  windows: hostileNames.map((name) => ({
    identity: { target: name, server: name, session_name: name, window_id: '@1', window_index: 1 },
    window_name: name,
    panes: 2,
    ...counts,
    top_state: 'waiting_approval',
    waiting: 1,
    running: 1,
  })),
});
const sessions = sessionListSchema.parse({
  ...paneList([]),
  sessions: hostileNames.map((name) => ({
    identity: { target: null, server: null, session_name: name },
    panes: 2,
    ...counts,
    top_state: 'error',
    by_target: { [name]: counts },
    representative_ref: name,
    title: name,
    top_pane: { ref: name, title: name },
  })),
});
const explanation = explanationSchema.parse({
  schema_version: 1,
  generated_at: NOW,
  pane: paneItem({
    title: hostile,
    session: hostile,
    state: 'waiting_approval',
    attention: {
      kinds: ['approval'],
      since: NOW,
      requests: [
        {
          request_id: hostile,
          kind: 'approval',
          since: NOW,
          seen: false,
          detail: { kind: 'approval', text: hostile, command: 'rm -rf /', tool: 'Bash' },
        },
      ],
      snoozed_until: null,
    },
  }),
  why: `The agent asks for an approval. ${hostile}`,
  process: { basis: 'argv', pid: 42, started_at: NOW, suspended: true },
  claims: [
    ['lost_precedence', 'claude-screen', 'running'],
    ['won', 'claude-hooks', 'waiting_approval'],
    ['silent', hostile, null],
  ].map(([outcome, source, says], index) => ({
    source,
    channel: hostile,
    channel_status: 'fresh',
    about: index === 1 ? hostile : 'turn',
    says,
    reason: null,
    kind: 'edge',
    tier: 'deterministic',
    rank: index,
    basis: 'signal',
    rule: hostile,
    covers: [],
    at: NOW,
    age_ms: index === 2 ? null : 5_000,
    last_read_at: NOW,
    backfill: index === 0,
    outcome,
    why: `Because of ${hostile}`,
  })),
  events: [
    {
      seq: 12,
      event_id: 'e1',
      type: hostile,
      source: hostile,
      disposition: 'late_event',
      event_time: NOW,
      ingested_at: NOW,
      summary: hostile,
    },
  ],
});
const history = historySchema.parse({
  schema_version: 1,
  generated_at: NOW,
  filters: {},
  entries: [
    {
      step_id: 1,
      at: NOW,
      pane_key: hostile,
      ref: null,
      pane: null,
      agent: hostile,
      runtime_id: null,
      state: 'running',
      reason_code: null,
      presence: 'managed',
      source: hostile,
      state_version: 1,
      lasted_ms: 5_000,
    },
  ],
});
const alerts = alertListSchema.parse({
  schema_version: 1,
  generated_at: NOW,
  alerts: [
    {
      alert_id: hostile,
      code: hostile,
      about: hostile,
      level: 'escalate',
      detail: hostile,
      opened_at: NOW,
      updated_at: NOW,
      acknowledged_at: null,
      resolved_at: null,
      resolved_by: null,
    },
  ],
});
const adapters = adapterListSchema.parse({
  schema_version: 1,
  generated_at: NOW,
  adapters: [
    {
      agent: hostile,
      title: hostile,
      contract_version: hostile,
      enabled: true,
      health: hostile,
      capabilities: {},
      sources: [hostile],
      rules: 3,
    },
  ],
  problems: [],
});
const daemon = daemonInfoSchema.parse({
  protocol: 1,
  version: '0.1.0',
  pid: 7,
  nonce: 'n',
  started_at: NOW,
  socket: hostile,
  database: hostile,
  log_file: null,
  servers: [
    { target: hostile, server: hostile, status: 'degraded', detail: hostile, panes: 1, taps: 0 },
  ],
});

const pictures: Readonly<Record<string, (view: View) => string>> = {
  panes: (each) => renderPanes(each, panes),
  windows: (each) => renderWindows(each, windows, { counts: true }),
  sessions: (each) => renderSessions(each, sessions, { counts: true }),
  explanation: (each) => renderExplanation(each, explanation),
  history: (each) => renderHistory(each, history),
  alerts: (each) => renderAlerts(each, alerts.alerts),
  adapters: (each) => renderAdapters(each, adapters),
  status: (each) =>
    renderStatus(each, {
      schema_version: 1,
      generated_at: NOW,
      healthy: false,
      daemon,
      summary: panes.summary,
      sources: [{ channel: hostile, status: 'down', since: NOW, last_beat_at: null }],
      alerts: alerts.alerts,
    }),
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there.
const forbidden = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: our own colours.
const ownColors = /\x1b\[(?:0|1|2|3[1-5])m/g;

describe.each(Object.entries(pictures))('the picture of %s', (_name, draw) => {
  it('fits every width from 20 to 300, and hostile names stay harmless in it', () => {
    for (let width = 20; width <= 300; width += 1) {
      for (const unicode of [true, false]) {
        const lines = draw(view(width, { unicode })).split('\n');
        const tooWide = lines.filter((line) => textWidth(line) > width);
        expect(tooWide, `at ${width}`).toEqual([]);
        expect(lines.filter((line) => forbidden.test(line))).toEqual([]);
        if (!unicode) expect(lines.join('')).toMatch(/^[\x20-\x7e]*$/);
      }
    }
  });

  it('says the same with colours, and no other escape than its own', () => {
    for (const width of [20, 80, 200]) {
      const plain = draw(view(width));
      const colored = draw(view(width, { color: true }));
      expect(colored).toContain('\x1b[');
      expect(colored.replace(ownColors, '')).toBe(plain);
    }
  });
});

describe('the table of panes', () => {
  const list = paneList([
    paneItem({ state: 'waiting_approval', since: '2026-01-31T11:57:00.000Z' }),
    paneItem({ index: 1, state: 'idle', reason_code: 'interrupted', agent: 'codex' }),
    paneItem({ index: 2, presence: 'unmanaged', agent: null, state: 'unknown', title: 'zsh' }),
  ]);

  const asks = (text: string) =>
    paneItem({
      state: 'waiting_approval',
      attention: {
        kinds: ['approval'],
        since: NOW,
        snoozed_until: null,
        requests: [
          {
            request_id: 'r',
            kind: 'approval',
            since: NOW,
            seen: true,
            detail: { kind: 'approval', tool: 'Bash', command: text },
          },
        ],
      },
    });

  it('shows what an agent asks, before its title where there is no room for both', () => {
    const asking = paneList([asks('rm -rf build'), paneItem({ index: 1 })]);
    expect(renderPanes(view(120), asking)).toMatch(
      / main:1\.0 +Bash: rm -rf build +Fix the parser/,
    );
    const narrow = renderPanes(view(76), asking);
    expect(narrow).toMatch(/^! waiting_approval +1m +claude +main:1\.0 +Bash: rm -rf build/m);
    expect(narrow).not.toContain('BRANCH');
    expect(renderPanes(view(120), paneList([paneItem()]))).not.toContain('QUESTION');
  });

  it('cuts no name that has room on its line, and takes no column from the others', () => {
    const session = 'a-rather-long-session-name-of-forty-six-columns';
    const long = paneList([paneItem({ session }), paneItem({ session, index: 1 })]);
    for (const width of [80, 100]) {
      const lines = renderPanes(view(width), long).split('\n');
      expect(lines[1], `at ${width}`).toContain(`${session}:1.0`);
      expect(lines[2], `at ${width}`).toContain(`${session}:1.1`);
      expect(lines[1], `at ${width}`).toMatch(/^> /);
    }
    expect(renderPanes(view(80), long)).toMatch(/^> running /m);
    const among = paneList([paneItem({ session }), paneItem({ session: 'short' })]);
    expect(renderPanes(view(80), among)).toMatch(/^> running +1m +claude +short:1\.0/m);
  });

  it('prints a location with its target where two panes have the same one', () => {
    const twins = [
      paneItem({ pane_key: 'a' }),
      paneItem({ pane_key: 'b', target: 'vm1' }),
      paneItem({ pane_key: 'c', server: '/tmp/tmux-0/work' }),
      paneItem({ pane_key: 'd', index: 1 }),
    ];
    const table = renderPanes(view(160), paneList(twins));
    for (const name of ['local+default/main:1.0', 'vm1/main:1.0', 'local+work/main:1.0']) {
      expect(table).toContain(` ${name} `);
    }
    expect(table).toMatch(/ main:1\.1 /);
  });

  it('prints a location with its target where a filter leaves out a pane of the same one', () => {
    const twins = [paneItem({ pane_key: 'a' }), paneItem({ pane_key: 'b', target: 'vm1' })];
    expect(renderPanes(view(160), paneList(twins.slice(0, 1)), twins)).toContain(
      ' local/main:1.0 ',
    );
  });

  it('prints the server of windows and sessions where a target has two', () => {
    const identity = { target: 'local', session_name: 'api', window_id: '@1', window_index: 3 };
    const servers = ['/tmp/tmux-0/default', '/tmp/tmux-0/work'];
    const window = {
      window_name: 'w',
      panes: 1,
      ...counts,
      top_state: 'idle',
      waiting: 0,
      running: 0,
    };
    const both = windowListSchema.parse({
      ...paneList([]),
      windows: servers.map((server) => ({ ...window, identity: { ...identity, server } })),
    });
    const table = renderWindows(view(120), both, { counts: false });
    expect(table).toMatch(/ api:3 .* local\+default /);
    expect(table).toMatch(/ api:3 .* local\+work /);
  });

  it('says state, age, agent, place, title and branch, and counts below', () => {
    expect(renderPanes(view(120), list)).toBe(
      [
        'STATE                 AGE  AGENT   PANE      TITLE           BRANCH',
        '! waiting_approval    3m   claude  main:1.0  Fix the parser  main',
        '· idle (interrupted)  1m   codex   main:1.1  Fix the parser  main',
        '  no agent            1m   -       main:1.2  zsh             main',
        '',
        '2 agents in 3 panes: 1 waiting_approval, 1 idle',
        '',
      ].join('\n'),
    );
  });

  it('says of no pane that it has no agent while nothing can be stored', () => {
    const shell = { agent: null, presence: 'unmanaged', state: 'unknown' } as const;
    const store_error = { code: 'store_full', message: 'the disk is full' };
    const panes = [paneItem({ ...shell, reason_code: 'store_failed' })];
    const text = renderPanes(view(120), { ...paneList(panes), store_error });
    expect(text).not.toMatch(/no agent|0 agents/);
    expect(text).toMatch(/~ unknown \(store_failed\) [\s\S]*\nagents unknown in 1 pane\n/);
  });

  it('keeps the mark and the place at 20 columns', () => {
    const lines = renderPanes(view(20, { unicode: false }), list).split('\n');
    expect(lines[1]).toMatch(/^! +.*main:1\.0$/);
    expect(lines[2]).toMatch(/^- +.*main:1\.1$/);
  });

  it('names the target only where there is more than one', () => {
    expect(renderPanes(view(120), list)).not.toContain('TARGET');
    const two = paneList([paneItem(), paneItem({ target: 'vm1' })]);
    expect(renderPanes(view(120), two)).toMatch(/TARGET[\s\S]* vm1 /);
    const [first] = two.panes;
    if (!first?.identity) throw new Error('no place');
    const aside = { ...first, identity: { ...first.identity, server: '/tmp/aside' } };
    const three = paneList([...two.panes, aside]);
    expect(renderPanes(view(120), three)).toMatch(/TARGET[\s\S]* local\+aside /);
    expect(renderPanes(view(120), three)).toMatch(/TARGET[\s\S]* vm1 /);
  });

  it('names a target that did not answer', () => {
    const error = { target: 'vm1', code: 'target_unreachable', message: 'no route' };
    const partial = paneList([paneItem()], { partial: true, target_errors: [error] });
    expect(renderPanes(view(120), partial)).toContain('vm1: target_unreachable: no route');
  });

  it('says so when there is nothing', () => {
    expect(renderPanes(view(80), paneList([]))).toBe('No panes.\n\n0 agents in 0 panes\n');
  });
});

describe('the audit trail', () => {
  it('names a pane by what is typed for it, and one that is gone by its id', () => {
    const there = paneItem({ pane_key: 'local|0|s|g|%251', session: 'api', index: 2 });
    const action = {
      ...{ action_id: 'a', request_ref: null, kind: 'send' as const, runtime_id: null },
      ...{ actor: 'operator:me', input: '{}', asked_at: NOW, result: 'delivered' as const },
      ...{ code: null, detail: null, done_at: NOW },
    };
    const actions = [
      { ...action, pane_key: there.pane_key },
      { ...action, pane_key: 'vm1|0|s|g|%257' },
    ];
    const list = { schema_version: 1 as const, generated_at: NOW, actions };
    const table = renderActions(view(80), list, [there]);
    expect(table).toMatch(/ send +api:1\.2 +delivered/);
    expect(table).toMatch(/ send +vm1 %7 +delivered/);
  });
});

describe('times that a person reads', () => {
  it('are local, and fit with their columns at 80', () => {
    const at = new Date(2026, 10, 19, 13, 46, 18).toISOString();
    const [entry] = history.entries;
    if (!entry) throw new Error('no entry');
    const plain = { ...entry, at, agent: 'claude', pane: 'api:1.0', source: 'claude.hooks' };
    const table = renderHistory(view(80), { ...history, entries: [plain] });
    expect(table).toContain('2026-11-19 13:46:18');
    expect(table).toMatch(/AT +STATE +LASTED +AGENT +PANE/);
  });
});

describe('what came of a bundle', () => {
  const report = {
    ...{ bundle_name: 'review', outcome: 'hosted' as const, reason_code: null, reason: null },
    ...{ bootstrap_session: null, created_sessions: ['author'], pruned_sessions: [] },
    ...{ killed_tmux_server: false, ready_session_count: 1 },
  };
  const failure = {
    bundle_name: 'review',
    ...{ sequence: 1, timestamp: NOW, session_id: 'tester', transport: 'tmux' as const },
    ...{ code: 'runtime_startup_failed', reason: 'tmux session is not ready', details: {} },
  };

  it('is said in plain words, and a start in part as one', () => {
    const whole = { ...report, failed_startups: [] };
    expect(renderBundleReport(view(80), whole, 1)).toMatch(/^up {2}review: 1 of 1 ready/);
    const part = { ...report, failed_startups: [failure] };
    expect(renderBundleReport(view(80), part, 2)).toMatch(/^up in part {2}review: 1 of 2 ready/);
  });
});

describe('the ledger', () => {
  it('puts the winner first, and gives every claim with its age and why it won or lost', () => {
    const text = renderExplanation(view(100), explanation);
    const won = text.indexOf('won claude-hooks says waiting_approval');
    expect(won).toBeGreaterThan(0);
    expect(won).toBeLessThan(text.indexOf('lost_precedence claude-screen says running, 5s ago'));
    expect(text).toContain('Because of a;b');
    expect(text).toContain('needs you: approval since 0s: Bash: rm -rf /');
  });
});

describe('columns', () => {
  const columns = [
    { title: 'A', rank: 0, min: 2 },
    { title: 'B', rank: 2, min: 4 },
    { title: 'C', rank: 1, min: 4 },
  ];

  it('shrink by what matters least, then go', () => {
    expect([...fitColumns(columns, [10, 10, 10], 34)]).toEqual([
      [0, 10],
      [1, 10],
      [2, 10],
    ]);
    expect([...fitColumns(columns, [10, 10, 10], 30)]).toEqual([
      [0, 10],
      [1, 6],
      [2, 10],
    ]);
    expect([...fitColumns(columns, [10, 10, 10], 25)]).toEqual([
      [0, 10],
      [1, 4],
      [2, 7],
    ]);
    expect([...fitColumns(columns, [10, 10, 10], 12)]).toEqual([
      [0, 6],
      [2, 4],
    ]);
    expect([...fitColumns(columns, [10, 10, 10], 1)]).toEqual([[0, 1]]);
  });
});

describe('ages', () => {
  it.each([
    [-5_000, '0s'],
    [59_999, '59s'],
    [60_000, '1m'],
    [3_600_000, '1h'],
    [90_000_000, '1d'],
  ])('%i ms is %s', (durationMs, text) => {
    expect(formatAge(durationMs)).toBe(text);
  });
});
