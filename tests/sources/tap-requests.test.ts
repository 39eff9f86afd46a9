// Which sessions are to be tapped: as many as the configuration and the size of the server allow,
// none while that is not allowed, and more only when tmux is quiet.

import { expect, it } from 'vitest';
import { TapRequests } from '../../src/sources/taps/tap-requests.ts';

const sessions = Array.from({ length: 20 }, (_, index) => `$${index}`);
const wanted = { sessionIds: sessions, paneCount: 300, countMax: 64, isAllowed: true };

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

it('waits with more taps until tmux has sent no notification for a moment', () => {
  const taps = new TapRequests();
  taps.noticed(0);
  expect(taps.want(wanted, 100)).toBeNull();
  expect(taps.nextMs).toBe(300);
  expect(taps.takeDue(299)).toBe(false);
  expect(taps.takeDue(300)).toBe(true);
  expect(taps.takeDue(301)).toBe(false);
  expect(taps.want(wanted, 301)).toEqual(sessions);
});
