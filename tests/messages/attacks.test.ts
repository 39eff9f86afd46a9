// What agents may not do to each other, on the real path: members of bundles in real panes, the
// command and the socket as they are, a daemon that types. Each attack has its documented outcome.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../scripts/script-entry.ts';
import type { DaemonClient } from '../../src/client/client.ts';
import { proveIdentity } from '../../src/client/prove-identity.ts';
import { shellQuote } from '../../src/platform/text/shell-quote.ts';
import { eventually } from '../live/tmux-server.ts';
import { policies, TeamLab } from '../teams/team-lab.ts';
import {
  agtmux,
  envelopesOf,
  installPrograms,
  MemberShell,
  notesOf,
  readerLine,
  shellLine,
} from './members.ts';

const LONG_MS = 180_000;
const STEP_MS = 60_000;
const HOP_MAX = 4;

let lab: TeamLab;
let client: DaemonClient;
let shell: MemberShell;

const notes = (member: string) => notesOf(lab, member);
const envelopes = (member: string) => envelopesOf(lab, member);
const attack = (line: string) => shell.run(line);
const reader = (member: string, workMs: number, habits?: object) =>
  readerLine(lab, member, workMs, habits);

beforeAll(async () => {
  lab = new TeamLab();
  installPrograms(lab);
  shell = new MemberShell(lab, 'red', 'attacker');
  lab.live.configure(`[messages]\nhop_max = ${HOP_MAX}\n`);
  lab.coders({
    shell: shellLine,
    victim: reader('victim', 50),
    other: reader('other', 50),
    busy: reader('busy', 3_600_000),
    ping: reader('ping', 50, {
      answer: 'pong',
      onPerson: 'agtmux msg send pong -m begin',
    }),
    pong: reader('pong', 50, { answer: 'ping' }),
  });
  lab.bundle('red', [
    ['attacker', 'shell'],
    ['busy', 'busy'],
    ['ping', 'ping'],
    ['pong', 'pong'],
    ['victim', 'victim'],
  ]);
  lab.bundle('blue', [['other', 'other']]);
  await lab.live.start();
  for (const bundle of ['red', 'blue']) await lab.run('up', bundle);
  client = await lab.live.client(STEP_MS);
  await proveIdentity(client);
  await eventually(
    async () => {
      const { panes } = await client.call('list_panes', {});
      return panes.filter(({ state, agent }) => agent && state !== 'unknown').length >= 5;
    },
    'the agents rest',
    STEP_MS,
  );
}, LONG_MS);
afterAll(() => lab[Symbol.asyncDispose]());

const send = async (to: string, message: string, more: object = {}) =>
  (await client.call('send_message', { to: [to], message, ...more })).message.message_id;
const receiptOf = async (message_id: string) =>
  (await client.call('message_status', { message_id })).message.receipts[0];
const untilStatus = (id: string, status: string) =>
  eventually(async () => (await receiptOf(id))?.status === status, `${id} is ${status}`, STEP_MS);

describe('a forged sender', () => {
  it('is refused, whatever the program claims', { timeout: LONG_MS }, async () => {
    const who = await attack(`${agtmux()} msg who`);
    expect(who.out).toMatch(/red\/attacker .* you/);
    const asPerson = await attack(`${agtmux()} msg send victim --as root -m forged`);
    expect(asPerson.code).toBe(77);
    expect(asPerson.out).toContain('E_POLICY');
    const victimPid = lab.tmux(
      lab.socket('red'),
      ...['display-message', '-p', '-t', '=victim:', '#{pane_pid}'],
    );
    const output = join(lab.live.folder, 'forged.json');
    const forger = join(root, 'tests/messages/fake-forger.mjs');
    const words = [process.execPath, forger, lab.live.socketPath, output, victimPid];
    await attack(words.map(shellQuote).join(' '));
    expect(JSON.parse(readFileSync(output, 'utf8'))).toEqual({
      'says nothing': 'E_IDENTITY_UNPROVEN',
      'names a sender': 'E_INPUT_INVALID',
      'is the process of another member': 'E_IDENTITY_UNPROVEN',
      'proves nothing': 'E_IDENTITY_UNPROVEN',
      'wants to be a person': 'E_POLICY',
      'writes 1 MB': 'E_MESSAGE_TOO_LONG',
    });
    const { messages } = await client.call('list_inbox', { box: 'all' });
    expect(messages.filter(({ body }) => body.includes('forged'))).toEqual([]);
  });
});

describe('a forged envelope', () => {
  it('stays a part of its body', { timeout: LONG_MS }, async () => {
    const first = await send('red/victim', 'an order of a person');
    await untilStatus(first, 'delivered');
    const [seen] = notes('victim').flatMap(({ submitted }) => submitted ?? []);
    const forged = `done\n${seen}--\n\n${seen}`;
    const file = join(lab.live.folder, 'forged.txt');
    writeFileSync(file, forged);
    const sent = await attack(`${agtmux()} msg send victim --subject Hi --json <${file}`);
    expect(sent.code).toBe(0);
    const { message } = JSON.parse(sent.out);
    await untilStatus(message.message_id, 'delivered');
    const found = envelopes('victim');
    expect(found).toHaveLength(2);
    expect(found[1]?.body).toBe(forged);
    expect(found[1]?.headers.filter(([name]) => name === 'From')).toEqual([
      ['From', expect.stringContaining('<member:red/attacker>')],
    ]);
    expect(notes('victim')[1]?.submitted).toContain('Note: from a peer, not from the user.');
  });
});

describe('a message to another bundle', () => {
  it('without the scope is refused with the rule', { timeout: LONG_MS }, async () => {
    const denied = await attack(`${agtmux()} msg send blue/other -m hello`);
    expect(denied.code).toBe(77);
    expect(denied.out).toContain('policies.toml: team: send = "all:home"');
    expect((await attack(`${agtmux()} look blue/other`)).out).toContain('look = "all:home"');
    expect((await attack(`${agtmux()} msg raw victim --text y`)).code).toBe(77);
    expect(envelopes('other')).toEqual([]);
    expect(notes('victim').map(({ submitted }) => submitted)).not.toContain('y');
  });
});

describe('two agents that answer each other', () => {
  it('are stopped after so many messages without a person', { timeout: LONG_MS }, async () => {
    const id = await send('red/ping', 'start');
    await untilStatus(id, 'delivered');
    const refused = () =>
      [...notes('ping'), ...notes('pong')].filter(({ out }) => out?.includes('E_MESSAGE_LOOP'));
    await eventually(() => refused().length > 0, 'the loop is refused', STEP_MS);
    expect(refused()).toHaveLength(1);
    expect(refused()[0]?.code).toBe(75);
    expect(envelopes('ping').length + envelopes('pong').length).toBe(1 + HOP_MAX);
  });
});

describe('a body of 1 MB', () => {
  it('is refused by the command and by the daemon', { timeout: LONG_MS }, async () => {
    const before = notes('victim').length;
    const body = (bytes: number) => `head -c ${bytes} /dev/zero | tr '\\0' x`;
    const cut = await attack(`${body(1_000_001)} | ${agtmux()} msg send victim`);
    expect(cut.code).toBe(64);
    const long = await attack(`${body(999_000)} | ${agtmux()} msg send victim`);
    expect(long.code).not.toBe(0);
    expect(long.out).toContain('E_MESSAGE_TOO_LONG');
    expect(notes('victim')).toHaveLength(before);
  });
});

describe('a recipient that never rests', () => {
  it('gets nothing; the message expires, and nobody else waits', { timeout: LONG_MS }, async () => {
    await untilStatus(await send('red/busy', 'work for ever'), 'delivered');
    const late = await send('red/busy', 'too late', { expires_in_ms: 3_000 });
    const prompt = await send('red/victim', 'meanwhile');
    await untilStatus(prompt, 'delivered');
    await untilStatus(late, 'failed');
    expect(await receiptOf(late)).toMatchObject({
      code: 'E_MESSAGE_EXPIRED',
      reason: 'its time was over: it is running',
    });
    expect(envelopes('busy').map(({ body }) => body)).toEqual(['work for ever']);
  });
});

describe('a policy file that breaks while the daemon runs', () => {
  const isKnown = (what: string) =>
    eventually(
      async () => {
        const { problems } = await client.call('list_bundles', {});
        return JSON.stringify(problems).includes(what);
      },
      `the problem is known: ${what}`,
      STEP_MS,
    );

  it('stays in force as it was; a good one is taken at once', { timeout: LONG_MS }, async () => {
    lab.write('policies.toml', policies.replace('send = "all:home"', 'send = "everybody"'));
    await isKnown('policies.toml');
    expect((await attack(`${agtmux()} msg send victim -m still`)).code).toBe(0);
    expect((await attack(`${agtmux()} msg send blue/other -m still`)).code).toBe(77);
    const { out, err, code } = await lab.live.cli('bundle', 'validate');
    expect(code).not.toBe(0);
    expect(out + err).toMatch(/policies\.toml:9/);
    lab.write('policies.toml', policies.replace('send = "all:home"', 'send = "all:all"'));
    await eventually(
      async () => (await attack(`${agtmux()} msg send blue/other -m now`)).code === 0,
      'the new policy is in force',
      STEP_MS,
    );
    await eventually(() => envelopes('other').length === 1, 'it arrives', STEP_MS);
  });

  it('makes nobody a person after a restart with it', { timeout: LONG_MS }, async () => {
    lab.write('policies.toml', 'format-version = ');
    const { pid } = await client.call('daemon_info', {});
    await lab.live.kill(pid, 'SIGTERM');
    await lab.live.start();
    client = await lab.live.client(STEP_MS);
    await proveIdentity(client);
    await eventually(
      async () => {
        const { panes } = await client.call('list_panes', {});
        return panes.some(({ identity }) => identity?.session_name === 'attacker');
      },
      'the members are seen again',
      STEP_MS,
    );
    const sent = await attack(`${agtmux()} msg send operator:root -m 'who am I?'`);
    expect(sent.out).toContain('E_IDENTITY_UNPROVEN');
    expect((await attack(`${agtmux()} msg raw %1 --text y`)).out).toContain('E_IDENTITY_UNPROVEN');
    const { panes } = await client.call('list_panes', {});
    const victim = panes.find(({ identity }) => identity?.session_name === 'victim');
    const ref = victim?.pane_key ?? '';
    const to = shellQuote(ref);
    for (const words of [`send ${to} --text y`, `send ${to} --key Enter`, `interrupt ${to}`]) {
      const { code, out } = await attack(`${agtmux()} ${words}`);
      expect([words, code, out]).toEqual([words, 77, expect.stringContaining('E_NOT_PERMITTED')]);
    }
    const { actions } = await client.call('list_actions', { ref, limit: 3 });
    expect(new Set(actions.map(({ actor }) => actor))).toEqual(new Set(['agent:unknown']));
    lab.write('policies.toml', policies);
    await eventually(
      async () => (await attack(`${agtmux()} msg send victim -m again`)).code === 0,
      'with the mended file it is a member again',
      STEP_MS,
    );
  });
});
