// Many messages to many agents on real panes, while the daemon is killed again and again: none is
// typed twice, none is lost, and of each recipient at most one is in doubt for each kill.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { proveIdentity } from '../../src/client/prove-identity.ts';
import { parseEnvelopes } from '../../src/relay/messages/envelope.ts';
import type { MessageItem } from '../../src/schema/relay/message-schemas.ts';
import { ActingLab } from '../acting/acting-lab.ts';
import { isLong, repeats } from '../length.ts';
import { eventually } from '../live/tmux-server.ts';

const AGENTS = isLong ? 50 : 8;
const MESSAGES = isLong ? repeats(10_000) : 160;
const KILLS = isLong ? 10 : 3;
const ALL_MS = isLong ? 1_500_000 : 240_000;
const SENDERS = 8;

let lab: ActingLab;
let daemonPid = 0;
beforeAll(async () => {
  lab = await ActingLab.open();
  daemonPid = (await lab.client.call('daemon_info', {})).pid;
}, 60_000);
afterAll(() => lab[Symbol.asyncDispose]());

async function restart(): Promise<void> {
  await lab.live.kill(daemonPid, 'SIGKILL');
  daemonPid = await lab.start();
  await proveIdentity(lab.client, {});
}

/** Sends it, over as many deaths of the daemon as there are. */
async function send(ref: string, number: number): Promise<void> {
  const input = { to: [ref], message: `message ${number}`, request_ref: `storm-${number}` };
  for (;;) {
    try {
      await lab.client.call('send_message', input, { timeoutMs: 20_000 });
      return;
    } catch (error) {
      const { code } = error as { code?: string };
      if (code?.startsWith('E_') && !/DAEMON|IDENTITY|PARTY|NO_AGENT/.test(code)) throw error;
      await new Promise((resolve) => {
        setTimeout(resolve, 200);
      });
    }
  }
}

const isOpen = ({ receipts }: MessageItem): boolean =>
  receipts.some(({ status }) => status === 'queued' || status === 'delivering');

it(
  `${MESSAGES} messages to ${AGENTS} agents through ${KILLS} kills: none twice, none lost`,
  async () => {
    const refs: string[] = [];
    const more = '50';
    for (let index = 0; index < AGENTS; index += 1) {
      const ref = lab.openShell(`reader-${index}`);
      const script = '../messages/fake-reader.mjs';
      await lab.startAgent(ref, { script, more });
      refs.push(ref);
    }
    await proveIdentity(lab.client, {});
    const began = performance.now();
    let next = 0;
    const senders = Array.from({ length: SENDERS }, async () => {
      // Each recipient has one sender, so that its order is known.
      const mine = next++;
      for (let number = mine; number < MESSAGES; number += SENDERS) {
        await send(refs[number % AGENTS] ?? '', number);
      }
    });
    const received = () => lab.received().length;
    const readIds = () =>
      lab
        .received()
        .flatMap(({ submitted }) => parseEnvelopes(submitted ?? '') ?? [])
        .map(({ body }) => Number(body.replace('message ', '')));
    for (let kill = 1; kill <= KILLS; kill += 1) {
      // At moments that the work sets, all over its course.
      const count = Math.floor((MESSAGES * kill) / (KILLS + 2));
      await eventually(() => readIds().length >= count, `${count} arrived`, ALL_MS);
      await restart();
    }
    await Promise.all(senders);
    const statuses = new Map<string, number>();
    await eventually(
      async () => {
        statuses.clear();
        let open = 0;
        for (const ref of refs) {
          const party = (await lab.pane(ref))?.runtime_id;
          if (!party) return false;
        }
        const { messages } = await lab.client.call('list_inbox', { box: 'sent', limit: 200 });
        open = messages.filter(isOpen).length;
        return open === 0 && readIds().length >= MESSAGES - AGENTS * KILLS;
      },
      'nothing waits',
      ALL_MS,
    );
    const ms = performance.now() - began;
    const ids = readIds();
    const twice = ids.filter((each, index) => ids.indexOf(each) !== index);
    expect(twice).toEqual([]);
    const counts = await receiptCounts();
    const arrived = new Set(ids);
    // What was not read is in doubt and said to be; all else arrived.
    const missing = Array.from({ length: MESSAGES }, (_, index) => index).filter(
      (each) => !arrived.has(each),
    );
    expect(missing.filter((each) => counts.get(each) !== 'unconfirmed')).toEqual([]);
    const unconfirmed = [...counts.values()].filter((each) => each === 'unconfirmed').length;
    expect(unconfirmed).toBeLessThanOrEqual(AGENTS * KILLS);
    for (const [index] of refs.entries()) {
      const own = ids.filter((each) => each % AGENTS === index);
      expect(own).toEqual(own.toSorted((a, b) => a - b));
    }
    const rate = Math.round((MESSAGES / ms) * 1_000);
    process.stdout.write(
      `${MESSAGES} messages, ${received()} prompts, ${unconfirmed} unconfirmed, ` +
        `${missing.length} not read, ${rate} messages a second\n`,
    );
  },
  ALL_MS,
);

/** The status of each message, by its number. */
async function receiptCounts(): Promise<ReadonlyMap<number, string>> {
  const found = new Map<number, string>();
  for (let number = 0; number < MESSAGES; number += 1) {
    const to = ['operator:nobody'];
    // The same request again: it is answered with what there is.
    const input = { to, message: `message ${number}`, request_ref: `storm-${number}` };
    const { message } = await lab.client.call('send_message', input).catch(() => ({
      message: null,
    }));
    found.set(number, message?.receipts[0]?.status ?? 'unknown');
  }
  return found;
}
