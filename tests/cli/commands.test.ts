// Every command against a daemon in small: what it asks, what it prints, how it ends.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { checkConfig } from '../../src/config/config-check.ts';
import { alertSchema, daemonInfoSchema } from '../../src/schema/api/health.ts';
import { defaultConfig } from '../../src/schema/config.ts';
import { problemOf } from '../../src/schema/problem.ts';
import { NOW, paneItem, paneList, Refused, runHere, SmallDaemon, summaryOf } from './fixture.ts';

let daemon: SmallDaemon;

beforeEach(async () => {
  daemon = new SmallDaemon();
  await daemon.start();
  vi.stubEnv('LC_ALL', 'C.UTF-8');
  vi.stubEnv('TMUX', undefined);
  vi.stubEnv('TMUX_PANE', undefined);
  vi.stubEnv('TMUX_TMPDIR', daemon.folder);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await daemon[Symbol.asyncDispose]();
});

const agtmux = (...args: readonly string[]) => runHere(...args, '-s', daemon.socketPath);
const askedFor = (method: string): unknown =>
  daemon.asked.find((each) => each.method === method)?.params;

const needs = (kind: 'approval' | 'error') => ({
  attention: { kinds: [kind], since: NOW, requests: [], snoozed_until: null },
});
const panes = [
  paneItem({ state: 'waiting_approval', ...needs('approval') }),
  paneItem({ index: 1, state: 'error', ...needs('error') }),
  paneItem({ index: 2, state: 'running' }),
  paneItem({ index: 3, state: 'completed' }),
  paneItem({ index: 4, state: 'idle' }),
];

const info = daemonInfoSchema.parse({
  protocol: 1,
  version: '0.1.0',
  pid: 77,
  nonce: 'n',
  started_at: NOW,
  socket: '/s',
  database: '/d',
  log_file: null,
  servers: [],
});

describe('list', () => {
  it('asks with every filter and prints the table', async () => {
    daemon.handlers['list_panes'] = () => paneList(panes);
    const { code, out } = await agtmux(
      ...['list', 'panes', '--target', 'vm1', '--target-session', 'vm1/a;b', '--session', '$(x)'],
      ...['--state', 'running', '--agent', 'claude', '--needs-action', '--sort', 'age'],
    );
    expect(code).toBe(0);
    expect(askedFor('list_panes')).toEqual({
      target: 'vm1',
      target_session: 'vm1/a;b',
      session: '$(x)',
      state: 'running',
      agent: 'claude',
      needs_action: true,
      sort: 'age',
    });
    expect(out).toContain('! waiting_approval');
    expect(out).not.toContain('\x1b');
  });

  it.each([[[]], [['list-panes']], [['list', 'panes', '--all-targets']]])(
    '%j is the table of panes, by attention',
    async (words) => {
      daemon.handlers['list_panes'] = () => paneList(panes);
      expect((await agtmux(...words)).out).toContain('5 agents in 5 panes');
      expect(askedFor('list_panes')).toEqual({ sort: 'attention' });
    },
  );

  it('prints with --json exactly what came, and no raw control or bidi mark', async () => {
    const list = paneList([paneItem({ title: 'a\x1b]52;c;x\x07b\u202ec\u0085', session: 'é日' })]);
    daemon.handlers['list_panes'] = () => list;
    const { out } = await agtmux('list', 'panes', '--json');
    expect(JSON.parse(out)).toEqual(list);
    expect(out).toContain('é日');
    expect(out.trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it('is ASCII with --ascii, and where the locale is not UTF-8', async () => {
    daemon.handlers['list_panes'] = () => paneList([paneItem({ title: 'naïve', state: 'idle' })]);
    expect((await agtmux('list', 'panes', '--ascii')).out).toMatch(/- idle[\s\S]*na\?ve/);
    vi.stubEnv('LC_ALL', 'C');
    expect((await agtmux('list', 'panes')).out).toContain('- idle');
  });

  it('puts windows that wait first, and adds the counts on request', async () => {
    const window = (session_name: string, top_state: string) => ({
      identity: { target: 'local', server: 's', session_name, window_id: '@1', window_index: 1 },
      window_name: 'w',
      ...summaryOf([paneItem()]),
      top_state,
      waiting: 0,
      running: 1,
    });
    daemon.handlers['list_windows'] = () => ({
      ...paneList([]),
      windows: [window('b', 'idle'), window('a', 'running'), window('c', 'error')],
    });
    const order = (out: string) => [...out.matchAll(/ ([abc]):1 /g)].map((found) => found[1]);
    expect(order((await agtmux('list', 'windows')).out)).toEqual(['c', 'a', 'b']);
    expect(order((await agtmux('list', 'windows', '--sort', 'target')).out)).toEqual([
      'a',
      'b',
      'c',
    ]);
    expect((await agtmux('list', 'windows', '--with-agent-status')).out).toContain('BY STATE');
  });

  it('groups sessions by the given key', async () => {
    daemon.handlers['list_sessions'] = () => ({ ...paneList([]), sessions: [] });
    await agtmux('list', 'sessions', '--group-by', 'session-name', '--agent-summary');
    expect(askedFor('list_sessions')).toEqual({ group_by: 'session-name' });
  });

  it.each([
    [{}, [], false],
    [{}, ['--color', 'always'], true],
    [{ NO_COLOR: '1' }, ['--color=always'], true],
    [{ FORCE_COLOR: '1' }, [], true],
    [{ FORCE_COLOR: '1' }, ['--color', 'never'], false],
    [{ FORCE_COLOR: '1' }, ['--no-color'], false],
    [{ FORCE_COLOR: '1', NO_COLOR: '1' }, [], true],
    [{ FORCE_COLOR: '0' }, ['--color', 'auto'], false],
  ])('into a pipe with %j and %j has colours: %j', async (env, options, hasColor) => {
    daemon.handlers['list_panes'] = () => paneList(panes);
    vi.stubEnv('FORCE_COLOR', undefined);
    vi.stubEnv('NO_COLOR', undefined);
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    expect((await agtmux('list', ...options)).out.includes('\x1b[')).toBe(hasColor);
  });

  it('refuses the hooks of an agent that does not exist, with the nearest name', async () => {
    const { code, err } = await runHere('hooks', 'status', 'cluade');
    expect([code, err.split('\n')[1]]).toEqual([64, 'Did you mean claude?']);
  });

  it('asks for several states at once, and for one as a word', async () => {
    daemon.handlers['list_panes'] = () => paneList(panes);
    await agtmux('list', '--state', 'error, idle');
    expect(askedFor('list_panes')).toEqual({ sort: 'attention', state: ['error', 'idle'] });
  });

  it('refuses --target beside --all-targets', async () => {
    const { code, err } = await agtmux('list', 'panes', '--target', 'a', '--all-targets');
    expect(code).toBe(64);
    expect(err).toMatch(/^E_INPUT_INVALID: .+\nGive one of them\.\n$/);
  });
});

describe('a refusal of the daemon', () => {
  it.each([
    ['E_REF_NOT_FOUND', -32001, 66],
    ['E_REF_AMBIGUOUS', -32002, 75],
    ['E_REF_INVALID', -32602, 64],
    ['E_NOT_PERMITTED', -32003, 77],
  ])('%s is printed with its hint, and ends with its exit code', async (code, rpcCode, exit) => {
    daemon.handlers['explain'] = () => new Refused(code, rpcCode, 'no\x1b[31m pane', 'Look it up.');
    expect(await agtmux('explain', 'pane:x/y/z/q')).toEqual({
      code: exit,
      out: '',
      err: `${code}: no pane\nLook it up.\n`,
    });
  });
});

describe('a reference that may mean several panes', () => {
  const candidates = [
    { ref: 'api:0.0', agent: 'claude', state: 'running', title: 'Fix\x1b[31m it' },
    { ref: 'feat/log in:1.0', agent: null, state: 'unknown', title: 'shell' },
    { ref: 7 },
  ];

  beforeEach(() => {
    daemon.handlers['explain'] = () =>
      new Refused('E_REF_AMBIGUOUS', -32002, '"api" means any of 2 panes', 'Type one of these.', {
        candidates,
      });
  });

  it('is refused with what to type for each, quoted for the shell', async () => {
    const { code, out, err } = await agtmux('explain', 'api');
    expect([code, out]).toEqual([75, '']);
    expect(err.split('\n')).toEqual([
      'E_REF_AMBIGUOUS: "api" means any of 2 panes',
      'Type one of these.',
      '  api:0.0            claude  running   Fix it',
      "  'feat/log in:1.0'  -       no agent  shell",
      '',
    ]);
  });

  it('is refused with --json as one object on standard output', async () => {
    const { code, out, err } = await agtmux('explain', 'api', '--json');
    expect([code, err]).toEqual([75, '']);
    expect(JSON.parse(out)).toEqual({
      schema_version: 1,
      generated_at: expect.any(String),
      error: {
        code: 'E_REF_AMBIGUOUS',
        message: '"api" means any of 2 panes',
        hint: 'Type one of these.',
        exit_code: 75,
        candidates: candidates.slice(0, 2),
      },
    });
  });
});

describe('name', () => {
  beforeEach(() => {
    daemon.handlers['name_pane'] = ({ alias }: { alias: string | null }) => ({
      schema_version: 1,
      generated_at: NOW,
      pane: paneItem({ alias }),
    });
  });

  it('gives a pane a name of several words, and prints it', async () => {
    expect(await agtmux('name', '%3', 'review', 'bot')).toEqual({
      code: 0,
      out: 'main:1.0 is now called review bot\n',
      err: '',
    });
    expect(askedFor('name_pane')).toEqual({ ref: '%3', alias: 'review bot' });
  });

  it.each([[['--clear']], [['']]])('takes the name away with %j', async (words) => {
    const { out } = await agtmux('name', '%3', ...words);
    expect(out).toBe('main:1.0 has no name of its own any more\n');
    expect(askedFor('name_pane')).toEqual({ ref: '%3', alias: null });
  });

  it.each([[[]], [['api', '--clear']]])('refuses %j: one of both is needed', async (words) => {
    expect((await agtmux('name', '%3', ...words)).code).toBe(64);
  });

  it('is shown in listings, before the title that the agent gave', async () => {
    daemon.handlers['list_panes'] = () =>
      paneList([paneItem({ alias: 'api' }), paneItem({ alias: 'web', title_quality: 'path' })]);
    const { out } = await agtmux('list');
    expect(out).toMatch(/ api · Fix the parser /);
    expect(out).toMatch(/ web {2,}main/);
    expect(out).toMatch(/^STATE +AGE +AGENT +PANE /);
  });
});

describe('tmux-status', () => {
  beforeEach(() => {
    daemon.handlers['list_sessions'] = () => ({ ...paneList(panes), sessions: [] });
  });

  it('is one short line of counts', async () => {
    expect(await agtmux('tmux-status')).toEqual({ code: 0, out: '1✗ 1! 1> 1✓\n', err: '' });
    expect((await agtmux('tmux-status', '--ascii')).out).toBe('1x 1! 1> 1+\n');
  });

  it('has colours of tmux on request', async () => {
    const { out } = await agtmux('tmux-status', '--tmux-colors');
    expect(out).toMatch(
      /^#\[[^\]]*red[^\]]*\]1✗#\[default\] #\[[^\]]*yellow[^\]]*\]1!#\[default\] /,
    );
  });

  it('is an empty line with exit code 0 when nobody answers, and starts nothing', async () => {
    await daemon.stop();
    expect(await agtmux('tmux-status')).toEqual({ code: 0, out: '\n', err: '' });
  });

  it('says that nothing is known when the daemon refuses', async () => {
    daemon.handlers['list_sessions'] = () => new Refused('defect', -32603, 'oh', '');
    expect(await agtmux('tmux-status')).toEqual({ code: 0, out: 'agtmux ?\n', err: '' });
  });
});

describe('status', () => {
  const alert = alertSchema.parse({
    alert_id: 'a1',
    code: 'store_full',
    about: 'store',
    level: 'escalate',
    detail: null,
    opened_at: NOW,
    updated_at: NOW,
    acknowledged_at: null,
    resolved_at: null,
    resolved_by: null,
  });

  function prepare(alerts: readonly object[], sourceStatus = 'fresh'): void {
    const sources = [{ channel: 'title', status: sourceStatus, since: NOW, last_beat_at: NOW }];
    daemon.handlers['daemon_info'] = () => info;
    daemon.handlers['list_sessions'] = () => ({ ...paneList(panes), sessions: [] });
    daemon.handlers['list_source_health'] = () => ({
      schema_version: 1,
      generated_at: NOW,
      sources,
    });
    daemon.handlers['list_alerts'] = () => ({ schema_version: 1, generated_at: NOW, alerts });
  }

  it('is 0 when all is well, 1 when something is degraded, 3 when no daemon answers', async () => {
    prepare([]);
    const well = await agtmux('status');
    expect(well.code).toBe(0);
    expect(well.out).toMatch(/pid 77[\s\S]*5 agents in 5 panes[\s\S]*title +fresh[\s\S]*No alerts/);
    prepare([{ ...alert, level: 'warn' }]);
    expect((await agtmux('status')).code).toBe(0);
    prepare([alert]);
    expect((await agtmux('status')).code).toBe(1);
    prepare([], 'down');
    expect((await agtmux('status')).code).toBe(1);
    await daemon.stop();
    expect(await agtmux('status')).toEqual({
      code: 3,
      out: `No daemon answers at ${daemon.socketPath}.\n`,
      err: '',
    });
  });

  it('of the daemon alone is 0 or 3', async () => {
    prepare([]);
    expect((await agtmux('daemon', 'status')).code).toBe(0);
    expect(JSON.parse((await agtmux('daemon', 'status', '--json')).out)).toMatchObject({ pid: 77 });
    await daemon.stop();
    expect((await agtmux('daemon', 'status')).code).toBe(3);
    expect(await agtmux('daemon', 'stop')).toMatchObject({
      code: 0,
      out: 'No daemon was running.\n',
    });
  });

  it('shows, acknowledges and resolves alerts', async () => {
    prepare([alert]);
    daemon.handlers['acknowledge_alert'] = () => ({ ...alert, acknowledged_at: NOW });
    daemon.handlers['resolve_alert'] = () => ({
      ...alert,
      resolved_at: NOW,
      resolved_by: 'operator',
    });
    expect((await agtmux('alerts', '--all')).out).toContain('store_full');
    expect(askedFor('list_alerts')).toEqual({ include_resolved: true });
    expect((await agtmux('alerts', 'ack', 'a1')).out).toContain('acknowledged');
    expect((await agtmux('alerts', 'resolve', 'a1')).out).toContain('resolved by you');
    expect(askedFor('resolve_alert')).toEqual({ alert_id: 'a1' });
  });
});

describe('emit', () => {
  const result = (outcome: string) => ({
    results: [{ event_id: 'e1', outcome, code: null, detail: null }],
  });

  it.each([
    ['applied', 0],
    ['ignored', 3],
    ['duplicate', 4],
    ['late', 5],
    ['pending_bind', 6],
  ])('prints %s and ends with %i', async (outcome, exit) => {
    daemon.handlers['ingest_events'] = () => result(outcome);
    const { code, out } = await agtmux('emit', '--type', 'Stop');
    expect({ code, out }).toEqual({ code: exit, out: `${outcome} e1\n` });
  });

  it('reports a refused event as an error, with the types that are valid', async () => {
    const detail = '"runing" is not a known type; did you mean running? Valid types: running';
    const refused = { event_id: '', outcome: 'refused', code: 'invalid_source_event', detail };
    daemon.handlers['ingest_events'] = () => ({ results: [refused] });
    const { code, out, err } = await agtmux('emit', '--type', 'runing');
    expect({ code, out, err }).toEqual({
      code: 65,
      out: '',
      err: `invalid_source_event: ${detail}\n`,
    });
  });

  it('sends every field that was given, and no other', async () => {
    daemon.handlers['ingest_events'] = () => result('applied');
    await agtmux('emit', '--type', 'running');
    expect(askedFor('ingest_events')).toEqual({ events: [{ source: 'emit', type: 'running' }] });
    daemon.asked.length = 0;
    vi.stubEnv('TMUX', '/tmp/tmux-0/x,1,0');
    await agtmux(
      ...['emit', '--type', 'Stop', '--source', 'claude-hooks', '--agent', 'claude'],
      ...['--pane', '%3', '--dedupe', 'k', '--source-seq', '7', '--payload', '{"a":1}'],
      ...['--event-time', '2026-01-31T12:00:00Z'],
    );
    expect(askedFor('ingest_events')).toEqual({
      events: [
        {
          source: 'claude-hooks',
          type: 'Stop',
          agent: 'claude',
          pane: '%3',
          server: '/tmp/tmux-0/x',
          dedupe_key: 'k',
          source_seq: 7,
          event_time_ms: Date.parse(NOW),
          payload: { a: 1 },
        },
      ],
    });
  });

  it('takes its own pane when none is named', async () => {
    daemon.handlers['ingest_events'] = () => result('applied');
    vi.stubEnv('TMUX', '/tmp/tmux-0/x,1,0');
    vi.stubEnv('TMUX_PANE', '%9');
    await agtmux('emit', '--type', 'Stop');
    expect(askedFor('ingest_events')).toMatchObject({
      events: [{ env: { TMUX: '/tmp/tmux-0/x,1,0', TMUX_PANE: '%9' } }],
    });
  });

  it('reads the payload from a file, and refuses one that is absent or too large', async () => {
    daemon.handlers['ingest_events'] = () => result('applied');
    const file = join(daemon.folder, 'payload');
    writeFileSync(file, 'not json');
    await agtmux('emit', '--type', 'Stop', '--payload', `@${file}`);
    expect(askedFor('ingest_events')).toMatchObject({ events: [{ payload: 'not json' }] });
    writeFileSync(file, 'x'.repeat(300_000));
    expect((await agtmux('emit', '--type', 'Stop', '--payload', `@${file}`)).code).toBe(64);
    expect((await agtmux('emit', '--type', 'Stop', '--payload', '@/none')).code).toBe(64);
    expect((await agtmux('emit')).err).toContain('emit needs --type');
  });
});

describe('small commands', () => {
  it('tag needs one of --agent and --clear', async () => {
    daemon.handlers['tag'] = () => ({ ok: true });
    expect((await agtmux('tag', '%3')).code).toBe(64);
    expect((await agtmux('tag', '%3', '--agent', 'x', '--clear')).code).toBe(64);
    expect((await agtmux('tag', '%3', '--agent', 'codex')).code).toBe(0);
    expect(askedFor('tag')).toEqual({ ref: '%3', agent: 'codex' });
    daemon.asked.length = 0;
    await agtmux('tag', '%3', '--clear');
    expect(askedFor('tag')).toEqual({ ref: '%3', agent: null });
  });

  it('adapter switches an agent on and off', async () => {
    const list = { schema_version: 1, generated_at: NOW, adapters: [], problems: [] };
    daemon.handlers['list_adapters'] = () => list;
    daemon.handlers['set_adapter_enabled'] = () => list;
    expect((await agtmux('adapter', 'list')).out).toContain('AGENT');
    await agtmux('adapter', 'disable', 'claude');
    expect(askedFor('set_adapter_enabled')).toEqual({ agent: 'claude', enabled: false });
  });

  it('history --summary prints sums as a table with bars, or as CSV', async () => {
    const sums = (waiting_ms: number) => ({
      ...{ observed_ms: 7_200_000, waiting_ms, waits: 2, longest_wait_ms: waiting_ms },
      states: { running: 7_200_000 - waiting_ms, waiting_approval: waiting_ms },
    });
    daemon.handlers['history_summary'] = () => ({
      ...{ schema_version: 1, generated_at: NOW, filters: {}, since: NOW, until: NOW },
      ...{ time_zone: 'UTC', by: 'session', partial: false, total: sums(3_900_000) },
      groups: [
        { name: '=cmd|"x"', ...sums(3_900_000) },
        { name: 'quiet, long', ...sums(0) },
      ],
      longest_waits: [],
    });
    const { out } = await agtmux('history', '--summary', '--by', 'session', '--limit', '3');
    expect(askedFor('history_summary')).toMatchObject({ by: 'session', waits: 3 });
    expect(out).toContain('waited for you for 1h 5m (54%), 2 times');
    expect(out).toMatch(/=cmd\|"x" +1h 5m +█{16} +54%/);
    const { out: csv } = await agtmux('history', '--summary', '--by', 'session', '--csv');
    expect(csv.split('\r\n').slice(0, 3)).toEqual([
      'session,observed_ms,waiting_ms,waits,longest_wait_ms,error_ms,waiting_approval_ms,' +
        'waiting_input_ms,running_ms,completed_ms,idle_ms,unknown_ms',
      `"'=cmd|""x""",7200000,3900000,2,3900000,0,3900000,0,3300000,0,0,0`,
      '"quiet, long",7200000,0,2,0,0,0,0,7200000,0,0,0',
    ]);
  });

  it('history refuses --csv without --summary', async () => {
    const { code, err } = await agtmux('history', '--csv');
    expect(code).toBe(64);
    expect(err).toContain('--by and --csv belong to --summary.');
  });

  it('history asks for one pane since a time', async () => {
    daemon.handlers['history'] = () => ({
      schema_version: 1,
      generated_at: NOW,
      filters: {},
      entries: [],
    });
    await agtmux('history', '%3', '--since', '2026-01-31T12:00:00Z', '--limit', '5');
    expect(askedFor('history')).toEqual({ ref: '%3', since_ms: Date.parse(NOW), limit: 5 });
  });

  it.each(['list panes', 'daemon run'])('%s makes no folder of a mistyped socket', async (line) => {
    const folder = join(daemon.folder, 'mistyped');
    const { code, err } = await runHere(...line.split(' '), '-s', join(folder, 'x.sock'));
    expect(code).toBe(66);
    expect(err).toContain(`E_INPUT_INVALID: the folder ${folder} of the socket does not exist.`);
    expect(existsSync(folder)).toBe(false);
  });

  it('a second socket is refused at once while a daemon holds the state folder', async () => {
    vi.stubEnv('XDG_STATE_HOME', daemon.folder);
    const folder = join(daemon.folder, 'agtmux');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const holder = { pid: process.pid, socket: '/run/another.sock' };
    writeFileSync(join(folder, 'agtmuxd.lock.json'), JSON.stringify(holder));
    const socket = join(daemon.folder, 'second.sock');
    const { code, err } = await runHere('list', 'panes', '-s', socket);
    expect(code).toBe(75);
    expect(err).toContain(`another daemon uses ${folder}`);
    expect(err).toContain('socket /run/another.sock');
  });

  it('metrics prints the lines as they are, without their escapes', async () => {
    daemon.handlers['metrics'] = () => ({ content_type: 't', text: 'a 1\nb{x="\x1b[2J"} 2\n' });
    expect((await agtmux('metrics')).out).toBe('a 1\nb{x=""} 2\n');
  });

  it('config names the file, shows what is in force, and finds what is wrong', async () => {
    vi.stubEnv('XDG_CONFIG_HOME', daemon.folder);
    const path = join(daemon.folder, 'agtmux', 'config.toml');
    expect((await runHere('config', 'path')).out).toBe(`${path}\n`);
    expect((await runHere('config', 'check')).code).toBe(0);
    expect((await agtmux('config', 'show')).out).toMatch(/^\[engine\]\nstale_signal = "30s"\n/);
    expect((await agtmux('config', 'show', '--defaults')).out).toMatch(/^\[\w+\]$/m);
    const absent = join(daemon.folder, 'none.toml');
    expect(await runHere('config', 'check', absent)).toMatchObject({
      code: 66,
      err: `E_INPUT_INVALID: ${absent} does not exist.\n`,
    });
    const broken = join(daemon.folder, 'broken.toml');
    writeFileSync(broken, '\n[nonsense]\nx = 1\n');
    const { code, err } = await runHere('config', 'check', broken);
    expect(code).toBe(78);
    expect(err).toContain(`E_CONFIG_INVALID: ${broken}:2:`);
    expect(err.trimEnd().split('\n').at(-1)).toBe(problemOf('E_CONFIG_INVALID').hint);
  });

  it('config show prints what is in force, and what of the file waits for a start', async () => {
    vi.stubEnv('XDG_CONFIG_HOME', daemon.folder);
    const path = join(daemon.folder, 'agtmux', 'config.toml');
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '[ssh]\nconfig_file = "/new"\n', { mode: 0o600 });
    daemon.handlers['show_config'] = () => ({
      in_force: defaultConfig,
      waiting: ['ssh.config_file'],
    });
    expect((await agtmux('config', 'show')).out).toContain(
      '# The file says "/new", from the next start on.\nconfig_file = ""\n',
    );
    const { waiting, config } = JSON.parse((await agtmux('config', 'show', '--json')).out);
    expect([waiting, config.ssh.configFile]).toEqual([['ssh.config_file'], '']);
  });

  it('config show prints a file that sets the same, harmless to a terminal', async () => {
    vi.stubEnv('XDG_CONFIG_HOME', daemon.folder);
    const path = join(daemon.folder, 'agtmux', 'config.toml');
    mkdirSync(dirname(path), { recursive: true });
    const sockets = ['/tmp/a\u202eb', '/tmp/\u{e0041}\u009b', '/tmp/\x1b[2J'];
    writeFileSync(path, `[tmux]\nsockets = ${JSON.stringify(sockets)}\nsweep = 300\n`);
    const { out } = await agtmux('config', 'show');
    expect(out).toContain('sweep = "300ms"');
    expect(out).toMatch(/^[\x20-\x7e\n]*$/);
    expect(checkConfig('shown', out)).toMatchObject({
      ok: true,
      config: { tmux: { sockets, sweepMs: 300 } },
    });
  });
});
