// Actions whose connection breaks before their outcome has come.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runHere, SmallDaemon } from './fixture.ts';

let daemon: SmallDaemon;
beforeEach(async () => {
  daemon = new SmallDaemon();
  await daemon.start();
});
afterEach(() => daemon[Symbol.asyncDispose]());

const agtmux = (...args: string[]) => runHere('--socket-path', daemon.socketPath, ...args);

describe('an action whose daemon dies under it', () => {
  it('is not confirmed, and says where to look before it is repeated', async () => {
    daemon.handlers['send'] = (_input, socket) => socket.destroy();
    const sent = await agtmux('send', '%1', '--text', 'go on');
    expect(sent).toMatchObject({ code: 2, out: '' });
    expect(sent.err).toMatch(
      /^E_DAEMON_DOWN: not confirmed: the daemon is gone, and it may have typed/,
    );
    expect(sent.err).toContain('agtmux history --actions');
    expect(sent.err).not.toContain('daemon start');
  });
});
