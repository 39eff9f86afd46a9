// Agents on another machine, behind a real sshd: they get messages as at home. No command reaches
// the daemon there, so one with hooks replies by their emitter, and for one without the receipt
// says that there is no way.

import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../scripts/script-entry.ts';
import { proveIdentity } from '../../src/client/prove-identity.ts';
import { ActingLab } from '../acting/acting-lab.ts';
import { eventually } from '../live/tmux-server.ts';
import { isSshdMissing } from '../ssh/sshd.ts';

const LONG_MS = 180_000;
const STEP_MS = 40_000;
const script = '../messages/fake-reader.mjs';
const emit = '~/.local/share/agtmux/bin/agtmux-emit';

describe.skipIf(isSshdMissing)('a message to an agent over ssh', () => {
  let lab: ActingLab;
  let home = '';
  beforeAll(async () => {
    lab = await ActingLab.open({ isRemote: true });
    home = lab.remote?.sshd.home ?? '';
    const bin = join(home, '.local', 'share', 'agtmux', 'bin');
    mkdirSync(bin, { recursive: true });
    copyFileSync(join(root, 'emitter', 'agtmux-emit'), join(bin, 'agtmux-emit'));
    await proveIdentity(lab.client);
  }, LONG_MS);
  afterAll(() => lab[Symbol.asyncDispose]());

  async function openReader(name: string, habits: object) {
    const file = join(lab.live.folder, `${name}.json`);
    writeFileSync(file, JSON.stringify(habits));
    const paneId = lab.openShell(name);
    lab.typeLine(paneId, `export HOME='${home}'`);
    const item = await lab.startAgent(paneId, { script, more: `50 '${file}'` });
    return `runtime:${item.runtime_id}`;
  }

  const statusOf = async (message_id: string) => {
    const { message } = await lab.client.call('message_status', { message_id });
    return message.receipts[0];
  };
  const untilStatus = (message_id: string, status: string) =>
    eventually(
      async () => (await statusOf(message_id))?.status === status,
      `the message is ${status}`,
      STEP_MS,
    );

  it('names no reply where nothing leads back', { timeout: LONG_MS }, async () => {
    const ref = await openReader('bare', { answer: 'never' });
    const { message } = await lab.client.call('send_message', { to: [ref], message: 'hello' });
    await untilStatus(message.message_id, 'delivered');
    expect(await statusOf(message.message_id)).toMatchObject({ reply_channel: 'no_reply_channel' });
    expect(lab.received().at(-1)?.submitted).toContain('hello');
    expect(lab.received().at(-1)?.submitted).not.toContain('Reply-With');
  });

  it('is answered through the emitter of its hooks', { timeout: LONG_MS }, async () => {
    const event = JSON.stringify({ hook_event_name: 'SessionStart', session_id: 's1' });
    const hook = `printf %s '${event}' | ${emit} --source claude-hooks --agent claude`;
    const ref = await openReader('hooked', { hook, answer: 'the tests are green' });
    const { pane_key } = (await lab.client.call('list_panes', {})).panes.find(
      ({ runtime_id }) => `runtime:${runtime_id}` === ref,
    ) ?? { pane_key: '' };
    await eventually(
      async () => {
        const ledger = await lab.client.call('explain', { ref: pane_key });
        return JSON.stringify(ledger).includes('claude-hooks');
      },
      'its hook was heard of',
      STEP_MS,
    );
    const sent = { to: [ref], message: 'how are the tests?', subject: 'Tests' };
    const { message } = await lab.client.call('send_message', sent);
    await untilStatus(message.message_id, 'replied');
    const isSpool = async () => (await statusOf(message.message_id))?.reply_channel === 'spool';
    await eventually(isSpool, 'its delivery is proven too', STEP_MS);
    const { messages } = await lab.client.call('list_inbox', {});
    expect(messages[0]).toMatchObject({
      ...{ body: 'the tests are green', reply_to: message.message_id, subject: 'Re: Tests' },
      from: { id: ref },
    });
  });

  it('is not answered by another agent there, nor by none', { timeout: LONG_MS }, async () => {
    const silent = await openReader('silent', {});
    const { message } = await lab.client.call('send_message', { to: [silent], message: 'private' });
    await untilStatus(message.message_id, 'delivered');
    const { message_id } = message;
    const forged = `${emit} --source agtmux-reply --event ${message_id} 'forged'`;
    const forger = await openReader('forger', { onPerson: forged });
    await lab.client.call('send_message', { to: [forger], message: 'go' });
    const shell = lab.openShell('nobody');
    lab.typeLine(shell, `export HOME='${home}'; ${forged}; echo done-$((1 + 1))`);
    await eventually(() => lab.screen(shell).includes('done-2'), 'the shell ran it', STEP_MS);
    const log = join(lab.live.folder, 'state', 'agtmux', 'agtmuxd.log');
    // The first is an agent that never got the message, the second is nobody.
    for (const code of ['E_MESSAGE_UNKNOWN', 'E_IDENTITY_UNPROVEN']) {
      await eventually(
        () => readFileSync(log, 'utf8').includes(code),
        `${code} is logged`,
        STEP_MS,
      );
    }
    expect(await statusOf(message_id)).toMatchObject({ status: 'delivered' });
    const { messages } = await lab.client.call('list_inbox', { box: 'all' });
    expect(messages.map(({ body }) => body)).not.toContain('forged');
  });
});
