// Watching never freezes the watched: with the whole watcher stopped, a pane's program prints on
// and tmux's memory stays flat. Afterwards the watcher goes on where it was.

import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { eventually, isTmuxMissing, privateTmux } from './tmux-server.ts';

/** What the program prints while the watcher is stopped: a freeze shows after 3 to 5 s. */
const STOPPED_BYTES = 8_000_000;

const programOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

interface Printed {
  readonly bytes: number;
  readonly longestGapMs: number;
}

describe.skipIf(isTmuxMissing || process.platform !== 'linux')('a stopped watcher', () => {
  test.each([
    { what: 'with all its clients', killsGuard: false },
    { what: 'when the session of its guard is killed meanwhile', killsGuard: true },
  ])('neither stalls a program nor fills tmux, $what', async ({ killsGuard }) => {
    using tmux = privateTmux();
    const guardSession = tmux.newSession('guard');
    const record = join(tmux.folder, 'record');
    const node = `'${process.execPath}'`;
    const printer = `'${programOf('../fixtures/tmux/printer.mjs')}'`;
    const sessionId = tmux.newSession('busy', `exec ${node} ${printer} '${record}'`);
    const printed = (): Printed =>
      existsSync(record) ? JSON.parse(readFileSync(record, 'utf8')) : { bytes: 0, longestGapMs: 0 };
    const serverPid = tmux.serverPid();
    const residentKb = (): number =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${serverPid}/status`, 'utf8'))?.[1]);

    const args = [programOf('./tmux-watcher.ts'), tmux.socketPath, sessionId];
    const watcher = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    const watcherPid = watcher.pid ?? 0;
    const exited = new Promise((resolve) => watcher.once('exit', resolve));
    let said = '';
    watcher.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    try {
      await eventually(() => said.includes('doorbell'), 'guard and doorbell are there');
      await eventually(() => said.split('changed').length > 20, 'the tap hears output');
      // The history of the pane fills first, which is no growth of ours.
      await eventually(() => printed().bytes > 2_000_000, 'the program prints');
      const before = { ...printed(), kb: residentKb() };
      process.kill(watcherPid, 'SIGSTOP');
      if (killsGuard) tmux.run('kill-session', '-t', guardSession);
      await eventually(
        () => printed().bytes > before.bytes + STOPPED_BYTES,
        'the program prints on while the watcher is stopped',
        25_000,
      );
      expect(printed().longestGapMs).toBeLessThan(2_000);
      expect(residentKb() - before.kb).toBeLessThan(4_000);
      said = '';
      process.kill(watcherPid, 'SIGCONT');
      const news = killsGuard ? 'lost' : 'gap';
      await eventually(() => said.includes(news), `the watcher tells: ${news}`);
      said = '';
      await eventually(() => said.includes('changed'), 'output is heard again');
      expect(printed().longestGapMs).toBeLessThan(2_000);
    } finally {
      process.kill(watcherPid, 'SIGCONT');
      watcher.stdin.end();
      await exited;
    }
  });
});
