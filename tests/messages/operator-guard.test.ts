// A person at a terminal that shows a member: nothing is typed into its pane in the middle of what
// the person does there, and the receipt says what it waits for.

import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../scripts/script-entry.ts';
import type { DaemonClient } from '../../src/client/client.ts';
import { proveIdentity } from '../../src/client/prove-identity.ts';
import { shellQuote } from '../../src/platform/text/shell-quote.ts';
import type { ReceiptItem } from '../../src/schema/relay/message-schemas.ts';
import { eventually } from '../live/tmux-server.ts';
import { TeamLab } from '../teams/team-lab.ts';

const LONG_MS = 120_000;
const STEP_MS = 60_000;

let lab: TeamLab;
let client: DaemonClient;
let log: string;

const tmux = (...args: readonly string[]) => lab.tmux(lab.socket('red'), ...args);
const received = () => readFileSync(log, 'utf8');

/** A terminal in which a person looks at a member. */
async function attach(member: string): Promise<string> {
  const command = `env -u TMUX tmux -S ${shellQuote(lab.socket('red'))} attach -t =${member}`;
  const terminal = `${lab.live.tmux.newSession(`person-${member}`, command)}:`;
  await eventually(
    () =>
      tmux('list-clients', '-F', '#{client_control_mode} #{session_name}').includes(`0 ${member}`),
    'the terminal is attached',
    STEP_MS,
  );
  return terminal;
}

const press = (terminal: string, ...keys: readonly string[]): string =>
  lab.live.tmux.run('send-keys', '-t', terminal, ...keys);

async function receiptOf(id: string): Promise<ReceiptItem | undefined> {
  return (await client.call('message_status', { message_id: id })).message.receipts[0];
}

const untilReason = (id: string, reason: string) =>
  eventually(
    async () => (await receiptOf(id))?.reason?.includes(reason) === true,
    `the message waits: ${reason}`,
    STEP_MS,
  ).catch(async (error: Error) => {
    throw new Error(`${error.message}; it is ${JSON.stringify(await receiptOf(id))}`);
  });

const untilDelivered = (id: string) =>
  eventually(async () => (await receiptOf(id))?.status === 'delivered', 'it came', STEP_MS);

const send = async (member: string, message: string): Promise<string> =>
  (await client.call('send_message', { to: [`red/${member}`], message })).message.message_id;

beforeAll(async () => {
  lab = new TeamLab();
  log = join(lab.live.folder, 'received');
  writeFileSync(log, '');
  const bin = join(lab.live.folder, 'bin');
  mkdirSync(bin, { recursive: true });
  symlinkSync(process.execPath, join(bin, 'claude'));
  const words = [join(bin, 'claude'), join(root, 'tests/messages/fake-reader.mjs'), log, '50'];
  lab.coders({ reader: `exec ${words.map(shellQuote).join(' ')}` });
  lab.bundle('red', [
    ['one', 'reader'],
    ['two', 'reader'],
  ]);
  await lab.live.start();
  await lab.run('up', 'red');
  // tmux knows a table by its keys.
  tmux('bind-key', '-T', 'mine', 'x', 'display-message', 'x');
  tmux('bind-key', '-T', 'root', 'F8', 'switch-client', '-T', 'mine');
  client = await lab.live.client(STEP_MS);
  await proveIdentity(client);
  await eventually(
    async () => {
      const { panes } = await client.call('list_panes', {});
      const resting = panes.filter(({ state }) => state === 'idle' || state === 'completed');
      return resting.length >= 2;
    },
    'the members rest',
    STEP_MS,
  );
}, LONG_MS);
afterAll(() => lab[Symbol.asyncDispose]());

describe('a message to a member that a person looks at', () => {
  let terminal = '';
  beforeAll(async () => {
    terminal = await attach('one');
  }, LONG_MS);

  it.each([
    ['the prefix key', ['C-b'], ['F9'], 'a key of the table "prefix"'],
    ['a key that leads into a table of the user', ['F8'], ['F9'], 'a key of the table "mine"'],
    ['the keys that lead into copy mode', ['C-b', '['], ['q'], 'in copy mode'],
    ['half of a prompt', ['half a pro'], ['Enter'], 'input box'],
  ])('waits after %s until that is over', { timeout: LONG_MS }, async (what, keys, end, reason) => {
    press(terminal, ...keys);
    const id = await send('one', `held by ${what}`);
    await untilReason(id, reason);
    expect((await receiptOf(id))?.status).toBe('queued');
    expect(received()).not.toContain(`held by ${what}`);
    press(terminal, ...end);
    await untilDelivered(id);
    expect(received()).toContain(`held by ${what}`);
  });

  it('waits for nobody who looks at another member', { timeout: LONG_MS }, async () => {
    press(terminal, 'C-b');
    await eventually(
      () => tmux('list-clients', '-F', '#{client_key_table}').includes('prefix'),
      'the prefix is pressed',
      STEP_MS,
    );
    await untilDelivered(await send('two', 'for the other one'));
    press(terminal, 'F9');
  });

  it('comes where a table of the user is the one that keys begin in', {
    timeout: LONG_MS,
  }, async () => {
    tmux('set-option', '-t', '=one:', 'key-table', 'off');
    await eventually(
      () => tmux('list-clients', '-F', '#{client_key_table}').includes('off'),
      'the table',
      STEP_MS,
    );
    await untilDelivered(await send('one', 'while tmux takes no keys'));
  });
});
