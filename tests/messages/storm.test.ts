// Many messages to the members of a bundle, while the daemon is killed again and again: none is
// typed twice, none is lost, and of each member at most one prompt, which holds what came together,
// is in doubt for each kill.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { isLong } from '../length.ts';
import { eventually } from '../live/tmux-server.ts';
import { TeamStorm } from './team-storm.ts';

const MEMBERS = isLong ? 50 : 6;
const MESSAGES = isLong ? 10_000 : 300;
const KILLS = isLong ? 10 : 3;
const ALL_MS = isLong ? 1_200_000 : 240_000;

let storm: TeamStorm;
beforeAll(async () => {
  storm = new TeamStorm(MEMBERS);
  await storm.begin();
}, 180_000);
afterAll(() => storm[Symbol.asyncDispose]());

it(
  `${MESSAGES} messages to ${MEMBERS} members through ${KILLS} kills: none twice, none lost`,
  async () => {
    const began = performance.now();
    // Each member has one sender, so that the order of its messages is known.
    const senders = storm.members.map(async (_, member) => {
      for (let number = member; number < MESSAGES; number += MEMBERS) await storm.send(number);
    });
    for (let kill = 1; kill <= KILLS; kill += 1) {
      // At moments that the work sets, all over its course.
      const count = Math.floor((MESSAGES * kill) / (KILLS + 2));
      await eventually(() => storm.received().length >= count, `${count} arrived`, ALL_MS);
      await storm.killAndStart();
    }
    await Promise.all(senders);
    await storm.untilSettled(ALL_MS);
    const ms = performance.now() - began;
    const received = storm.received();
    const counts = Map.groupBy(received, (each) => each);
    expect([...counts].filter(([, times]) => times.length > 1)).toEqual([]);
    const fates = await storm.fates();
    expect(fates.size).toBe(MESSAGES);
    const arrived = new Set(received);
    const unread = [...fates].filter(([number]) => !arrived.has(number));
    // What did not arrive is said to be in doubt; of what is said to have arrived, nothing is lost.
    expect(unread.filter(([, { status }]) => status !== 'unconfirmed')).toEqual([]);
    const doubtful = [...fates].filter(([, { status }]) => status === 'unconfirmed');
    const perMember = Map.groupBy(doubtful, ([number]) => storm.memberOf(number));
    for (const theirs of perMember.values()) {
      const prompts = new Set(theirs.map(([, receipt]) => receipt.settled_at));
      expect(prompts.size).toBeLessThanOrEqual(KILLS);
    }
    for (const [index, member] of storm.members.entries()) {
      const own = received.filter((each) => each % MEMBERS === index);
      expect({ member, own }).toEqual({ member, own: own.toSorted((a, b) => a - b) });
    }
    const rate = (MESSAGES / ms) * 1_000;
    process.stdout.write(
      `${MESSAGES} messages, ${storm.prompts().length} prompts, ${doubtful.length} unconfirmed, ` +
        `${unread.length} not read, ${rate.toFixed(1)} messages a second\n`,
    );
  },
  ALL_MS,
);
