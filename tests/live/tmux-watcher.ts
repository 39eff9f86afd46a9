// A program for the freeze test: guard, doorbell and a tap on one session, as the daemon has them,
// in a process of its own that can be stopped. Says on stdout what it sees, one line each.

import { TmuxLink } from '../../src/tmux/link.ts';
import { Taps } from '../../src/tmux/taps.ts';
import { WakeClient } from '../../src/tmux/wake.ts';
import { wantedTap } from './wanted-tap.ts';

const [, , socketPath = '', sessionId = ''] = process.argv;
const say = (text: string): boolean => process.stdout.write(`${text}\n`);

const taps = new Taps({
  onReport: ({ changed, gaps, closed }) => {
    if (changed.length > 0) say('changed');
    if (gaps.length > 0) say('gap');
    if (closed.length > 0) say('closed');
  },
});
const link = new TmuxLink({
  attach: 'always',
  socketPath,
  onLost: () => {
    taps.set([]);
    say('lost');
  },
  onStatus: ({ state }) => {
    if (state === 'connected') void wantedTap(socketPath, sessionId).then((tap) => taps.set([tap]));
  },
});
const wake = new WakeClient({ link, onWake: () => say('doorbell') });
link.start();
wake.start();
process.stdin.resume().on('end', async () => {
  await taps[Symbol.asyncDispose]();
  await wake[Symbol.asyncDispose]();
  await link[Symbol.asyncDispose]();
  process.exit(0);
});
