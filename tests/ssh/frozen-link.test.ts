// A frozen ssh link never freezes what is watched over it: the guard, a client without output, is
// attached beside the tap, and the remote program prints on although nobody reads the tap.

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { launchProgram } from '../../src/platform/process/launch.ts';
import type { ChannelKind } from '../../src/ssh/connection/masters.ts';
import type { SshHost } from '../../src/ssh/ssh-host.ts';
import { printerCommand, readPrinted, residentKb, STALL_MS_MAX } from '../live/printer.ts';
import { eventually, privateTmux } from '../live/tmux-server.ts';
import { hostOn } from './live-host.ts';
import { isSshdMissing, TestSshd } from './sshd.ts';

/** What the program prints while the link is frozen: a freeze shows after 3 to 5 s. */
const FROZEN_BYTES = 6_000_000;

interface Client extends AsyncDisposable {
  readonly bytesRead: () => number;
}

async function attach(
  host: SshHost,
  kind: ChannelKind,
  { socketPath, sessionId, flags }: { socketPath: string; sessionId: string; flags: string },
): Promise<Client> {
  const attachment = ['attach-session', '-E', '-f', flags, '-t', sessionId];
  const channel = await host.open(kind, ['-N', '-S', socketPath, '-C', ...attachment]);
  // A worker thread can be given it.
  expect(structuredClone(channel.launch)).toEqual(channel.launch);
  let bytes = 0;
  const child = launchProgram(channel.launch, {
    readyDeadlineMs: 10_000,
    onStdout: (chunk) => {
      bytes += chunk.length;
    },
    onExit: () => channel.release(),
  });
  await eventually(() => bytes > 0, `the ${kind} client is attached`);
  return {
    bytesRead: () => bytes,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await child.exited;
    },
  };
}

describe.skipIf(isSshdMissing)('a frozen ssh link', () => {
  it('neither stalls a program of 1 MB/s nor fills the remote tmux', async () => {
    await using sshd = await TestSshd.start();
    using tmux = privateTmux();
    const guardSession = tmux.newSession('guard');
    const record = join(tmux.folder, 'record');
    const busySession = tmux.newSession('busy', printerCommand(record));
    const printed = () => readPrinted(record);
    const serverPid = tmux.serverPid();

    await using host = await hostOn(sshd);
    const { socketPath } = tmux;
    const guardFlags = { socketPath, sessionId: guardSession, flags: 'no-output,ignore-size' };
    await using _guard = await attach(host, 'command', guardFlags);
    const tapFlags = { socketPath, sessionId: busySession, flags: 'ignore-size,pause-after=1' };
    await using tap = await attach(host, 'tap', tapFlags);
    await eventually(() => tap.bytesRead() > 1_000_000, 'the tap gets output');
    await eventually(() => printed().bytes > 2_000_000, 'the program prints');
    const before = { ...printed(), kb: residentKb(serverPid) };
    sshd.freeze();
    try {
      const end = before.bytes + FROZEN_BYTES;
      await eventually(() => printed().bytes > end, 'the program prints on', 40_000);
      expect(printed().longestGapMs).toBeLessThan(STALL_MS_MAX);
      expect(residentKb(serverPid) - before.kb).toBeLessThan(4_000);
    } finally {
      sshd.thaw();
    }
  }, 90_000);
});
