import { describe, expect, it } from 'vitest';
import type { CheckItem } from '../schema/api/doctor.ts';
import type { TargetItem } from '../schema/api/targets.ts';
import type { Facts, MachineFacts } from './facts.ts';
import { hasFindings, judge } from './judge.ts';

const file = (path: string, mode: number) => ({ path, exists: true, mode, isOurs: true });

const machine: MachineFacts = {
  nodeVersion: '24.1.0',
  tmuxVersion: '3.3a',
  servers: [{ socketPath: '/t', listens: true, detail: '', sessions: 2, endsWhenLeft: false }],
  socketFolder: file('/run/agtmux', 0o700),
  socket: file('/run/agtmux/s', 0o600),
  stateFolder: { ...file('/state', 0o700), openFiles: [], problem: null },
  spool: { ...file('/spool', 0o700), waiting: 0, refused: 0 },
  config: {
    path: '/c',
    exists: true,
    problems: [],
    openPaths: [],
    tap: 'agents',
    attach: 'when_safe',
    cpuPercentMax: 25,
  },
  database: { path: '/db', bytes: 5_000_000 },
  freeBytes: 50_000_000_000,
  emitter: { path: '/emit', isRunnable: true },
  hooks: [{ agent: 'claude', state: 'installed' }],
};

const at = '2026-01-01T00:00:00.000Z';
const target = (name: string, health: TargetItem['health']): TargetItem => ({
  target: name,
  name,
  kind: 'ssh',
  connection_ref: 'me@vm',
  health,
  detail: 'no route to host',
  last_seen_at: at,
});
const daemon: NonNullable<Facts['daemon']> = {
  info: {
    protocol: 1,
    version: '1.0.0',
    pid: 7,
    nonce: 'n',
    started_at: at,
    socket: '/run/agtmux/s',
    database: '/db',
    log_file: null,
    servers: [
      { target: 'local', server: '/t', status: 'connected', detail: null, panes: 3, taps: 1 },
    ],
  },
  sources: [{ channel: 'spool@local', status: 'fresh', since: at, last_beat_at: at }],
  adapters: { schema_version: 1, generated_at: at, adapters: [], problems: [] },
  alerts: [],
  targets: [
    { ...target('local', 'ok'), kind: 'local', connection_ref: null },
    { ...target('vm1', 'ok'), detail: null },
  ],
  lastSnapshotAtMs: Date.parse(at),
  cost: {
    daemonCpuPercent: 0.4,
    daemonBytes: 80_000_000,
    clients: 3,
    clientsCpuPercent: 0.01,
    clientsBytes: 9_000_000,
    processesStarted: 2,
    eventsPerMinute: 12,
  },
};

const facts = (over: Partial<MachineFacts> = {}, report: Facts['daemon'] = daemon): Facts => ({
  ourVersion: '1.0.0',
  machine: { ...machine, ...over },
  terminal: { term: 'xterm', utf8: true },
  daemon: report,
  daemonProblem: '',
  nowMs: Date.parse(at) + 60_000,
});

const found = (given: Facts): readonly CheckItem[] =>
  judge(given).filter(({ status }) => status === 'warn' || status === 'fail');

describe('the judgement of doctor', () => {
  it('finds nothing where all is well', () => {
    expect(found(facts())).toEqual([]);
    expect(hasFindings(judge(facts()))).toBe(false);
  });

  it.each<[string, Partial<MachineFacts>, string]>([
    ['node', { nodeVersion: '20.19.0' }, 'fail'],
    ['tmux', { tmuxVersion: null }, 'fail'],
    ['tmux', { tmuxVersion: '3.1c' }, 'fail'],
    ['socket folder', { socketFolder: file('/r', 0o755) }, 'fail'],
    ['state folder', { stateFolder: { ...machine.stateFolder, mode: 0o777 } }, 'fail'],
    ['state folder', { stateFolder: { ...machine.stateFolder, openFiles: ['agtmux.db'] } }, 'fail'],
    ['state folder', { stateFolder: { ...machine.stateFolder, problem: 'read-only' } }, 'fail'],
    ['configuration', { config: { ...machine.config, openPaths: ['/c'] } }, 'fail'],
    ['socket', { socket: { ...file('/s', 0o600), isOurs: false } }, 'fail'],
    ['configuration', { config: { ...machine.config, problems: ['line 2: no'] } }, 'fail'],
    ['store', { database: { path: '/db', bytes: 2_000_000_000 } }, 'warn'],
    ['disk', { freeBytes: 1_000 }, 'fail'],
    ['disk', { freeBytes: 100_000_000 }, 'warn'],
    ['spool', { spool: { ...machine.spool, refused: 3 } }, 'warn'],
    ['spool', { spool: { ...machine.spool, mode: 0o777 } }, 'fail'],
    ['emitter', { emitter: { path: '/e', isRunnable: false } }, 'fail'],
  ])('finds a bad %s, and says what to do', (name, over, status) => {
    expect(found(facts(over))).toEqual([
      { name, status, detail: expect.stringMatching(/\w/), fix: expect.stringMatching(/\w/) },
    ]);
  });

  it('says why no daemon can start, and not that one will', () => {
    const without = (over: Partial<MachineFacts>) =>
      found(facts(over, null)).find(({ name }) => name === 'daemon');
    const problem = 'its disk is read-only';
    expect(without({ stateFolder: { ...machine.stateFolder, problem } })).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining(problem),
    });
    expect(without({ freeBytes: 1_000 })?.detail).toContain('is full');
  });

  it('finds each problem that the daemon reports', () => {
    const namesOf = (more: Partial<typeof daemon>): readonly string[] =>
      found(facts({}, { ...daemon, ...more })).map(({ name }) => name);
    expect(namesOf({ info: { ...daemon.info, version: '0.9.0' } })).toEqual(['daemon']);
    const [server] = daemon.info.servers;
    const degraded = server ? [{ ...server, status: 'degraded' as const }] : [];
    expect(namesOf({ info: { ...daemon.info, servers: degraded } })).toEqual([
      'tmux server local /t',
    ]);
    expect(
      namesOf({ sources: [{ channel: 'x', status: 'down', since: at, last_beat_at: at }] }),
    ).toEqual(['sources']);
    for (const health of ['degraded', 'down'] as const) {
      expect(namesOf({ targets: [target('vm1', 'ok'), target('vm2', health)] })).toEqual([
        'target vm2',
      ]);
    }
    expect(namesOf({ cost: { ...daemon.cost, daemonCpuPercent: 90 } })).toEqual(['cost']);
    const problems = [{ file: 'f', problem: 'p' }];
    expect(namesOf({ adapters: { ...daemon.adapters, problems } })).toEqual(['adapters']);
  });

  it('explains why a server is not attached to, and what can be done', () => {
    const [server] = daemon.info.servers;
    const fixOf = (detail: string): string | null | undefined => {
      const servers = server ? [{ ...server, status: 'degraded' as const, detail }] : [];
      const info = { ...daemon.info, servers };
      return found(facts({}, { ...daemon, info }))[0]?.fix;
    };
    expect(fixOf('every session has destroy-unattached')).toMatch(/destroy-unattached/);
    expect(fixOf('waits to attach')).toMatch(/quiet/);
  });

  it.each([
    ['3.3a', 'note'],
    ['3.5a', 'note'],
    ['3.8', 'ok'],
  ])('says whether tmux %s can be attached to at any time', (tmuxVersion, status) => {
    const check = judge(facts({ tmuxVersion })).find(({ name }) => name === 'attach');
    expect(check).toMatchObject({ status, detail: expect.stringContaining(tmuxVersion) });
    const config = { ...machine.config, attach: 'always' as const };
    const always = judge(facts({ tmuxVersion, config })).find(({ name }) => name === 'attach');
    expect(always?.status).toBe(status === 'ok' ? 'ok' : 'warn');
  });

  it('says that nothing is tapped, and nothing is proven, where nothing is attached', () => {
    const taps = judge(facts({ tmuxVersion: '3.3a' })).find(({ name }) => name === 'taps');
    expect(taps).toMatchObject({ status: 'note', detail: expect.stringContaining('none on') });
  });

  it('shows how other machines are reached, and why one is not', () => {
    const lost = { ...target('vm2', 'down'), last_seen_at: null };
    const checks = judge(facts({}, { ...daemon, targets: [...daemon.targets, lost] }));
    expect(checks.filter(({ name }) => name.startsWith('target'))).toMatchObject([
      { name: 'target vm1', detail: 'ok by ssh me@vm, it answered 60 s ago' },
      {
        name: 'target vm2',
        detail: 'down by ssh me@vm, it has not answered yet: no route to host',
        fix: 'Fix that, then run agtmux target connect vm2.',
      },
    ]);
  });

  it('reports a socket where no daemon answers, and checks the tmux servers itself', () => {
    const [server] = machine.servers;
    const left = server ? [{ ...server, endsWhenLeft: true }] : [];
    const socket = { ...machine.socket, exists: true };
    const names = found(facts({ servers: left, socket }, null)).map(({ name }) => name);
    expect(names).toEqual(['daemon', 'tmux server local /t']);
  });

  it('says why a daemon that answers does not report', () => {
    const problem = 'E_TIMEOUT: doctor took longer than 15 s';
    const checks = judge({ ...facts({}, null), daemonProblem: problem });
    expect(checks.find(({ name }) => name === 'daemon')).toMatchObject({
      status: 'warn',
      detail: `it does not report: ${problem}`,
    });
  });

  it('counts alerts and sources as status does: a warning, a stale source are no finding', () => {
    const alert = {
      alert_id: 'a',
      code: 'tmux_absent',
      about: '/t',
      level: 'warn',
      opened_at: at,
      resolved_at: null,
      detail: null,
    } as (typeof daemon.alerts)[number];
    const alertsOf = (level: typeof alert.level) =>
      judge(facts({}, { ...daemon, alerts: [{ ...alert, level }] })).find(
        ({ name }) => name === 'alerts',
      );
    expect(alertsOf('warn')).toMatchObject({ status: 'note', detail: '1 open: tmux_absent' });
    expect(alertsOf('degraded')).toMatchObject({ status: 'warn' });
    const sources = [{ channel: 'x', status: 'stale' as const, since: at, last_beat_at: at }];
    expect(found(facts({}, { ...daemon, sources }))).toEqual([]);
  });

  it('notes a daemon that does not run, which is no finding', () => {
    const checks = judge(facts({ socket: { ...machine.socket, exists: false } }, null));
    expect(checks.filter(({ status }) => status === 'warn' || status === 'fail')).toEqual([]);
    expect(checks).toContainEqual({
      name: 'daemon',
      status: 'note',
      detail: 'it does not run',
      fix: 'It starts with the next command, or: agtmux daemon start',
    });
  });

  it('notes another locale and another tmux, which are no findings', () => {
    const terminal = { term: 'dumb', utf8: false };
    const given = { ...facts({ tmuxVersion: '3.6' }), terminal };
    expect(found(given)).toEqual([]);
    const notes = judge(given).filter(({ status }) => status === 'note');
    expect(notes.map(({ name }) => name)).toEqual(['taps', 'attach', 'locale', 'terminal']);
    const elsewhere = judge({ ...given, terminal: null }).map(({ name }) => name);
    expect(elsewhere).not.toContain('terminal');
  });
});
