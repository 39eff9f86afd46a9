// Which sessions are asked to be tapped: as many as the configuration and the size of the server
// allow, none while that is not allowed.

import { expect, it } from 'vitest';
import { TapRequests } from '../../src/sources/taps/tap-requests.ts';

const sessions = Array.from({ length: 20 }, (_, index) => `$${index}`);

function requests({ isAllowed = true, countMax = 64 } = {}) {
  const asked: (readonly string[])[] = [];
  const taps = new TapRequests({
    isAllowed: () => isAllowed,
    countMax: () => countMax,
    tap: (sessionIds) => asked.push(sessionIds),
    onQuiet: () => {},
  });
  return { taps, asked };
}

it('taps every session of a server of usual size', () => {
  const { taps, asked } = requests();
  taps.want(sessions, 300, 0);
  expect(asked).toEqual([sessions]);
  expect(taps.isTapped(['$19'])).toBe(true);
});

it('taps fewer where tmux has many panes, and none where it has very many', () => {
  const { taps, asked } = requests();
  taps.want(sessions, 500, 0);
  taps.want(sessions, 501, 1);
  // One pane fewer opens none.
  taps.want(sessions, 450, 2);
  taps.want(sessions, 400, 3);
  expect(asked).toEqual([sessions.slice(0, 12), [], sessions.slice(0, 15)]);
});

it('keeps to the configuration', () => {
  const few = requests({ countMax: 3 });
  few.taps.want(sessions, 10, 0);
  expect(few.asked).toEqual([sessions.slice(0, 3)]);
  const none = requests({ isAllowed: false });
  none.taps.want(sessions, 10, 0);
  expect(none.asked).toEqual([]);
});

it('closes all when it ends', () => {
  const { taps, asked } = requests();
  taps.want(['$1'], 10, 0);
  taps[Symbol.dispose]();
  expect(asked.at(-1)).toEqual([]);
});
