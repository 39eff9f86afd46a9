// Which sessions are to be tapped: as many as the configuration and the size of the server allow,
// none while that is not allowed, and more only when tmux is quiet.

import { expect, it } from 'vitest';
import { TapRequests } from '../../src/sources/taps/tap-requests.ts';

const sessions = Array.from({ length: 20 }, (_, index) => `$${index}`);
const attach = { attachWaitMs: 0, isOneByOne: false };
const limits = { paneCount: 300, countMax: 64, isAllowed: true, viewedCount: 0 };
const wanted = { sessionIds: sessions, ...limits, ...attach };

it('taps every session of a server of usual size', () => {
  const taps = new TapRequests();
  expect(taps.want(wanted, 0)).toEqual(sessions);
  expect(taps.isTapped(['$19'])).toBe(true);
  expect(taps.want(wanted, 1)).toBeNull();
});

it('taps fewer sessions where tmux has many panes, and none where it has very many', () => {
  const taps = new TapRequests();
  expect(taps.want({ ...wanted, paneCount: 500 }, 0)).toEqual(sessions.slice(0, 12));
  expect(taps.want({ ...wanted, paneCount: 501 }, 1)).toEqual([]);
  // One pane fewer opens none.
  expect(taps.want({ ...wanted, paneCount: 450 }, 2)).toBeNull();
  expect(taps.want({ ...wanted, paneCount: 400 }, 3)).toEqual(sessions.slice(0, 15));
});

it('taps no more sessions than configured, and none where that is not allowed', () => {
  expect(new TapRequests().want({ ...wanted, countMax: 3 }, 0)).toEqual(sessions.slice(0, 3));
  expect(new TapRequests().want({ ...wanted, isAllowed: false }, 0)).toBeNull();
});

it('waits with more taps as long as another client must not attach', () => {
  const taps = new TapRequests();
  const first = { ...wanted, sessionIds: ['$0'] };
  expect(taps.want(first, 0)).toEqual(['$0']);
  expect(taps.want({ ...wanted, attachWaitMs: 200 }, 100)).toBeNull();
  expect(taps.isTapped(['$0'])).toBe(true);
  expect(taps.nextMs).toBe(300);
  expect(taps.takeDue(299)).toBe(false);
  expect(taps.takeDue(300)).toBe(true);
  expect(taps.takeDue(301)).toBe(false);
  expect(taps.want({ ...wanted, attachWaitMs: 2_000 }, 5_000)).toBeNull();
  expect(taps.want(wanted, 7_000)).toEqual(sessions);
});

it('closes taps at once, also while no other may be opened', () => {
  const taps = new TapRequests();
  taps.want({ ...wanted, sessionIds: ['$0', '$1'] }, 0);
  expect(taps.want({ ...wanted, sessionIds: ['$1', '$2'], attachWaitMs: 50 }, 1)).toEqual(['$1']);
});

it('opens taps one by one where tmux could die of a client that attaches', () => {
  const taps = new TapRequests();
  const oneByOne = { ...wanted, sessionIds: ['$0', '$1', '$2'], isOneByOne: true };
  expect(taps.want(oneByOne, 0)).toEqual(['$0']);
  const secondMs = taps.nextMs;
  expect(secondMs).toBeLessThan(1_000);
  expect(taps.takeDue(secondMs)).toBe(true);
  expect(taps.want(oneByOne, secondMs)).toEqual(['$0', '$1']);
  expect(taps.takeDue(taps.nextMs)).toBe(true);
  expect(taps.want(oneByOne, secondMs * 2)).toEqual(['$0', '$1', '$2']);
  expect(taps.nextMs).toBe(Number.POSITIVE_INFINITY);
});

it('sessions that somebody views are tapped where there are too many panes for other taps', () => {
  const many = { ...wanted, paneCount: 7_000 };
  expect(new TapRequests().want({ ...many, viewedCount: 2 }, 0)).toEqual(sessions.slice(0, 2));
  expect(new TapRequests().want({ ...many, viewedCount: 30 }, 0)).toHaveLength(8);
  expect(new TapRequests().want({ ...many, viewedCount: 2, countMax: 1 }, 0)).toHaveLength(1);
});
