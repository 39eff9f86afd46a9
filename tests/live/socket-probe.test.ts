// What the probe of a socket says of a server that ends just then.

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { probeSocket } from '../../src/tmux/socket-probe.ts';
import { eventually } from './tmux-server.ts';

const listener = `require('node:net').createServer().listen(process.argv[1], () => {
  process.kill(process.pid, 'SIGSTOP');
});`;

test.skipIf(!existsSync('/proc/self/stat'))(
  'a server that is killed before it accepts a connection counts as ended',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'agtmux-probe-'));
    const socketPath = join(folder, 'tmux.sock');
    const server = spawn(process.execPath, ['-e', listener, socketPath], { stdio: 'ignore' });
    const isIn = (state: 'T' | 'Z'): boolean =>
      readFileSync(`/proc/${server.pid}/stat`, 'latin1').includes(`) ${state} `);
    const hasThreads = (): boolean => readdirSync(`/proc/${server.pid}/task`).length > 1;
    try {
      await eventually(() => isIn('T'), 'it listens and is stopped');
      const probe = probeSocket(socketPath, new AbortController().signal);
      server.kill('SIGKILL');
      // This process must not look at its own end of the connection before.
      while (!isIn('Z') || hasThreads());
      expect(await probe).toEqual({ listens: false, why: 'its server ended before it accepted' });
    } finally {
      server.kill('SIGKILL');
      rmSync(folder, { recursive: true });
    }
  },
);
