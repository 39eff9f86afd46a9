// Members of bundles that have no terminal: declared like the others, started and ended with their
// bundle, with policies and messages. The agent is built with the SDK of the protocol.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../scripts/script-entry.ts';
import type { DaemonClient } from '../../src/client/client.ts';
import { proveIdentity } from '../../src/client/prove-identity.ts';
import { shellQuote } from '../../src/platform/text/shell-quote.ts';
import { builtProgram } from '../built-program.ts';
import { eventually, isAlive } from '../live/tmux-server.ts';
import { policies, TeamLab } from './team-lab.ts';

const LONG_MS = 120_000;
const STEP_MS = 30_000;
const agent = join(root, 'tests/acp/fake-agent.mjs');

let lab: TeamLab;
let client: DaemonClient;

/** Coders without a terminal, by their flags. */
function coders(flags: Readonly<Record<string, string>>): void {
  const sessions = join(lab.live.folder, 'sessions');
  mkdirSync(sessions, { recursive: true });
  const tables = Object.entries(flags).map(
    ([id, flag]) => `[[coders]]
id = "${id}"
[coders.acp]
channel = "stdio"
command = ${JSON.stringify(`'${process.execPath}' "${agent}" ${flag}`)}
turn-timeout-ms = 600000
[[coders.acp.environment]]
name = "ACP_SESSIONS"
value = ${JSON.stringify(sessions)}
`,
  );
  const pane = `[[coders]]
id = "stay"
tmux = { initial-command = "exec sleep 1000", resume-command = "x" }
`;
  const http = `[[coders]]
id = "web"
acp = { channel = "http", url = "http://127.0.0.1:1/" }
`;
  lab.write('coders.toml', `format-version = 1\n${tables.join('')}${pane}${http}`);
}

const statusOf = async (bundle: string) =>
  Object.fromEntries(
    (await lab.status(bundle)).sessions.map(({ id, presence, state }) => [id, [presence, state]]),
  );
const pidOf = async (name: string): Promise<number> => {
  const { members } = await client.call('list_acp_members', {});
  return members.find((each) => each.name === name)?.pid ?? 0;
};
const untilState = (ref: string, state: string) =>
  eventually(
    async () => {
      const { panes } = await client.call('list_panes', {});
      return panes.find((each) => each.alias === ref)?.state === state;
    },
    `${ref} is ${state}`,
    STEP_MS,
  );

async function connect(): Promise<void> {
  client = await lab.live.client(STEP_MS);
  await proveIdentity(client);
}

beforeAll(async () => {
  lab = new TeamLab();
  coders({ talk: '', dies: '--dies', login: '--auth' });
  lab.bundle('mixed', [
    ['coder', 'talk'],
    ['pane', 'stay'],
    ['writer', 'talk'],
  ]);
  lab.bundle('ill', [
    ['broken', 'dies'],
    ['far', 'web'],
    ['lost', 'talk', '/nowhere'],
    ['shut', 'login'],
  ]);
  await lab.live.start();
  await connect();
}, LONG_MS);
afterAll(() => lab[Symbol.asyncDispose]());

describe('a bundle with members without a terminal', () => {
  it('comes up with all of them, once', { timeout: LONG_MS }, async () => {
    const up = await lab.run('up', 'mixed');
    expect(up).toMatchObject({
      ...{ code: 0, outcome: 'hosted', ready_session_count: 3, failed_startups: [] },
      created_sessions: ['coder', 'pane', 'writer'],
    });
    expect(await lab.run('up', 'mixed')).toMatchObject({
      ...{ outcome: 'skipped', reason_code: 'already_hosted', created_sessions: [] },
    });
    expect(await statusOf('mixed')).toEqual({
      coder: ['live', 'idle'],
      pane: ['live', null],
      writer: ['live', 'idle'],
    });
    const { out } = await lab.live.cli('bundle', 'status', 'mixed');
    expect(out).toMatch(/coder +\S* ?idle/);
    expect((await lab.live.cli('acp', 'list')).out).toContain('mixed/coder');
    expect((await lab.live.cli('bundle', 'up', 'mixed')).out).toContain('3 of 3 ready');
  });

  it('has them as members for messages, by policy', { timeout: LONG_MS }, async () => {
    const { parties } = await client.call('list_parties', {});
    const members = parties.filter(({ kind }) => kind !== 'operator');
    expect(members.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['member:mixed/coder', 'member:mixed/pane', 'member:mixed/writer']),
    );
    expect(parties.map(({ id }) => id).filter((id) => id.startsWith('runtime:'))).toEqual([]);
    const input = { to: ['mixed/coder'], message: 'hello there', wait_ms: 20_000 };
    const sent = await client.call('send_message', input);
    expect(sent.message.receipts).toMatchObject([
      { recipient: { id: 'member:mixed/coder' }, status: 'delivered' },
    ]);
    await untilState('acp:mixed/coder', 'completed');
    expect((await lab.live.cli('view-output', 'acp:mixed/coder')).out).toContain('hello there');
  });

  it('answers what another one asks only by its policy', { timeout: LONG_MS }, async () => {
    await lab.live.cli('acp', 'prompt', 'mixed/coder', 'approve');
    await untilState('acp:mixed/coder', 'waiting_approval');
    const { requests } = await client.call('list_requests', { ref: 'acp:mixed/coder' });
    const request = requests[0]?.request_id ?? '';
    const output = join(lab.live.folder, 'approve.out');
    const command = [process.execPath, ...builtProgram].map(shellQuote).join(' ');
    const socket = `--socket-path ${lab.live.socketPath}`;
    const words = `approve acp:mixed/coder --request ${request} ${socket}`;
    const attempt = async () => {
      const line = `${command} ${words} > ${output}.new 2>&1; mv ${output}.new ${output}`;
      await lab.live.cli('acp', 'prompt', 'mixed/writer', `run ${line}`);
      await eventually(() => existsSync(output), 'it has tried', STEP_MS);
      await untilState('acp:mixed/writer', 'completed');
      const said = readFileSync(output, 'utf8');
      rmSync(output);
      return said;
    };
    expect(await attempt()).toContain('policies.toml: team: approve is not set');
    lab.write('policies.toml', `${policies}approve = "all:home"\n`);
    await eventually(async () => (await attempt()).includes('chose'), 'it is permitted', STEP_MS);
    await untilState('acp:mixed/coder', 'completed');
    const { actions } = await client.call('list_actions', { ref: 'acp:mixed/coder' });
    expect(actions[0]).toMatchObject({ kind: 'choose', result: 'delivered' });
    expect(actions[0]?.actor).toMatch(/^agent:/);
  });

  it('has its tools act as the member, and not as a person', { timeout: LONG_MS }, async () => {
    const output = join(lab.live.folder, 'forged.json');
    const forger = join(root, 'tests/messages/fake-forger.mjs');
    const words = [process.execPath, forger, lab.live.socketPath, output, `${process.pid}`];
    expect(
      (await lab.live.cli('acp', 'prompt', 'mixed/writer', `run ${words.join(' ')}`)).code,
    ).toBe(0);
    await eventually(() => existsSync(output), 'it has tried', STEP_MS);
    const replies = await eventually(
      () => {
        const text = readFileSync(output, 'utf8');
        return text.endsWith('}') && JSON.parse(text);
      },
      'its replies',
      STEP_MS,
    );
    expect(replies).toMatchObject({
      'says nothing': 'E_IDENTITY_UNPROVEN',
      'wants to be a person': 'E_POLICY',
    });
  });

  it('keeps them over a restart of the daemon', { timeout: LONG_MS }, async () => {
    const before = await pidOf('mixed/coder');
    const { pid } = await client.call('daemon_info', {});
    await lab.live.kill(pid, 'SIGKILL');
    await lab.live.start();
    await connect();
    await eventually(async () => (await pidOf('mixed/coder')) > 0, 'it is there again', STEP_MS);
    await untilState('acp:mixed/coder', 'idle');
    expect(await pidOf('mixed/coder')).not.toBe(before);
    const who = await client.call('list_parties', {});
    expect(who.parties.map(({ id }) => id)).toContain('member:mixed/coder');
  });

  it('asks before one that works is ended, and ends one alone', { timeout: LONG_MS }, async () => {
    await lab.live.cli('acp', 'prompt', 'mixed/writer', 'wait');
    await untilState('acp:mixed/writer', 'running');
    const asked = await lab.live.cli('bundle', 'down', 'mixed');
    expect([asked.code, asked.err]).toEqual([64, expect.stringMatching(/writer: \S+ running/)]);
    expect(await pidOf('mixed/writer')).toBeGreaterThan(0);
    const pid = await pidOf('mixed/coder');
    const stop = await lab.live.cli('stop', 'acp:mixed/coder');
    expect([stop.code, stop.out]).toEqual([0, 'ended  coder\n']);
    expect(isAlive(pid)).toBe(false);
    expect((await statusOf('mixed'))['coder']).toEqual(['absent', null]);
    const spawn = await lab.live.cli('spawn', 'mixed/coder');
    expect([spawn.code, spawn.out]).toEqual([0, 'up  mixed: 1 of 1 ready; created coder\n']);
  });

  it('is not replaced by a start under its name', { timeout: LONG_MS }, async () => {
    const taken = await lab.live.cli('acp', 'start', 'x', '--name', 'mixed/other', '--', 'cat');
    expect([taken.code === 0, taken.err]).toEqual([
      false,
      expect.stringContaining('agtmux bundle up starts it'),
    ]);
  });

  it('ends those that it names no more, and goes down whole', { timeout: LONG_MS }, async () => {
    lab.bundle('mixed', [
      ['coder', 'talk'],
      ['pane', 'stay'],
    ]);
    const pids = [await pidOf('mixed/coder'), await pidOf('mixed/writer')];
    const up = await lab.run('up', 'mixed');
    expect(up).toMatchObject({ outcome: 'hosted', pruned_sessions: ['writer'] });
    const down = await lab.run('down', 'mixed');
    expect(down).toMatchObject({
      ...{ outcome: 'unhosted', pruned_sessions: ['pane', 'coder'], killed_tmux_server: true },
    });
    expect(pids.map((each) => isAlive(each))).toEqual([false, false]);
    expect(await statusOf('mixed')).toEqual({ coder: ['absent', null], pane: ['absent', null] });
    expect(await lab.run('down', 'mixed')).toMatchObject({ reason_code: 'already_unhosted' });
    const restart = await lab.run('restart', 'mixed');
    expect(restart).toMatchObject({ created_sessions: ['coder', 'pane'], code: 0 });
    expect((await lab.run('down', 'mixed')).outcome).toBe('unhosted');
  });
});

describe('a member without a terminal that cannot start', () => {
  it('is a failure with its cause, which is remembered', { timeout: LONG_MS }, async () => {
    const up = await lab.run('up', 'ill');
    expect(up).toMatchObject({ code: 69, outcome: 'failed', ready_session_count: 0 });
    const causes = Object.fromEntries(
      up.failed_startups.map(({ session_id, transport, reason, details }) => [
        session_id,
        `${transport} ${reason} | ${details['cause']}`,
      ]),
    );
    expect(causes).toEqual({
      broken: expect.stringMatching(/^acp ACP member is not ready: .*\| [\s\S]*configuration/),
      far: expect.stringContaining('ACP over HTTP is not there'),
      lost: expect.stringContaining('its directory /nowhere cannot be entered'),
      shut: expect.stringContaining('it wants a login'),
    });
    const { recent_startup_failures: remembered } = await lab.status('ill');
    expect(remembered).toHaveLength(4);
    expect(await statusOf('ill')).toMatchObject({ lost: ['absent', null], far: ['absent', null] });
    await lab.run('down', 'ill');
  });

  it('is refused in files that cannot be right', { timeout: LONG_MS }, async () => {
    lab.bundle('away', [['coder', 'talk']], 'target = "vm1"');
    const invalid = await lab.live.cli('bundle', 'validate', 'away');
    expect([invalid.code, invalid.err]).toEqual([
      78,
      expect.stringContaining('sessions[0].coder: has no terminal'),
    ]);
    writeFileSync(
      join(lab.config, 'coders.toml'),
      `format-version = 1\n[[coders]]\nid = "q"\nacp = { channel = "stdio", command = "a 'b" }\n`,
    );
    const quote = await lab.live.cli('bundle', 'validate');
    expect(quote.err).toContain('coders[0].acp.command: has a quote that does not end');
  });
});
