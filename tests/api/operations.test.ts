// Every operation over a real socket: its output fits its schema, and it tells the truth.

import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { renderOperations, renderSchemas } from '../../scripts/operations-docs.ts';
import { root } from '../../scripts/script-entry.ts';
import type { DaemonClient } from '../../src/client/client.ts';
import { decodeWorld, encodeWorld } from '../../src/core/replay.ts';
import { type Actor, sourceActor } from '../../src/operations/ports/operation.ts';
import { operationAliases, operationTable } from '../../src/operations/table.ts';
import type { OperationMap, OperationName } from '../../src/schema/api/operations.ts';
import { operationSchemas } from '../../src/schema/api/operations.ts';
import { id, paneKeyOf } from '../../src/schema/ids.ts';
import { ALIAS_LENGTH_MAX } from '../../src/schema/pane.ts';
import { isPermitted } from '../../src/servers/access.ts';
import {
  about,
  agents,
  claim,
  evidence,
  local,
  paneFacts,
  paneKey,
  runtimeId,
  runtimeStarts,
  T0,
} from '../scenario.ts';
import { Inside, NONCE } from './fixture.ts';

/** Calls, and holds the answer to its schema. */
async function ask<Name extends OperationName>(
  client: DaemonClient,
  name: Name,
  input: OperationMap[Name]['input'],
): Promise<OperationMap[Name]['output']> {
  const answer = await client.call(name, input);
  return operationSchemas[name].output.parse(answer) as OperationMap[Name]['output'];
}

async function open(inside = new Inside()): Promise<{ inside: Inside; client: DaemonClient }> {
  await inside.serve();
  return { inside, client: await inside.connect() };
}

const bare = (index: number, changes = {}) => {
  const facts = paneFacts(index, { command: 'bash', ...changes });
  return { type: 'pane.appeared' as const, atMs: T0, paneKey: paneKeyOf(facts), facts };
};

describe('the table of operations', () => {
  test('is the list of schemas, each once, with its own schemas', () => {
    expect(operationTable.map(({ name }) => name).sort()).toEqual(
      Object.keys(operationSchemas).sort(),
    );
    for (const { name, input, output } of operationTable) {
      expect({ input, output }, name).toEqual(operationSchemas[name as OperationName]);
    }
  });

  test('has aliases only for operations that exist', () => {
    const names = operationTable.map(({ name }) => name);
    expect(Object.values(operationAliases).filter((name) => !names.includes(name))).toEqual([]);
  });

  test('matches the reference pages', () => {
    const page = renderOperations();
    for (const { name, scope, actors, deadlineMs } of operationTable) {
      const columns = [scope, actors.join(', '), `${deadlineMs / 1_000} s`].join(' | ');
      expect(page).toContain(`| \`${name}\` | ${columns} |`);
    }
    const schemas = JSON.parse(renderSchemas()) as Record<string, Record<string, object>>;
    expect(Object.keys(schemas['operations'] ?? {}).sort()).toEqual(
      operationTable.map(({ name }) => name).sort(),
    );
  });

  test('lets an actor do what its scopes and its kind allow, and no more', () => {
    const named = (name: string) => {
      const found = operationTable.find((each) => each.name === name);
      if (!found) throw new Error(name);
      return found;
    };
    const user = { kind: 'user', id: 'x', scopes: ['read', 'control', 'admin'] } as const;
    const reader = { kind: 'user', id: 'y', scopes: ['read'] } as const;
    const source = sourceActor('mine');
    const mayCall = (actor: Actor, ...names: readonly string[]) =>
      names.map((name) => isPermitted(actor, named(name)));
    expect(mayCall(user, 'list_panes', 'tag', 'daemon_stop')).toEqual([true, true, true]);
    expect(mayCall(reader, 'list_panes', 'tag', 'daemon_stop')).toEqual([true, false, false]);
    expect(mayCall(source, 'source_push_events', 'revoke_source')).toEqual([true, false]);
    // With every scope a source is still not the user.
    const strong = { ...source, scopes: user.scopes };
    expect(mayCall(strong, 'list_panes', 'daemon_stop')).toEqual([true, false]);
  });
});

describe('the daemon itself', () => {
  test('identifies itself, on a socket that only the user can open', async () => {
    const { inside, client } = await open();
    expect(await ask(client, 'hello', { protocol: 1, version: '0.1.0' })).toEqual({
      protocol: 1,
      version: '0.1.0',
      pid: process.pid,
      nonce: NONCE,
    });
    expect((await ask(client, 'daemon_info', {})).nonce).toBe(NONCE);
    expect(statSync(inside.socketPath).mode & 0o777).toBe(0o600);
    expect((await ask(client, 'metrics', {})).text).toContain('agtmux_up 1');
  });

  test('stops with the given reason', async () => {
    const { inside, client } = await open();
    expect(await ask(client, 'daemon_stop', { reason: 'upgrade' })).toEqual({ ok: true });
    expect(inside.stopped).toBe('upgrade');
  });

  test('lists targets, channels, adapters and alerts', async () => {
    const { inside, client } = await open();
    inside.says(0, 'running');
    inside.alerts.push({
      alert_id: 'a1',
      code: 'slo_breach',
      about: 'lag',
      level: 'warn',
      detail: null,
      opened_at: new Date(T0).toISOString(),
      updated_at: new Date(T0).toISOString(),
      acknowledged_at: null,
      resolved_at: null,
      resolved_by: null,
    });
    expect((await ask(client, 'list_targets', {})).targets).toMatchObject([
      { target: 'local', kind: 'local', health: 'ok' },
    ]);
    const health = await ask(client, 'list_source_health', {});
    expect(health.sources).toMatchObject([{ channel: 'hooks@local', status: 'fresh' }]);
    expect((await ask(client, 'list_adapters', {})).adapters).toHaveLength(2);
    const off = await ask(client, 'set_adapter_enabled', { agent: 'codex', enabled: false });
    expect(off.adapters.find(({ agent }) => agent === 'codex')?.enabled).toBe(false);
    expect((await ask(client, 'list_alerts', {})).alerts).toHaveLength(1);
    const known = await ask(client, 'acknowledge_alert', { alert_id: 'a1' });
    expect(known.acknowledged_at).not.toBeNull();
    expect((await ask(client, 'resolve_alert', { alert_id: 'a1' })).resolved_by).toBe('operator');
    expect((await ask(client, 'list_alerts', {})).alerts).toEqual([]);
    expect((await ask(client, 'list_alerts', { include_resolved: true })).alerts).toHaveLength(1);
    await expect(client.call('resolve_alert', { alert_id: 'none' })).rejects.toMatchObject({
      code: 'E_REF_NOT_FOUND',
      rpcCode: -32001,
    });
  });
});

describe('listings', () => {
  test('order by attention: the longest wait first, panes without an agent last', async () => {
    const inside = new Inside([...agents(6), bare(6)]);
    inside.says(3, 'running');
    inside.says(1, 'waiting_approval');
    inside.says(0, 'waiting_input');
    inside.says(2, 'error');
    inside.says(4, 'running');
    inside.says(4, 'completed');
    const { client } = await open(inside);
    const list = await ask(client, 'list_panes', {});
    const order = list.panes.map(({ identity }) => identity?.pane_id);
    expect(order).toEqual(['%1', '%0', '%2', '%4', '%3', '%5', '%6']);
    expect(list.panes.at(-1)).toMatchObject({ presence: 'unmanaged', reason_code: 'no_agent' });
    expect(list.summary).toMatchObject({ panes: 7, agents: 6, needs_action: 3 });
    const byState = await ask(client, 'list_panes', { sort: 'state' });
    expect(byState.panes.map(({ state }) => state).slice(0, 3)).toEqual([
      'error',
      'waiting_approval',
      'waiting_input',
    ]);
    const byTarget = await ask(client, 'list_panes', { sort: 'target' });
    expect(byTarget.panes.map(({ identity }) => identity?.pane_id)).toEqual(
      [0, 1, 2, 3, 4, 5, 6].map((index) => `%${index}`),
    );
    const byAge = await ask(client, 'list_panes', { sort: 'age' });
    expect(byAge.panes[0]?.identity?.pane_id).toBe('%5');
  });

  test('filter by target, session, state, agent and need', async () => {
    const [place] = paneFacts(7).locations;
    if (!place) throw new Error('no place');
    const other = bare(7, { locations: [{ ...place, sessionName: 'side/a', sessionId: '$2' }] });
    const inside = new Inside([...agents(2), other]);
    inside.says(0, 'waiting_approval');
    const { client } = await open(inside);
    const keys = async (input: OperationMap['list_panes']['input']) =>
      (await ask(client, 'list_panes', input)).panes.map(({ identity }) => identity?.pane_id);
    expect(await keys({ session: 'side/a' })).toEqual(['%7']);
    expect(await keys({ target_session: 'local/side/a' })).toEqual(['%7']);
    for (const input of [{ target: 'elsewhere' }, { target_session: 'elsewhere/side/a' }]) {
      await expect(keys(input)).rejects.toMatchObject({ code: 'E_TARGET_UNKNOWN' });
    }
    expect(await keys({ target: 'local', state: 'waiting_approval' })).toEqual(['%0']);
    expect(await keys({ agent: 'codex' })).toEqual([]);
    expect(await keys({ needs_action: true })).toEqual(['%0']);
    expect((await keys({ needs_action: false })).sort()).toEqual(['%1', '%7']);
    const list = await ask(client, 'list_panes', { needs_action: true });
    expect(list.filters).toEqual({ needs_action: true });
    expect(list.summary.agents).toBe(1);
  });

  test('show a linked pane once for each location and count it once', async () => {
    const [place] = paneFacts(5).locations;
    if (!place) throw new Error('no place');
    const linked = { ...place, sessionName: 'other', sessionId: '$9' };
    const inside = new Inside([...agents(1), bare(5, { locations: [place, linked] })]);
    const { client } = await open(inside);
    const list = await ask(client, 'list_panes', {});
    const refs = list.panes.filter(({ identity }) => identity?.pane_id === '%5');
    expect(refs.map(({ ref }) => ref)).toEqual([
      'pane:local/other/%405/%255',
      'pane:local/work/%405/%255',
    ]);
    expect(list.summary.panes).toBe(2);
    expect((await ask(client, 'list_windows', {})).windows).toHaveLength(3);
    const sessions = await ask(client, 'list_sessions', {});
    expect(sessions.sessions.map(({ identity }) => identity.session_name)).toEqual([
      'work',
      'other',
    ]);
    expect(sessions.sessions[0]?.representative_ref).toBe('pane:local/work/%400/%250');
    inside.tell(runtimeStarts(5));
    inside.says(5, 'error');
    const [work] = (await ask(client, 'list_sessions', {})).sessions;
    expect(work).toMatchObject({
      top_state: 'error',
      top_pane: { ref: 'pane:local/work/%405/%255', title: 'project' },
    });
    const merged = await ask(client, 'list_sessions', { group_by: 'session-name' });
    expect(merged.sessions[0]?.identity).toMatchObject({ target: null, session_name: 'work' });
  });

  test('are filtered by a target, by a server of it, and by several states', async () => {
    const inside = new Inside([...agents(2), bare(5, { server: '/tmp/tmux-0/work' })]);
    const { client } = await open(inside);
    inside.says(0, 'error');
    const ids = async (input: OperationMap['list_panes']['input']) =>
      (await ask(client, 'list_panes', input)).panes.map(({ identity }) => identity?.pane_id);
    expect(await ids({ target: 'local+work' })).toEqual(['%5']);
    expect(await ids({ target: 'local+/tmp/tmux-0/work' })).toEqual(['%5']);
    expect(await ids({ target_session: 'local+work/work' })).toEqual(['%5']);
    expect(await ids({ target: 'local+default' })).toEqual(['%0', '%1']);
    expect(await ids({ state: ['error', 'running'] })).toEqual(['%0']);
    expect(await ids({ state: 'error' })).toEqual(['%0']);
  });

  test.each([
    [{ target: 'lokal' }, 'E_TARGET_UNKNOWN', 'Did you mean local?'],
    [{ target: 'local+wrok' }, 'E_TARGET_UNKNOWN', 'Did you mean local+work?'],
    [{ target_session: 'lokal/work' }, 'E_TARGET_UNKNOWN', 'Did you mean local?'],
    [{ agent: 'cluade' }, 'E_AGENT_UNKNOWN', 'Did you mean claude?'],
    [{ agent: 'nobody-at-all' }, 'E_AGENT_UNKNOWN', 'See agtmux adapter list.'],
  ])('refuse %j, which names nothing, with the nearest name', async (filter, code, hint) => {
    const inside = new Inside([...agents(1), bare(5, { server: '/tmp/tmux-0/work' })]);
    const { client } = await open(inside);
    for (const operation of ['list_panes', 'list_windows', 'list_sessions'] as const) {
      await expect(client.call(operation, filter)).rejects.toMatchObject({ code, hint });
    }
  });

  test('name the server in a reference only where a target has two', async () => {
    const inside = new Inside([...agents(1), bare(1, { server: '/tmp/other' })]);
    const { client } = await open(inside);
    const { panes } = await ask(client, 'list_panes', {});
    expect(panes.map(({ ref }) => ref).sort()).toEqual([
      'pane:local+%2Ftmp%2Fother/work/%401/%251',
      'pane:local+default/work/%400/%250',
    ]);
    for (const { ref } of panes) {
      expect((await ask(client, 'explain', { ref })).pane.ref).toBe(ref);
    }
  });

  test('are partial while a target does not answer, and say so', async () => {
    const { inside, client } = await open();
    const health = 'down';
    inside.tell({
      type: 'target.changed',
      atMs: T0 + 1,
      target: { targetId: local, name: 'local', kind: 'local', connectionRef: null, health },
    });
    const list = await ask(client, 'list_panes', {});
    expect(list).toMatchObject({
      partial: true,
      requested_targets: ['local'],
      responded_targets: [],
      target_errors: [{ target: 'local', code: 'target_unreachable' }],
    });
    expect(list.panes[0]?.reason_code).toBe('target_unreachable');
  });

  test('leave out gone panes unless include_missing is set', async () => {
    const { inside, client } = await open();
    inside.tell({ type: 'pane.gone', atMs: T0 + 5, paneKey: paneKey(0), reason: 'closed' });
    expect((await ask(client, 'list_panes', {})).panes).toHaveLength(1);
    const all = await ask(client, 'list_panes', { include_missing: true });
    expect(all.panes.map(({ presence }) => presence)).toEqual(['managed', 'missing']);
  });
});

describe('a checkup and a recording', () => {
  test('doctor replies with its checks', async () => {
    const { client } = await open();
    const terminal = { term: 'xterm', utf8: true };
    expect(await ask(client, 'doctor', { terminal })).toMatchObject({ healthy: true, checks: [] });
  });

  test('record_pane labels a recording with the reported or the given state', async () => {
    const { inside, client } = await open(new Inside([...agents(1), bare(1)]));
    const recorded = async (input: OperationMap['record_pane']['input']) =>
      (await ask(client, 'record_pane', input)).recording;
    await expect(recorded({ ref: '%0' })).rejects.toMatchObject({ code: 'E_INPUT_INVALID' });
    inside.says(0, 'running');
    expect(await recorded({ ref: '%0' })).toEqual({ state: 'running', minutes: 10 });
    const named = { ref: '%0', label: 'error', minutes: 3 } as const;
    expect(await recorded(named)).toEqual({ state: 'error', minutes: 3 });
    expect(await recorded({ ref: '%1' })).toMatchObject({ state: 'no_agent' });
  });

  test('locate_pane returns where a pane is and which generation of it', async () => {
    const { client } = await open();
    const facts = paneFacts(0);
    expect(await ask(client, 'locate_pane', { ref: '%0' })).toMatchObject({
      target_kind: 'local',
      server_pid: facts.generation.pid,
      pane_id: '%0',
      pane_pid: facts.birth.pid,
    });
    await expect(client.call('locate_pane', { ref: '%9' })).rejects.toMatchObject({
      code: 'E_REF_NOT_FOUND',
    });
  });
});

describe('explain', () => {
  test('returns the claim that won and why the others lost', async () => {
    const { inside, client } = await open();
    const at = inside.nowMs;
    inside.see(
      evidence('hooks', at, [claim('running', { covers: [], rule: 'PreToolUse' })]),
      evidence('file', at + 1, [claim('waiting_approval', { rank: 0 })], { kind: 'level' }),
      evidence('title', at - 5, [claim('waiting_input', { covers: [] })], { tier: 'heuristic' }),
      evidence('tool', at, [], { activity: { tool: 'Bash' } }),
    );
    const { claims, pane, why, process } = await ask(client, 'explain', { ref: '%0' });
    expect(pane.state).toBe('waiting_approval');
    expect(why).toContain('waiting_approval; file said so 0s ago');
    expect(process).toMatchObject({ basis: 'process', pid: 2001, suspended: false });
    const outcomes = claims.map(({ source, outcome }) => [source, outcome]);
    expect(outcomes[0]).toEqual(['file', 'won']);
    expect(Object.fromEntries(outcomes)).toEqual({
      file: 'won',
      hooks: 'denied',
      title: 'denied',
      tool: 'silent',
    });
    expect(claims.find(({ source }) => source === 'hooks')?.why).toContain('file');
  });

  test('shows precedence between claims that stand together', async () => {
    const { inside, client } = await open();
    const at = inside.nowMs;
    inside.see(
      evidence('hooks', at, [claim('running', { covers: [] })]),
      evidence('osc', at, [claim('running', { covers: [], rank: 5 })]),
      evidence('screen', at, [claim('waiting_input', { covers: [], basis: 'anchored' })], {
        tier: 'heuristic',
      }),
    );
    const { claims } = await ask(client, 'explain', { ref: 'runtime:r0-1' });
    expect(claims.map(({ source, outcome }) => [source, outcome])).toEqual([
      ['screen', 'won'],
      ['hooks', 'lost_precedence'],
      ['osc', 'lost_precedence'],
    ]);
  });

  test('resolves short names for reading, and refuses what may be two things', async () => {
    const inside = new Inside([...agents(1), bare(1)]);
    const { client } = await open(inside);
    for (const ref of ['%0', 'r0-1', 'work', 'runtime:r0-1', 'pane:local/work/@0/%250']) {
      const { pane } = await ask(client, 'explain', { ref });
      expect(pane.pane_key, ref).toBe(paneKey(0));
    }
    await expect(client.call('explain', { ref: 'nobody' })).rejects.toMatchObject({
      code: 'E_REF_NOT_FOUND',
    });
    await expect(client.call('explain', { ref: 'pane:x' })).rejects.toMatchObject({
      code: 'E_REF_INVALID',
    });
    inside.tell({
      type: 'runtime.started',
      atMs: T0 + 9,
      runtimeId: runtimeId(1),
      paneKey: paneKey(1),
      agent: id('claude'),
      pid: 77,
      startedAtMs: T0,
      basis: 'process',
      signature: { providerHint: true, cmdMatch: true, pollerMatch: false, titleMatch: false },
    });
    await expect(client.call('explain', { ref: 'work' })).rejects.toMatchObject({
      code: 'E_REF_AMBIGUOUS',
      rpcCode: -32002,
    });
  });

  test('explains a pane without an agent too', async () => {
    const { client } = await open(new Inside([...agents(1), bare(1)]));
    const explanation = await ask(client, 'explain', { ref: '%1' });
    expect(explanation).toMatchObject({ why: 'unknown: no agent runs in the pane', claims: [] });
  });
});

describe('history', () => {
  test('says how long each state lasted, newest first', async () => {
    const { inside, client } = await open();
    inside.says(0, 'running');
    inside.nowMs += 5_000;
    inside.says(0, 'waiting_approval');
    const { entries } = await ask(client, 'history', { ref: '%0', limit: 2 });
    expect(entries.map(({ state, lasted_ms }) => [state, lasted_ms])).toEqual([
      ['waiting_approval', null],
      ['running', 5_001],
    ]);
    expect(entries[0]?.pane).toBe('work:0.0');
    const all = await ask(client, 'history', {});
    expect(new Set(all.entries.map(({ pane_key }) => pane_key)).size).toBe(2);
  });
});

describe('events, tags and marks', () => {
  test('hands events in and says what became of each', async () => {
    const { client } = await open();
    const event = { source: 'emit', type: 'waiting_approval', pane: '%1', event_id: 'x1' };
    const { results } = await ask(client, 'ingest_events', {
      events: [event, { ...event, event_id: 'x2', type: 'Nothing' }],
    });
    expect(results.map(({ outcome }) => outcome)).toEqual(['applied', 'ignored']);
    const { panes } = await ask(client, 'list_panes', { state: 'waiting_approval' });
    expect(panes.map(({ identity }) => identity?.pane_id)).toEqual(['%1']);
  });

  test('marks as seen what is named, and everything where nothing is', async () => {
    const { inside, client } = await open();
    inside.see(
      evidence('hooks', inside.nowMs, [
        claim('waiting_approval', { about: about('a') }),
        claim('waiting_approval', { about: about('b') }),
      ]),
    );
    const seen = async () => {
      const { panes } = await ask(client, 'list_panes', {});
      const pane = panes.find(({ pane_key }) => pane_key === paneKey(0));
      return pane?.attention.requests.map((request) => request.seen);
    };
    expect(await seen()).toEqual([false, false]);
    await ask(client, 'mark_seen', { ref: '%0', request_ids: ['a'] });
    expect(await seen()).toEqual([true, false]);
    await ask(client, 'mark_seen', { ref: 'runtime:r0-1' });
    expect(await seen()).toEqual([true, true]);
    await expect(client.call('mark_seen', { ref: 'work' })).rejects.toMatchObject({
      code: 'E_REF_AMBIGUOUS',
      candidates: [{ ref: 'work:0.0' }, { ref: 'work:1.0' }],
    });
    await expect(client.call('mark_seen', { ref: 'proj' })).rejects.toMatchObject({
      code: 'E_REF_NOT_FOUND',
    });
  });

  test('names a pane until it is gone, and every operation takes the name', async () => {
    const { inside, client } = await open();
    const named = await ask(client, 'name_pane', { ref: 'work:1.0', alias: ' review bot ' });
    expect(named.pane).toMatchObject({ alias: 'review bot', pane_key: paneKey(1) });
    const { panes } = await ask(client, 'list_panes', {});
    const aliases = panes.map(({ pane_key, alias }) => [pane_key, alias]);
    expect(Object.fromEntries(aliases)).toEqual({
      [paneKey(0)]: null,
      [paneKey(1)]: 'review bot',
    });
    for (const operation of ['explain', 'locate_pane', 'mark_seen'] as const) {
      await client.call(operation, { ref: 'review bot' });
    }
    expect((await ask(client, 'history', { ref: 'review bot' })).entries[0]?.pane_key).toBe(
      paneKey(1),
    );
    const cleared = await ask(client, 'name_pane', { ref: 'review bot', alias: null });
    expect(cleared.pane.alias).toBeNull();
    expect(inside.engine.world.panes.get(paneKey(1))).not.toHaveProperty('alias');
  });

  test.each([
    ['claude', 'E_ALIAS_TAKEN'],
    ['work', 'E_ALIAS_TAKEN'],
    ['work:1.0', 'E_ALIAS_TAKEN'],
    ['%7', 'E_INPUT_INVALID'],
    ['pane:x', 'E_INPUT_INVALID'],
    ['-x', 'E_INPUT_INVALID'],
    ['a\nb', 'E_INPUT_INVALID'],
    ['   ', 'E_INPUT_INVALID'],
    ['x'.repeat(ALIAS_LENGTH_MAX + 1), 'E_INPUT_INVALID'],
  ])(
    'refuses %j as a name: it may be taken for another pane, or is no name',
    async (alias, code) => {
      const { client } = await open();
      await expect(client.call('name_pane', { ref: '%0', alias })).rejects.toMatchObject({ code });
    },
  );

  test('refuses the name of another pane, and takes it once that one has lost it', async () => {
    const { client } = await open();
    await ask(client, 'name_pane', { ref: '%0', alias: 'api' });
    await ask(client, 'name_pane', { ref: '%0', alias: 'api' });
    await expect(client.call('name_pane', { ref: '%1', alias: 'api' })).rejects.toMatchObject({
      code: 'E_ALIAS_TAKEN',
      candidates: [{ ref: 'work:0.0', agent: 'claude' }],
    });
    await ask(client, 'name_pane', { ref: 'api', alias: null });
    await ask(client, 'name_pane', { ref: '%1', alias: 'api' });
  });

  test('a name survives a restart and a respawn, and ends with its pane', async () => {
    const { inside, client } = await open();
    await ask(client, 'name_pane', { ref: '%1', alias: 'api' });
    const restored = decodeWorld([...encodeWorld(inside.engine.world)].join(''));
    expect(restored?.panes.get(paneKey(1))?.alias).toBe('api');
    const { generation } = paneFacts(1);
    const listing = { targetId: local, server: 'default', generation, atMs: inside.nowMs };
    const again = paneFacts(1, { birth: { pid: 9_001, startedAtMs: T0 } });
    inside.observe({ kind: 'listing', listing: { ...listing, panes: [paneFacts(0), again] } });
    expect((await ask(client, 'locate_pane', { ref: 'api' })).pane_pid).toBe(9_001);
    inside.observe({ kind: 'listing', listing: { ...listing, panes: [paneFacts(0)] } });
    await expect(client.call('locate_pane', { ref: 'api' })).rejects.toMatchObject({
      code: 'E_REF_NOT_FOUND',
    });
  });

  test('snoozes what a pane needs a person for, until a time or by hand', async () => {
    const { inside, client } = await open();
    const refused = { code: 'E_PRECONDITION_FAILED', message: 'nothing in %0 needs a person now' };
    await expect(client.call('snooze', { ref: '%0' })).rejects.toMatchObject(refused);
    inside.says(0, 'waiting_approval');
    const needs = async () => (await ask(client, 'list_panes', {})).summary.needs_action;
    expect(await needs()).toBe(1);
    const until = new Date(inside.nowMs + 30 * 60_000).toISOString();
    expect(await ask(client, 'snooze', { ref: '%0' })).toEqual({ ok: true, snoozed_until: until });
    expect(await needs()).toBe(0);
    const { panes } = await ask(client, 'list_panes', { state: 'waiting_approval' });
    expect(panes).toMatchObject([{ attention: { kinds: [], snoozed_until: until } }]);
    const later = new Date(inside.nowMs + 5_000).toISOString();
    const again = await ask(client, 'snooze', { ref: '%0', for_ms: 5_000 });
    expect(again.snoozed_until).toBe(later);
    await ask(client, 'unsnooze', { ref: '%0' });
    expect(await needs()).toBe(1);
  });

  test('tags a pane by an exact name only', async () => {
    const { client } = await open();
    expect(await ask(client, 'tag', { ref: '%1', agent: 'codex' })).toEqual({ ok: true });
    await expect(client.call('tag', { ref: '%1', agent: 'nobody' })).rejects.toMatchObject({
      code: 'E_AGENT_UNKNOWN',
      message: 'no agent is called "nobody"',
      hint: 'See agtmux adapter list.',
    });
    await expect(client.call('tag', { ref: '%9', agent: null })).rejects.toMatchObject({
      code: 'E_REF_NOT_FOUND',
    });
  });
});

test('the client loads no package, and of our own code only what it stands on', () => {
  const loaded = new Set<string>();
  const load = (file: string): void => {
    if (loaded.has(file)) return;
    loaded.add(file);
    const text = readFileSync(join(root, 'src', file), 'utf8');
    for (const [, from = ''] of text.matchAll(
      /^(?:import|export) (?!type)[^;]*from '([^']+)'/gms,
    )) {
      if (from.startsWith('.')) load(join(dirname(file), from));
      else loaded.add(from);
    }
  };
  load('client/client.ts');
  const own = /^(?:client|platform\/(?:rpc|text|files))\//;
  expect([...loaded].filter((from) => from !== 'node:net' && !own.test(from))).toEqual([]);
  expect(loaded.size).toBeLessThan(12);
});
