// Members whose program agtmux does not know: their coder says how the empty input box looks, and a
// message is typed when the screen has rested and shows that box. Scenarios A14 to A17 of agentmux.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../scripts/script-entry.ts';
import type { DaemonClient } from '../../src/client/client.ts';
import { proveIdentity } from '../../src/client/prove-identity.ts';
import { shellQuote } from '../../src/platform/text/shell-quote.ts';
import { parseEnvelopes } from '../../src/relay/messages/envelope.ts';
import { eventually } from '../live/tmux-server.ts';
import { TeamLab } from '../teams/team-lab.ts';

const LONG_MS = 180_000;
const STEP_MS = 60_000;

let lab: TeamLab;
let client: DaemonClient;

/** What each member draws, and the rule of its coder. */
const members = {
  clock: { motion: 'clock' },
  column: { column: 7 },
  footer: { prompt: '› ', footer: '  ? for help', regex: '(?m)^›.*\\n\\s*\\n.*$', column: 2 },
  late: { motion: 'clock' },
  moved: { column: 11 },
  other: { regex: '(?m)^DONE> $' },
  plain: {},
  redraw: { motion: 'redraw' },
} as const;
type Member = keyof typeof members;

interface Drawn {
  readonly prompt?: string;
  readonly footer?: string;
  readonly motion?: string;
  readonly regex?: string;
  readonly column?: number;
}

const logOf = (member: Member): string => join(lab.live.folder, `${member}.log`);

function coderOf(member: Member): string {
  const { prompt = 'READY> ', footer = '', motion = 'still', ...rule }: Drawn = members[member];
  const script = join(root, 'tests/messages/fake-prompt.mjs');
  const words = [process.execPath, script, logOf(member), prompt, footer, motion];
  const command = `exec ${words.map(shellQuote).join(' ')}`;
  return [
    `[[coders]]\nid = "${member}"\n[coders.tmux]`,
    `initial-command = ${JSON.stringify(command)}\nresume-command = "x"`,
    `prompt-regex = '${rule.regex ?? '(?m)^READY>\\s*$'}'\nprompt-inspect-lines = 3`,
    ...(rule.column === undefined ? [] : [`prompt-idle-column = ${rule.column}`]),
    '',
  ].join('\n');
}

beforeAll(async () => {
  lab = new TeamLab();
  const names = Object.keys(members) as Member[];
  lab.write('coders.toml', `format-version = 1\n${names.map(coderOf).join('')}`);
  lab.bundle(
    'red',
    names.map((name) => [name, name]),
  );
  await lab.live.start();
  const report = await lab.run('up', 'red');
  expect(report.failed_startups).toEqual([]);
  client = await lab.live.client(STEP_MS);
  await proveIdentity(client);
}, LONG_MS);
afterAll(() => lab[Symbol.asyncDispose]());

const send = async (to: readonly Member[], message: string, more: object = {}) =>
  client.call(
    'send_message',
    { to: to.map((each) => `red/${each}`), message, ...more },
    { timeoutMs: STEP_MS },
  );
const receiptsOf = async (message_id: string) =>
  (await client.call('message_status', { message_id })).message.receipts;
const receiptOf = async (message_id: string) => (await receiptsOf(message_id))[0];

const until = (id: string, what: string, check: (receipt: string) => boolean) =>
  eventually(async () => check(JSON.stringify(await receiptOf(id))), what, STEP_MS).catch(
    async (error: Error) => {
      throw new Error(`${error.message}; it is ${JSON.stringify(await receiptOf(id))}`);
    },
  );
const untilDelivered = (id: string) =>
  until(id, 'it is delivered', (receipt) => receipt.includes('"status":"delivered"'));
const untilWaits = (id: string, reason: string) =>
  until(id, `it waits: ${reason}`, (receipt) => receipt.includes(reason));

const received = (member: Member): readonly string[] =>
  existsSync(logOf(member))
    ? readFileSync(logOf(member), 'utf8')
        .trim()
        .split('\n')
        .flatMap(
          (line) => parseEnvelopes(JSON.parse(line).submitted)?.map(({ body }) => body) ?? line,
        )
    : [];

const press = (member: Member, ...keys: readonly string[]) =>
  lab.tmux(lab.socket('red'), 'send-keys', '-t', `=${member}:`, ...keys);

function endMotion(member: Member): void {
  const format = ['-t', `=${member}:`, '-F', '#{pane_pid}'];
  process.kill(Number(lab.tmux(lab.socket('red'), 'list-panes', ...format)), 'SIGUSR2');
}

describe('the rule of an input box', () => {
  it('that fits lets a message be typed, and its end be known', { timeout: LONG_MS }, async () => {
    const sent = await send(['plain'], 'fits', { wait_ms: 30_000 });
    expect(sent).toMatchObject({ status: 'success' });
    expect(received('plain')).toEqual(['fits']);
  });

  it('sees the box above an empty line and a footer', { timeout: LONG_MS }, async () => {
    const { message } = await send(['footer'], 'above a footer');
    await untilDelivered(message.message_id);
    expect(received('footer')).toEqual(['above a footer']);
  });

  it('that never fits lets nothing be typed', { timeout: LONG_MS }, async () => {
    const { message } = await send(['other'], 'never', { expires_in_ms: 6_000 });
    await untilWaits(message.message_id, 'does not match prompt-regex');
    await until(message.message_id, 'it expires', (receipt) => receipt.includes('EXPIRED'));
    expect(received('other')).toEqual([]);
  });

  it('with a column waits while a person has typed', { timeout: LONG_MS }, async () => {
    press('column', '-l', 'x');
    const { message } = await send(['column'], 'after the person');
    await untilWaits(message.message_id, 'does not match prompt-regex');
    press('column', 'BSpace');
    await untilDelivered(message.message_id);
    expect(received('column')).toEqual(['after the person']);
    const never = await send(['moved'], 'elsewhere', { expires_in_ms: 6_000 });
    await untilWaits(never.message.message_id, 'its cursor is in column 7, not in 11');
    await until(never.message.message_id, 'it expires', (each) => each.includes('EXPIRED'));
    expect(received('moved')).toEqual([]);
  });
});

describe('a screen without a rest', () => {
  it('holds its message until its time is over, and no other', { timeout: LONG_MS }, async () => {
    const sent = await send(['clock', 'plain'], 'to both', {
      ...{ wait_ms: 30_000, expires_in_ms: 8_000 },
    });
    expect(sent.status).toBe('partial');
    const statuses = sent.message.receipts.map(({ status, reason }) => `${status}: ${reason}`);
    expect(statuses[0]).toMatch(/^failed: its time was over: its screen has not rested/);
    expect(statuses[1]).toMatch(/^delivered: /);
    expect(received('clock')).toEqual([]);
    expect(received('plain')).toContain('to both');
  });

  it('is one that is drawn anew as it was', { timeout: LONG_MS }, async () => {
    const { message } = await send(['redraw'], 'not while it draws', { expires_in_ms: 8_000 });
    await until(message.message_id, 'it expires', (receipt) => receipt.includes('EXPIRED'));
    expect((await receiptOf(message.message_id))?.reason).toContain('has not rested');
    expect(received('redraw')).toEqual([]);
  });

  it('is waited for without a deadline; then all come in order', { timeout: LONG_MS }, async () => {
    const late: string[] = [];
    for (const body of ['one', 'two', 'three']) {
      late.push((await send(['late'], body)).message.message_id);
    }
    await untilWaits(late[0] ?? '', 'has not rested');
    expect(received('late')).toEqual([]);
    endMotion('late');
    for (const id of late) await untilDelivered(id);
    expect(received('late')).toEqual(['one', 'two', 'three']);
  });
});
