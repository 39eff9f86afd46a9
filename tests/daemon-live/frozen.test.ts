// Watching never freezes the watched, by the whole daemon: stopped with all its threads while
// tapped agents print a megabyte a second, no program stalls, tmux stays small, and afterwards what
// is published is the truth, or that it is not known.

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isLong } from '../length.ts';
import {
  type Printed,
  printerCommand,
  readPrinted,
  residentKb,
  STALL_MS_MAX,
} from '../live/printer.ts';
import { eventually, isTmuxMissing } from '../live/tmux-server.ts';
import { fakeAgent, type LivePane } from './live-agents.ts';
import { LiveDaemon, Subscriber } from './live-daemon.ts';

/** Printed while the daemon is stopped: a freeze shows after 3 to 5 s. */
const STOPPED_BYTES = isLong ? 60_000_000 : 6_000_000;
const GROWTH_KB_MAX = 30_000;

interface Printer {
  readonly pane: LivePane;
  readonly printed: () => Printed;
}

/** An agent, by its process, whose child prints a megabyte a second into the pane. */
async function printerIn(live: LiveDaemon, session: string): Promise<Printer> {
  const record = join(live.folder, `${session}.record`);
  const pane = fakeAgent(live.tmux, 'claude', session);
  pane.type(`run ${printerCommand(record)} &`);
  const printed = () => readPrinted(record);
  await eventually(() => printed().bytes > 0, 'it prints');
  return { pane, printed };
}

const tapsOf = (live: LiveDaemon): number =>
  live.tmux
    .run('list-clients', '-F', '#{client_control_mode} #{client_flags}')
    .split('\n')
    .filter((line) => line.startsWith('1 ') && !line.includes('no-output')).length;

describe.skipIf(isTmuxMissing || process.platform !== 'linux')('a stopped daemon', () => {
  test.each([
    { what: 'that keeps its session', kills: 'nothing' },
    { what: 'whose own session is killed meanwhile', kills: 'the session of the guard' },
  ] as const)(
    '$what stalls no program and does not fill tmux',
    async ({ kills }) => {
      await using live = new LiveDaemon({ attach: 'always' });
      const guard = live.tmux.newSession('guard');
      const quiet = fakeAgent(live.tmux, 'codex', 'quiet');
      quiet.show('codex/103-running');
      const printers = [await printerIn(live, 'busy-1'), await printerIn(live, 'busy-2')];
      const pid = await live.start();
      using subscriber = new Subscriber(await live.client(120_000));
      await subscriber.state(quiet.paneId, 'running');
      for (const { pane } of printers) {
        await subscriber.until(pane.paneId, ({ agent }) => agent === 'claude', 'an agent prints');
      }
      await eventually(() => tapsOf(live) === 3, 'every session with an agent is tapped');
      // The history of the panes fills first, which is no growth of ours.
      await eventually(() => printers.every(({ printed }) => printed().bytes > 2_000_000), 'warm');
      const serverPid = live.tmux.serverPid();
      const beforeKb = residentKb(serverPid);
      const before = printers.map(({ printed }) => printed().bytes);
      const stateCount = subscriber.states.length;
      try {
        process.kill(pid, 'SIGSTOP');
        if (kills !== 'nothing') live.tmux.run('kill-session', '-t', guard);
        quiet.show('codex/110-waiting_approval');
        await eventually(
          () =>
            printers.every(({ printed }, n) => printed().bytes > STOPPED_BYTES + (before[n] ?? 0)),
          'the programs print on',
          STOPPED_BYTES / 100,
        );
        expect(residentKb(serverPid) - beforeKb).toBeLessThan(GROWTH_KB_MAX);
      } finally {
        process.kill(pid, 'SIGCONT');
      }
      await subscriber.state(quiet.paneId, 'waiting_approval');
      await eventually(() => tapsOf(live) === 3, 'tapped again');
      for (const { printed } of printers) expect(printed().longestGapMs).toBeLessThan(STALL_MS_MAX);
      const since = subscriber.states
        .slice(stateCount)
        .filter(({ paneId }) => paneId === quiet.paneId);
      for (const { state } of since) expect(state).toMatch(/^(unknown\/|waiting_)/);
      // A nap of less than ten seconds loses nothing that would not be read again.
      if (isLong) expect(since[0]?.state).toMatch(/^unknown\//);
      expect(residentKb(serverPid) - beforeKb).toBeLessThan(GROWTH_KB_MAX);
    },
    isLong ? 400_000 : 60_000,
  );

  test('that runs on stalls nobody when the session of its guard is killed', async () => {
    await using live = new LiveDaemon({ attach: 'always' });
    for (const name of ['guard-1', 'guard-2', 'guard-3']) live.tmux.newSession(name);
    const printer = await printerIn(live, 'busy');
    await live.start();
    using subscriber = new Subscriber(await live.client());
    await subscriber.until(printer.pane.paneId, ({ agent }) => agent === 'claude', 'an agent');
    await eventually(() => tapsOf(live) === 1, 'tapped');
    const guardSession = (): string =>
      live.tmux
        .run('list-clients', '-F', '#{client_flags} #{session_name}')
        .split('\n')
        .find((line) => line.includes('no-output'))
        ?.split(' ')[1] ?? '';
    for (const name of ['guard-1', 'guard-2']) {
      await eventually(() => guardSession() === name, `the guard is in ${name}`);
      live.tmux.run('kill-session', '-t', `=${name}`);
      const { bytes } = printer.printed();
      await eventually(() => printer.printed().bytes > bytes + 2_000_000, 'it prints on');
      await eventually(() => tapsOf(live) === 1, 'tapped again');
    }
    expect(printer.printed().longestGapMs).toBeLessThan(STALL_MS_MAX);
  });

  test('that is killed stalls nobody and leaves no client of ours behind', async () => {
    await using live = new LiveDaemon({ attach: 'always' });
    const printers: Awaited<ReturnType<typeof printerIn>>[] = [];
    for (const name of ['busy-1', 'busy-2', 'busy-3']) printers.push(await printerIn(live, name));
    const pid = await live.start();
    await eventually(() => tapsOf(live) === 3, 'tapped');
    const before = printers.map(({ printed }) => printed().bytes);
    await live.kill(pid, 'SIGKILL');
    await eventually(
      () => printers.every(({ printed }, n) => printed().bytes > 2_000_000 + (before[n] ?? 0)),
      'the programs print on',
    );
    for (const { printed } of printers) expect(printed().longestGapMs).toBeLessThan(STALL_MS_MAX);
    await eventually(() => live.processes().length === 0, 'no process of ours is left', 5_000);
    const serverPid = live.tmux.serverPid();
    live.tmux.killServer();
    await live.ended(serverPid);
  });
});
