// Programs in the place of tmux that talk as no tmux does, as a broken or hostile host would send
// it: what they fill is bounded, and others go on.

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterEach, expect, test } from 'vitest';
import type { Fault } from '../../src/platform/fault.ts';
import type { LaunchSpec } from '../../src/platform/process/launch.ts';
import { ControlClient } from '../../src/tmux/client.ts';
import { type Host, localHost } from '../../src/tmux/host.ts';
import type { TapReport } from '../../src/tmux/taps/tap-report.ts';
import { Taps, type WantedTap } from '../../src/tmux/taps.ts';
import { eventually } from './tmux-server.ts';

const MARKER = 'here-it-begins';
const script = (text: string, marker: string | null = null): LaunchSpec => ({
  command: 'sh',
  args: ['-c', marker === null ? text : `echo ${marker}; ${text}`],
  isTethered: true,
  input: '',
  marker,
});

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const BEGIN = '%%begin 1 2 1\\n';
const END = '%%end 1 2 1\\n';
/** So many bytes in one line. */
const line = (bytes: number): string => `head -c ${bytes} /dev/zero | tr '\\0' x; echo`;

test.each([
  ['many', `while :; do printf '${BEGIN}x\\n${END}'; done`],
  ['long', `while :; do printf '${BEGIN}'; ${line(3_000_000)}; printf '${END}'; done`],
  ['empty', `printf '${BEGIN}'; exec yes ''`],
])('replies without end that are %s end the connection', async (_name, flood) => {
  const launch = script(`printf '%%begin 1 1 0\\n%%end 1 1 0\\n'; read -r x; ${flood}`);
  const host: Host = { ...localHost, open: async () => ({ launch, release() {} }) };
  const closings: Fault[] = [];
  const client = await ControlClient.attach(
    {
      host,
      socketPath: '/nowhere',
      sessionId: '$0',
      onNotification() {},
      onClosed: (fault) => closings.push(fault),
    },
    { deadlineMs: 10_000 },
  );
  closing.push(() => client[Symbol.asyncDispose]());
  // As the waiting client does: its line has no deadline.
  const waiting = client.run([['wait-for', 'x']], { deadlineMs: null });
  await expect(waiting).rejects.toMatchObject({ code: 'protocol_desync' });
  expect(closings).toMatchObject([{ code: 'protocol_desync' }]);
});

function openTaps(): { readonly taps: Taps; readonly reports: TapReport[] } {
  const reports: TapReport[] = [];
  const taps = new Taps({ onReport: (report) => reports.push(report) });
  closing.push(() => taps[Symbol.asyncDispose]());
  return { taps, reports };
}

const tapOf = (server: string, launch: LaunchSpec): WantedTap => ({
  server,
  sessionId: '$0',
  launch,
});

test.each([
  ['sends a line without end', 'exec cat /dev/zero'],
  ['ends a reply that never began', `printf '${END}'; exec sleep 60`],
])('a tap that %s is ended and reported as closed', async (_name, text) => {
  const { taps, reports } = openTaps();
  taps.set([tapOf('odd', script(text))]);
  await eventually(() => reports.some(({ closed }) => closed.includes('$0')), 'it is reported');
});

test('the taps of other machines have a thread of their own', async () => {
  const workers: unknown[] = [];
  const onWorker = (message: unknown): number => workers.push(message);
  subscribe('worker_threads', onWorker);
  closing.push(async () => {
    unsubscribe('worker_threads', onWorker);
  });
  const { taps, reports } = openTaps();
  const prints = "printf '%%output %%1 x\\n'; exec sleep 60";
  const near = tapOf('near', script(prints));
  taps.set([near]);
  await eventually(() => reports.some(({ server }) => server === 'near'), 'the near one reports');
  expect(workers).toHaveLength(1);
  taps.set([near, tapOf('far', script(prints, MARKER))]);
  await eventually(() => reports.some(({ server }) => server === 'far'), 'the far one reports');
  expect(workers).toHaveLength(2);
});
