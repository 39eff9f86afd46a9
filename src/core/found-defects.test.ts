// One test for each defect that a reading of the engine found: none of them may come back.

import { describe, expect, test } from 'vitest';
import {
  about,
  agents,
  claim,
  claude,
  config,
  evidence,
  local,
  paneFacts,
  paneKey,
  processSignature,
  Run,
  runtimeId,
  runtimeStarts,
  T0,
} from '../../tests/scenario.ts';
import { type Claim, evidenceSchema } from '../schema/evidence.ts';
import { id } from '../schema/ids.ts';
import type { PaneFacts } from '../schema/pane.ts';
import type { FoundAgent } from './identity/presence.ts';
import type { Observation } from './ingest.ts';
import { redactObservation, redactText, redactValue } from './redact.ts';
import { reduceAll } from './reduce.ts';
import { titleOf } from './view/title.ts';
import { type PaneRecord, sessionAt } from './world.ts';

const found: FoundAgent = {
  runtimeId: runtimeId(0),
  agent: claude,
  pid: 2_001,
  startedAtMs: T0,
  suspended: false,
  signature: processSignature,
};
const look = (atMs: number, agent: FoundAgent | null): Observation => ({
  kind: 'scan',
  scan: {
    paneKey: paneKey(0),
    atMs,
    tree: { found: agent, pidGone: false, exitCode: null, crashed: false },
  },
});
const listing = (atMs: number, panes: PaneFacts[]): Observation => ({
  kind: 'listing',
  listing: {
    targetId: local,
    server: 'default',
    generation: panes[0]?.generation ?? null,
    panes,
    atMs,
  },
});

describe('what is over leaves nothing in the world', () => {
  const inSession = (name: string, index: number, atMs: number) =>
    evidence('hooks', atMs, [claim('running')], {
      runtimeId: runtimeId(index),
      sessionKey: id(name),
    });

  test('an agent that switches to a session of another pane frees its old session', () => {
    const run = new Run(agents(2));
    run.see(inSession('first', 0, T0 + 10));
    run.see(inSession('other', 1, T0 + 30));
    run.see(inSession('other', 0, T0 + 20));
    expect([...run.world.sessions]).toEqual([
      [sessionAt(local, id('other')), { runtimeId: runtimeId(1), atMs: T0 + 30 }],
    ]);
  });

  test('its pane makes a change although its row is the same', () => {
    const run = new Run(agents(2));
    run.see(inSession('first', 0, T0 + 10));
    run.see(inSession('other', 1, T0 + 30));
    const before = run.world;
    const event = run.see(inSession('other', 0, T0 + 20)).events.at(-1);
    if (!event) throw new Error('nothing happened');
    const { changes } = reduceAll(before, [event]);
    expect(changes.map(({ kind }) => kind)).toContain('pane');
  });

  test('a process that reappears is back in its session and leaves at most one session', () => {
    const run = new Run(agents(1));
    run.see(inSession('first', 0, T0 + 10));
    const end = { reason: 'no_agent', exitCode: null, crashed: false } as const;
    run.apply({ type: 'runtime.ended', atMs: T0 + 20, runtimeId: runtimeId(0), ...end });
    run.apply(runtimeStarts(0));
    run.see(inSession('second', 0, T0 + 30));
    expect([...run.world.sessions.keys()]).toEqual([sessionAt(local, id('second'))]);
  });

  test('unused channels of an earlier run are removed at the next start', () => {
    const run = new Run(agents(1));
    run.see(evidence('hooks', T0 + 10, [claim('running')]));
    run.see(
      evidence('other', T0 + 11, [claim('running')], {
        runtimeId: null,
        bind: { targetId: local, paneKey: paneKey(7) },
      }),
    );
    run.beat('mine', T0 + 12);
    run.apply({ type: 'daemon.started', atMs: T0 + 20, config });
    expect([...run.world.channels.keys()]).toEqual(['hooks@local', 'other@local']);
  });
});

describe('redacted evidence still fits its schema', () => {
  test.each([
    ['a count under the name of a secret', { usage: { tokens: 1_200 } }],
    ['a text that redaction makes longer', { prompt: 'token=a '.repeat(490) }],
  ])('%s', (_what, activity) => {
    const piece = evidence('file', T0, [], { activity });
    const clean = redactObservation({ kind: 'evidence', evidence: piece });
    expect(clean.kind === 'evidence' && evidenceSchema.safeParse(clean.evidence).success).toBe(
      true,
    );
  });
});

test('an agent that two looks missed and a third finds is managed again', () => {
  const run = new Run().observe(look(T0 + 1, null), look(T0 + 2, null), look(T0 + 3, found));
  expect(run.row().presence).toBe('managed');
});

test('a server that was not listed once comes back with its agents', () => {
  const run = new Run().observe(listing(T0 + 1, []), listing(T0 + 2, [paneFacts(0)]));
  expect(run.observe(look(T0 + 3, found)).row().presence).toBe('managed');
});

test('a reading that holds a secret is no news when it is read again', () => {
  const command = 'curl -H "x-api-key: hunter22222"';
  const approval = claim('waiting_approval', {
    basis: 'anchored',
    request: { kind: 'approval', command },
  });
  const reading = (atMs: number) =>
    redactObservation({
      kind: 'evidence',
      evidence: evidence('screen', atMs, [approval], { kind: 'level' }),
    });
  const run = new Run().observe(reading(T0));
  const before = run.events.length;
  run.observe(reading(T0 + 500));
  expect(run.events).toHaveLength(before);
});

test('a title that holds a secret is no news when it is listed again', () => {
  const panes = [paneFacts(0, { title: 'export TOKEN=hunter2222' })];
  const run = new Run([]).observe(redactObservation(listing(T0, panes)));
  const before = run.events.length;
  run.observe(redactObservation(listing(T0 + 1, panes)));
  expect(run.events).toHaveLength(before);
});

test('a row keeps the end of a limit after the turn came to rest', () => {
  const run = new Run().see(
    evidence('hooks', T0, [claim('running')]),
    evidence('hooks', T0 + 10, [claim('error', { reason: 'usage_limit', untilMs: T0 + 9999 })]),
    evidence('file', T0 + 20, [claim('at_rest')], { kind: 'level' }),
  );
  expect(run.row()).toMatchObject({
    state: 'error',
    reasonCode: 'usage_limit',
    untilMs: T0 + 9999,
  });
});

test('an earlier report of the same request by another source makes no new version', () => {
  const ask = (n: string) => claim('waiting_approval', { about: about(n) });
  const run = new Run().see(
    evidence('hooks', T0 + 10, [ask('a')]),
    evidence('hooks', T0 + 20, [ask('b')]),
  );
  const v = run.row().stateVersion;
  expect(
    run.see(evidence('osc', T0 + 5, [ask('b')], { ingestedAtMs: T0 + 30 })).row().stateVersion,
  ).toBe(v);
});

test('sessions of past lives are forgotten', () => {
  const run = new Run();
  for (let life = 2; life < 60; life++)
    run.apply(runtimeStarts(0, life, T0 + life)).see(
      evidence('hooks', T0 + life, [claim('running')], {
        runtimeId: runtimeId(0, life),
        sessionKey: id(`s${life}`),
      }),
    );
  expect(run.world.sessions.size).toBeLessThan(10);
});

test('a source that asks without end fills no memory', () => {
  const run = new Run();
  for (let n = 0; n < 2000; n++)
    run.see(
      evidence('hooks', T0 + n, [
        claim('waiting_approval', { about: about(`a${n}`), covers: ['running'] }),
      ]),
    );
  expect(run.world.runtimes.get(runtimeId(0))?.slots.size).toBeLessThan(600);
});

test('a completion stays news when its channel falls silent', () => {
  const run = new Run().see(
    evidence('hooks', T0, [claim('running')]),
    evidence('hooks', T0 + 1, [claim('completed')]),
  );
  expect(run.pass(T0, T0 + 60_000, []).row().attention.kinds).toEqual(['completion']);
});

test('activity that an agent reports changes its row', () => {
  const run = new Run().see(evidence('hooks', T0, [claim('running')]));
  const seq = run.row().rowSeq;
  expect(
    run.see(evidence('hooks', T0 + 1, [], { activity: { tool: 'Bash' } })).row().rowSeq,
  ).toBeGreaterThan(seq);
});

test('a session resumed in another pane is bound there by its process', () => {
  const run = new Run(agents(2)).see(
    evidence('hooks', T0, [claim('running')], { sessionKey: id('s') }),
  );
  run.see(
    evidence('hooks', T0 + 5, [claim('waiting_input')], {
      runtimeId: null,
      sessionKey: id('s'),
      bind: { targetId: local, sessionKey: id('s'), paneKey: paneKey(1), pid: 2011 },
    }),
  );
  expect(run.row(1).state).toBe('waiting_input');
});

test('a session and a pane that disagree bind to neither', () => {
  const run = new Run(agents(2)).see(
    evidence('hooks', T0, [claim('running')], { sessionKey: id('s') }),
  );
  run.see(
    evidence('hooks', T0 + 5, [claim('waiting_input')], {
      runtimeId: null,
      bind: { targetId: local, sessionKey: id('s'), paneKey: paneKey(1) },
    }),
  );
  expect(run.row(0).state).toBe('running');
});

test('a sign of work ends "stuck"', () => {
  const run = new Run()
    .see(evidence('hooks', T0, [claim('running')]))
    .beat('hooks', T0 + 600_000)
    .tick(T0 + 600_000);
  run.observe({ kind: 'work', runtimeId: runtimeId(0), atMs: T0 + 600_500 }).tick(T0 + 601_000);
  expect(run.row().attention.kinds).toEqual([]);
});

test('no row is reconfirming for more than two seconds', () => {
  const run = new Run()
    .see(evidence('hooks', T0, [claim('running')]))
    .apply({ type: 'daemon.started', atMs: T0 + 10, config });
  expect(run.tick(T0 + 2010).row().reasonCode).not.toBe('reconfirming');
});

test('a dialog that was seen stays seen when another source tells of it', () => {
  const run = new Run().see(evidence('hooks', T0 + 100, [claim('waiting_approval')]));
  run.apply({
    type: 'attention.seen',
    atMs: T0 + 150,
    paneKey: paneKey(0),
    requestIds: run.row().attention.requests.map((r) => r.requestId),
  });
  run.see(
    evidence('screen', T0 + 50, [claim('waiting_approval', { basis: 'anchored' })], {
      kind: 'level',
      ingestedAtMs: T0 + 200,
    }),
  );
  expect(run.row().attention.requests).toMatchObject([{ seen: true }]);
});

test('a short turn without a reported end does not stay running', () => {
  const screen = (atMs: number) =>
    evidence('screen', atMs, [claim('at_rest', { basis: 'anchored', rank: 5 })], {
      kind: 'level',
      tier: 'heuristic',
      eventTimeMs: T0,
    });
  const run = new Run().see(
    screen(T0),
    screen(T0 + 300),
    evidence('hooks', T0 + 1000, [claim('running')]),
  );
  for (let t = T0 + 2000; t < T0 + 300_000; t += 2000) run.see(screen(t)).beat('hooks', t).tick(t);
  expect(run.row().state).not.toBe('running');
});

test('an agent that is stopped at the first look is suspended', () => {
  expect(
    new Run(agents().slice(0, -1)).observe(look(T0, { ...found, suspended: true })).row()
      .reasonCode,
  ).toBe('suspended');
});

test('a request that went stale leaves a stale signal, not none', () => {
  expect(
    new Run()
      .see(evidence('hooks', T0, [claim('waiting_approval', { about: about('a') })]))
      .pass(T0, T0 + 60_000, [])
      .row().reasonCode,
  ).toBe('stale_signal');
});

test('a first look at a resting screen is no stale signal', () => {
  expect(
    new Run()
      .see(
        evidence('screen', T0, [claim('at_rest', { basis: 'anchored' })], {
          kind: 'level',
          tier: 'heuristic',
        }),
      )
      .row().reasonCode,
  ).toBe('no_evidence');
});

test('a channel that is down does not get better by a restart', () => {
  const run = new Run()
    .see(evidence('hooks', T0, [claim('running')]))
    .tick(T0 + 20_000)
    .apply({ type: 'daemon.started', atMs: T0 + 30_000, config });
  expect(run.tick(T0 + 34_000).world.channels.get(id('hooks@local'))?.status).toBe('down');
});

test('a blank title is no title', () => {
  const run = new Run().see(evidence('hooks', T0, [], { activity: { title: '  ' } }));
  expect(titleOf(run.world, run.world.panes.get(paneKey(0)) as PaneRecord).title.trim()).not.toBe(
    '',
  );
});

test('removing a target ends its runtimes', () => {
  expect(
    reduceAll(new Run().world, [
      { type: 'target.removed', eventId: id('z'), atMs: T0 + 5, targetId: local },
    ]).changes.map((c) => c.kind),
  ).toContain('runtime');
});

test('a piece without a number does not make older numbers new', () => {
  const run = new Run().see(
    evidence('hooks', T0, [claim('running')], { sourceSeq: 5 }),
    evidence('hooks', T0 + 10, [claim('completed')]),
    evidence('hooks', T0 + 20, [claim('waiting_approval')], { sourceSeq: 3 }),
  );
  expect(run.row().state).toBe('completed');
});

const S = 'Zq9hunter2Kx7';
const leaks: Record<string, string> = {
  'json quote': JSON.stringify({ password: `ab"${S}` }),
  'json backslash': JSON.stringify({ password: `ab\\${S}` }),
  'json newline': JSON.stringify({ password: `ab\n${S}` }),
  'cookie quotes': `Cookie: a="${S}"; b=1`,
  digest: `Authorization: Digest username="u", response="${S}"`,
  comma: `DB_PASSWORD=ab,${S}`,
  brace: `DB_PASSWORD={${S}`,
  words: `passphrase: correct ${S}`,
  flag: `mysql --password ${S}`,
  'curl -u': `curl -u me:${S} https://x`,
  'thrice escaped': JSON.stringify(JSON.stringify({ a: JSON.stringify({ password: S }) })),
  'url @': `postgres://u:p@${S}@host/db`,
  "url '": `postgres://u:p'${S}@host/db`,
  'url user only': `https://${S}${S}@github.com/x`,
  'basic tab': `Basic\t${S}${S}`,
  github_pat: `github_pat_11ABCDE0${S}_abcdefghijkl`,
  glpat: `glpat-${S}abcdefg`,
  npm: `npm_${S}abcdefghijklmnopqrstuv`,
  hf: `hf_${S}abcdefghijklmnopqrst`,
  ASIA: `ASIAABCDEFGH12345678${S}`,
  sk_live: `sk_live_${S}abcdefgh`,
  xapp: `xapp-1-${S}abcdefgh`,
  'pem head cut': `${S}MIIEow\n-----END RSA PRIVATE KEY-----`,
  'long header': `Cookie: ${'a'.repeat(4100)}${S}`,
  'long value': `token=${'a'.repeat(8200)}${S}`,
  pwd: `DB_PWD=${S}`,
  pass: `DB_PASS=${S}`,
  arrow: `password => "${S}"`,
  'many spaces': `password =          ${S}`,
  'quoted quote': `password='ab\\'${S}'`,
};
test.each(Object.entries(leaks))('%s hides no secret', (_n, text) =>
  expect(redactText(text)).not.toContain(S),
);
test.each([
  ['array', { cookie: [S] }],
  ['nested', { credentials: { value: S } }],
  ['key itself', { [`sk-ant-${S}abcdef`]: 1 }],
  ['env pair', { name: 'API_KEY', value: S }],
])('a value: %s', (_n, v) => expect(JSON.stringify(redactValue(v))).not.toContain(S));
test.each([
  'Total tokens: 45,000',
  'basic authentication',
  'tokenizer: fast',
  'basic functionality works',
])('plain words stay: %s', (t) => expect(redactText(t)).toBe(t));

test('the next dialog with the same words stands after a rest that was read only once', () => {
  const level = { kind: 'level' as const, tier: 'heuristic' as const };
  const covers: Claim['covers'] = ['running', 'waiting_approval', 'completed', 'idle'];
  const screen = (atMs: number, says: 'waiting_approval' | 'at_rest') =>
    evidence('screen', atMs, [claim(says, { basis: 'anchored', rank: 8, covers })], level);
  const title = (atMs: number, says: 'running' | 'at_rest') =>
    evidence('title', atMs, [claim(says, { rank: 1, covers })], level);
  const run = new Run().see(screen(T0, 'waiting_approval'));
  expect(run.row().state).toBe('waiting_approval');
  run.see(title(T0 + 1_200, 'at_rest')).see(screen(T0 + 1_250, 'at_rest'));
  run.see(title(T0 + 1_390, 'running')).see(screen(T0 + 1_400, 'waiting_approval'));
  expect(run.row()).toMatchObject({ state: 'waiting_approval', sinceMs: T0 + 1_400 });
});
