// What the scenarios of agentmux ask of messages and raw writes, as a user sees it: real panes, the
// command line, bytes as they reach a program. docs/agentmux-scenarios.md lists them all.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DaemonClient } from '../../src/client/client.ts';
import { proveIdentity } from '../../src/client/prove-identity.ts';
import { parseEnvelopes } from '../../src/relay/messages/envelope.ts';
import type { ReceiptItem } from '../../src/schema/relay/message-schemas.ts';
import { Subscriber } from '../daemon-live/live-daemon.ts';
import { eventually } from '../live/tmux-server.ts';
import { TeamLab } from '../teams/team-lab.ts';
import {
  envelopesOf,
  installPrograms,
  MemberShell,
  notesOf,
  readerLine,
  shellLine,
} from './members.ts';

const LONG_MS = 180_000;
const STEP_MS = 60_000;
const PASTE_START = '\x1b[200~';
const PASTE_END = '\x1b[201~';
const READERS = ['one', 'raw', 'two'];

let lab: TeamLab;
let client: DaemonClient;
let daemonPid = 0;
let shell: MemberShell;

const scopes = (raw: string) => `format-version = 1
default = "member"
[[policies]]
id = "member"
[policies.controls]
find = "self"
list = "all:home"
look = "all:home"
send = "all:home"
raww = "${raw}"
`;

async function connect(): Promise<void> {
  daemonPid = await lab.live.start();
  client = await lab.live.client(STEP_MS);
  await proveIdentity(client);
  await eventually(
    async () => {
      const { panes } = await client.call('list_panes', {});
      const resting = panes.filter(({ state }) => state === 'idle' || state === 'completed');
      return resting.length >= READERS.length + 1;
    },
    'the readers rest',
    STEP_MS,
  );
}

beforeAll(async () => {
  lab = new TeamLab();
  installPrograms(lab);
  lab.write('policies.toml', scopes('all:home'));
  shell = new MemberShell(lab, 'red', 'shell');
  const readers = Object.fromEntries(
    [...READERS, 'far'].map((name) => [name, readerLine(lab, name, 50, { notesInput: true })]),
  );
  lab.coders({ ...readers, shell: shellLine, lines: 'seq 1 300; exec sleep 1000' });
  lab.bundle('red', [
    ...READERS.map((name) => [name, name] as const),
    ['printer', 'lines'],
    ['shell', 'shell'],
  ]);
  lab.bundle('blue', [['far', 'far']]);
  const started = await lab.live.start();
  for (const bundle of ['red', 'blue']) {
    expect((await lab.run('up', bundle)).failed_startups).toEqual([]);
  }
  await lab.live.kill(started, 'SIGTERM');
  await connect();
}, LONG_MS);
afterAll(() => lab[Symbol.asyncDispose]());

const agtmux = (...words: readonly string[]) => lab.live.cli(...words);
const tmux = (...words: readonly string[]) => lab.tmux(lab.socket('red'), ...words);
const typedTo = (member: string): string =>
  notesOf(lab, member)
    .map(({ input }) => input ?? '')
    .join('');
const bodiesOf = (member: string): readonly string[] =>
  envelopesOf(lab, member).map(({ body }) => body);

const receiptsOf = async (message_id: string): Promise<readonly ReceiptItem[]> =>
  (await client.call('message_status', { message_id })).message.receipts;
const untilReceipt = (id: string, text: string) =>
  eventually(
    async () => JSON.stringify(await receiptsOf(id)).includes(text),
    `the receipt says ${text}`,
    STEP_MS,
  ).catch(async (error: Error) => {
    throw new Error(`${error.message}; it is ${JSON.stringify(await receiptsOf(id))}`);
  });
const send = async (to: string, message: string, more: object = {}) =>
  (await client.call('send_message', { to: [to], message, ...more })).message.message_id;

describe('a long message', () => {
  it.each([6_000, 30_000])(
    'of %i characters is one paste, begins with its boundary, and gets one Enter',
    { timeout: LONG_MS },
    async (length) => {
      const before = typedTo('one').length;
      const line = 'größer 🙂 $(id) `id` #{pane_id} \\; "quoted"; ';
      const body = line
        .repeat(Math.ceil(length / line.length))
        .slice(0, length)
        .replace(/\s$/, ';');
      const file = join(lab.live.folder, `long-${length}`);
      writeFileSync(file, body);
      const sent = await shell.run(`agtmux msg send one --wait 30s --json <${file}`);
      expect([sent.code, JSON.parse(sent.out).status]).toEqual([0, 'success']);
      const input = typedTo('one').slice(before);
      const [lead = '', ...pastes] = input.split(PASTE_START);
      expect([lead, pastes.length]).toEqual(['', 1]);
      const [pasted = '', after] = pastes.join('').split(PASTE_END);
      expect(pasted).toMatch(/^--agtmux-[0-9a-f]{24}\nMessage-Id: /);
      expect(parseEnvelopes(pasted)?.map((each) => each.body)).toEqual([body]);
      expect(after).toBe('\r');
    },
  );
});

describe('a pane in copy mode', () => {
  it('is typed nothing for the whole time of a message', { timeout: LONG_MS }, async () => {
    tmux('copy-mode', '-t', '=one:');
    const id = await send('red/one', 'while it is scrolled', { expires_in_ms: 4_000 });
    await untilReceipt(id, 'E_MESSAGE_EXPIRED');
    expect((await receiptsOf(id))[0]?.reason).toContain('copy mode');
    tmux('send-keys', '-t', '=one:', '-X', 'cancel');
    expect(typedTo('one')).not.toContain('while it is scrolled');
  });
});

describe('a raw write', () => {
  it('presses Enter after its text, and leaves it in the box with --no-enter', {
    timeout: LONG_MS,
  }, async () => {
    const first = await shell.run("agtmux msg raw raw --text 'ends with ;'");
    expect(first).toMatchObject({ code: 0 });
    const second = await agtmux('msg', 'raw', 'red/raw', '--text', 'half of it', '--no-enter');
    expect(second, second.err).toMatchObject({ code: 0 });
    expect(notesOf(lab, 'raw').flatMap(({ submitted }) => submitted ?? [])).toEqual([
      'ends with ;',
    ]);
    expect(typedTo('raw').replaceAll(PASTE_START, '').replaceAll(PASTE_END, '')).toBe(
      'ends with ;\rhalf of it',
    );
    tmux('send-keys', '-t', '=raw:', 'Enter');
  });

  it('goes to nobody whose name only begins so, and to no other bundle', {
    timeout: LONG_MS,
  }, async () => {
    const part = await shell.run('agtmux msg raw on --text y');
    expect([part.code, part.out]).toEqual([66, expect.stringContaining('E_PARTY_UNKNOWN')]);
    const other = await shell.run('agtmux msg raw blue/far --text y');
    expect([other.code, other.out]).toEqual([
      77,
      expect.stringContaining('policies.toml: member: raww = "all:home"'),
    ]);
    for (const line of [
      'broadcast --bundle nowhere -m x',
      'send one --bundle nowhere -m x',
      // A session of that name is in another bundle.
      'send one --bundle blue -m x',
    ]) {
      const lost = await shell.run(`agtmux msg ${line}`);
      expect([lost.code, lost.out]).toEqual([
        66,
        expect.stringMatching(/bundle "\w+" has (?:no )?member/),
      ]);
    }
    expect(typedTo('far')).toBe('');
  });
});

describe('a broadcast of a member', () => {
  it('reaches the other members once each, from any folder and environment', {
    timeout: LONG_MS,
  }, async () => {
    const line = 'cd / && GIT_DIR=/nowhere agtmux msg broadcast --json -m "main is frozen"';
    const sent = await shell.run(line);
    expect(sent.code).toBe(0);
    const { message } = JSON.parse(sent.out) as { message: { message_id: string } };
    for (const name of READERS) {
      await eventually(
        () => bodiesOf(name).includes('main is frozen'),
        `it came to ${name}`,
        STEP_MS,
      );
    }
    const recipients = (await receiptsOf(message.message_id)).map(({ recipient }) => recipient.id);
    expect(recipients).toEqual(['one', 'printer', 'raw', 'two'].map((id) => `member:red/${id}`));
    expect(typedTo('far')).not.toContain('frozen');
    const copies = READERS.flatMap(bodiesOf).filter((body) => body === 'main is frozen');
    expect(copies).toHaveLength(READERS.length);
    expect((await shell.run(`agtmux msg cancel ${message.message_id}`)).code).toBe(0);
  });
});

describe('a look', () => {
  const numbers = (from: number, to: number): string =>
    Array.from({ length: to - from + 1 }, (_, index) => `${from + index}`).join('\n');

  it('shows the last 120 lines or as many as wanted, the oldest first', {
    timeout: LONG_MS,
  }, async () => {
    const all = await shell.run('agtmux look printer --json');
    expect(JSON.parse(all.out).lines.join('\n')).toBe(numbers(181, 300));
    const some = await shell.run('agtmux look printer --lines 5 --json');
    expect(JSON.parse(some.out).lines.join('\n')).toBe(numbers(296, 300));
    for (const count of [0, 1_001]) {
      expect((await shell.run(`agtmux look printer --lines ${count}`)).code).toBe(64);
    }
    const text = await agtmux('look', 'red/printer', '--lines', '2');
    expect(text.out.trimEnd().split('\n').slice(-2)).toEqual(['299', '300']);
  });
});

describe('whom a member sees', () => {
  it('is its own bundle and people, each with what it may do', { timeout: LONG_MS }, async () => {
    const { out } = await shell.run('agtmux msg who --json');
    const { parties } = JSON.parse(out) as { parties: readonly Record<string, unknown>[] };
    const seen = parties.filter(({ kind }) => kind === 'member');
    expect(seen.map(({ name, is_you }) => `${name}${is_you ? ' you' : ''}`)).toEqual([
      'one',
      'printer',
      'raw',
      'shell you',
      'two',
    ]);
    expect(seen.map(({ may_send, may_look }) => may_send && may_look)).toEqual(
      seen.map(() => true),
    );
    const everybody = await agtmux('msg', 'who', '--json');
    expect(JSON.parse(everybody.out).parties.map(({ id }: { id: string }) => id)).toContain(
      'member:blue/far',
    );
  });
});

describe('the text of a message', () => {
  it('is one option or standard input, and a closed one beside -m does no harm', {
    timeout: LONG_MS,
  }, async () => {
    const codes = async (...lines: readonly string[]) => {
      const found: number[] = [];
      for (const line of lines) found.push((await shell.run(`agtmux msg ${line}`)).code);
      return found;
    };
    expect(
      await codes('send two -m by-option </dev/null', 'send two -m without-a-stdin <&-'),
    ).toEqual([0, 0]);
    expect((await shell.run('printf by-stdin | agtmux msg send two')).code).toBe(0);
    expect(
      await codes(
        'send two </dev/null',
        'send two -m ""',
        'send -m nobody',
        'send two -m x --wait never',
        'reply 3f9a1c07be21 twice -m twice',
      ),
    ).toEqual([64, 64, 64, 64, 64]);
    const expected = ['by-option', 'without-a-stdin', 'by-stdin'];
    await eventually(
      () => bodiesOf('two').filter((body) => body !== 'main is frozen').length >= expected.length,
      'all came',
      STEP_MS,
    );
    expect(bodiesOf('two').filter((body) => body !== 'main is frozen')).toEqual(expected);
  });

  it('is that of a person of tui.toml only where there is such a person', {
    timeout: LONG_MS,
  }, async () => {
    const sent = await agtmux('msg', 'send', 'red/two', '--as', 'nobody', '-m', 'as nobody');
    expect(sent.code).not.toBe(0);
    expect(sent.err).toContain('nobody');
    const { messages } = await client.call('list_inbox', { box: 'all' });
    expect(messages.map(({ body }) => body)).not.toContain('as nobody');
  });
});

describe('the outcome of a message', () => {
  it('is the same message for its sender, its recipient and whoever waits for it', {
    timeout: LONG_MS,
  }, async () => {
    const sent = await shell.run('agtmux msg send operator:root --json -m "the tests pass"');
    const { message } = JSON.parse(sent.out) as { message: { message_id: string } };
    const { message_id } = message;
    const inbox = await client.call('list_inbox', { box: 'all' });
    expect(inbox.messages.find((each) => each.message_id === message_id)).toMatchObject({
      from: { id: 'member:red/shell' },
      body: 'the tests pass',
    });
    const asked = await shell.run('agtmux msg send two --json -m "are you there?"');
    const { message: question } = JSON.parse(asked.out) as { message: { message_id: string } };
    const waited = await shell.run(`agtmux msg status ${question.message_id} --wait 30s --json`);
    expect(JSON.parse(waited.out)).toMatchObject({
      ...{ status: 'success', mode: 'sync' },
      message: { message_id: question.message_id, receipts: [{ status: 'delivered' }] },
    });
    expect(envelopesOf(lab, 'two').at(-1)?.headers).toContainEqual([
      'Message-Id',
      question.message_id,
    ]);
  });
});

describe('a daemon that is interrupted while a message waits', () => {
  it('ends at once beside an open stream, and the next one types the message once', {
    timeout: LONG_MS,
  }, async () => {
    tmux('copy-mode', '-t', '=two:');
    const id = await send('red/two', 'over the restart');
    await untilReceipt(id, 'copy mode');
    using stream = new Subscriber(await lab.live.client());
    await eventually(() => stream.rows.size > 0, 'the stream is open');
    await lab.live.kill(daemonPid, 'SIGINT');
    await lab.live.ended(daemonPid);
    expect(lab.sessions(lab.socket('red')).map((each) => each.split(' ')[1])).toEqual(
      Array(5).fill('owned'),
    );
    tmux('send-keys', '-t', '=two:', '-X', 'cancel');
    await connect();
    await untilReceipt(id, '"status":"delivered"');
    expect(bodiesOf('two').filter((body) => body === 'over the restart')).toHaveLength(1);
  });
});
