// A store that fails while messages wait: nothing is handed over without its intent, and the daemon
// goes on.

import { describe, expect, it } from 'vitest';
import { delivered } from '../../src/acting/action-result.ts';
import type { PanelessTransport } from '../../src/daemon/messaging/roster.ts';
import { MessageLab, rosterOf, statusesOf } from './message-lab.ts';

/** A member that takes messages by a protocol; what it got is listed. */
async function open() {
  const lab = await MessageLab.open();
  const handed: string[] = [];
  const transport: PanelessTransport = {
    wait: () => null,
    hand: async (text, { commit }) => {
      if (commit()) handed.push(text);
      return delivered('it has it');
    },
  };
  const controls = { send: 'all:home' } as const;
  const member = { bundle: 'red', member: 'a', index: 0, controls };
  const { members, ...roster } = rosterOf(lab, [member]);
  lab.inside.roster = {
    ...roster,
    members: () => members().map((each) => ({ ...each, transport })),
  };
  return { lab, handed, person: await lab.person() };
}

const isDefect = (error: unknown): boolean =>
  error instanceof Error && error.message === 'a defect';

describe('a message', () => {
  it.each(['begin', 'find'])('waits while the store fails at %s, and comes once', async (work) => {
    const { lab, handed, person } = await open();
    lab.inside.messageFaults.add('find');
    const input = { to: ['red/a'], message: 'body of it' };
    if (work === 'begin') {
      lab.inside.messageFaults.clear();
      lab.inside.messageFaults.add('begin');
    }
    const sent = await person.call('send_message', input).catch(() => null);
    lab.tick();
    await new Promise((resolve) => setImmediate(resolve));
    expect(handed).toEqual([]);
    expect(lab.inside.defects.length).toBeGreaterThan(0);
    expect(lab.inside.defects.filter(isDefect)).toEqual([]);
    lab.inside.messageFaults.clear();
    if (sent) expect(statusesOf(sent)).toEqual(['queued']);
    await expect
      .poll(() => {
        lab.tick();
        return handed.length;
      })
      .toBe(1);
    lab.tick();
    const { messages } = await person.call('list_inbox', { box: 'all' });
    expect(messages.flatMap((message) => statusesOf({ message }))).toEqual(['delivered']);
    expect(handed).toHaveLength(1);
    expect(handed[0]).toContain('body of it');
  });

  it('that replies is handed over though the store fails to note what it replies to', async () => {
    const { lab, handed, person } = await open();
    const agent = await lab.agent(0);
    const asked = { to: ['operator:ada'], message: 'body question' };
    const { message_id } = (await agent.call('send_message', asked)).message;
    lab.inside.messageFaults.add('markReplied');
    const reply = person.call('reply_message', { message_id, message: 'body answer' });
    await expect(reply).rejects.toBeDefined();
    lab.inside.messageFaults.clear();
    await expect
      .poll(() => {
        lab.tick();
        return handed.length;
      })
      .toBe(1);
    expect(handed[0]).toContain('body answer');
  });

  it('to a member without a terminal is in the audit trail', async () => {
    const { person } = await open();
    const input = { to: ['red/a'], message: 'body', wait_ms: 5_000 };
    expect(statusesOf(await person.call('send_message', input))).toEqual(['delivered']);
    const { actions } = await person.call('list_actions', {});
    expect(actions).toMatchObject([
      { kind: 'message', actor: 'operator:ada', result: 'delivered', detail: 'it has it' },
    ]);
  });
});
