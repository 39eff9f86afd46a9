// Watching never freezes the watched: with the whole watcher stopped, a pane's program prints on
// and tmux's memory stays flat. Afterwards the watcher goes on where it was.

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { printerCommand, readPrinted, residentKb, STALL_MS_MAX } from './printer.ts';
import { eventually, isTmuxMissing, privateTmux } from './tmux-server.ts';

/** What the program prints while the watcher is stopped: a freeze shows after 3 to 5 s. */
const STOPPED_BYTES = 6_000_000;

const programOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

describe.skipIf(isTmuxMissing || process.platform !== 'linux')('a stopped watcher', () => {
  test.each([
    { what: 'with all its clients', killsGuard: false },
    { what: 'when the session of its guard is killed meanwhile', killsGuard: true },
  ])('neither stalls a program nor fills tmux, $what', async ({ killsGuard }) => {
    using tmux = privateTmux();
    const guardSession = tmux.newSession('guard');
    const record = join(tmux.folder, 'record');
    const sessionId = tmux.newSession('busy', printerCommand(record));
    const printed = () => readPrinted(record);
    const serverPid = tmux.serverPid();

    const args = [programOf('./tmux-watcher.ts'), tmux.socketPath, sessionId];
    const watcher = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    const watcherPid = watcher.pid ?? 0;
    const exited = new Promise((resolve) => watcher.once('exit', resolve));
    let output = '';
    watcher.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    try {
      await eventually(() => output.includes('doorbell'), 'guard and doorbell are there');
      await eventually(() => output.split('changed').length > 20, 'the tap gets output');
      // The history of the pane fills first, which is no growth of ours.
      await eventually(() => printed().bytes > 2_000_000, 'the program prints');
      const before = { ...printed(), kb: residentKb(serverPid) };
      process.kill(watcherPid, 'SIGSTOP');
      if (killsGuard) tmux.run('kill-session', '-t', guardSession);
      await eventually(
        () => printed().bytes > before.bytes + STOPPED_BYTES,
        'the program prints on while the watcher is stopped',
        40_000,
      );
      expect(printed().longestGapMs).toBeLessThan(STALL_MS_MAX);
      expect(residentKb(serverPid) - before.kb).toBeLessThan(4_000);
      output = '';
      process.kill(watcherPid, 'SIGCONT');
      const news = killsGuard ? 'lost' : 'gap';
      await eventually(() => output.includes(news), `the watcher reports: ${news}`);
      output = '';
      await eventually(() => output.includes('changed'), 'output comes again');
      expect(printed().longestGapMs).toBeLessThan(STALL_MS_MAX);
    } finally {
      process.kill(watcherPid, 'SIGCONT');
      watcher.stdin.end();
      await exited;
    }
  });
});
