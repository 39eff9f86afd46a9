// Taps on real panes: signals in pieces, titles, bells, pauses, ends, and more than can be read.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TapReport } from '../../src/tmux/taps/tap-report.ts';
import { Taps } from '../../src/tmux/taps.ts';
import { eventually, isTmuxMissing, type PrivateTmux, privateTmux } from './tmux-server.ts';
import { wantedTap } from './wanted-tap.ts';

describe.skipIf(isTmuxMissing)('taps', () => {
  let tmux: PrivateTmux;
  let taps: Taps;
  let reports: TapReport[];

  beforeEach(() => {
    tmux = privateTmux();
    reports = [];
    taps = new Taps({ onReport: (report) => reports.push(report) });
  });

  afterEach(async () => {
    await taps[Symbol.asyncDispose]();
    tmux[Symbol.dispose]();
  });

  const controlClients = (): string[] =>
    tmux
      .run('list-clients', '-F', '#{client_control_mode} #{session_id} #{client_flags}')
      .split('\n')
      .filter((line) => line.startsWith('1'));

  const tap = async (...sessionIds: string[]): Promise<void> => {
    taps.set(await Promise.all(sessionIds.map((each) => wantedTap(tmux.socketPath, each))));
    await eventually(() => controlClients().length === sessionIds.length, 'the taps are open');
  };

  /** A pane that prints the bytes one by one when a line is typed into it. */
  const printer = (name: string, bytes: string): string => {
    const file = join(tmux.folder, `${name}.sh`);
    const octal = [...Buffer.from(bytes)].map((byte) => `\\0${byte.toString(8)}`);
    const lines = octal.map((byte) => `printf '%b' '${byte}'`);
    writeFileSync(file, ['stty -echo', 'read x', ...lines, 'exec cat'].join('\n'));
    return tmux.newSession(name, `sh ${file}`);
  };

  test('find signals that two panes write byte by byte at the same time', async () => {
    const first = printer('one', '\u001b]3008;state=running\u001b\\\u0007');
    const second = printer(
      'two',
      '\u001b]7501;state=blocked:app=codex\u0007\u001b]2;new title\u0007',
    );
    await tap(first, second);
    tmux.run(
      'send-keys',
      '-t',
      '=one:',
      'go',
      'Enter',
      ';',
      'send-keys',
      '-t',
      '=two:',
      'go',
      'Enter',
    );
    await eventually(() => reports.flatMap(({ osc }) => osc).length === 2, 'both are reported');
    await eventually(() => reports.some(({ titled }) => titled.includes('%1')), 'the title');
    await eventually(() => reports.some(({ bells }) => bells.includes('%0')), 'the bell');
    const found = reports.flatMap(({ osc }) => osc);
    expect(found).toContainEqual(
      expect.objectContaining({ paneId: '%0', number: 3008, text: 'state=running' }),
    );
    expect(found).toContainEqual(
      expect.objectContaining({ paneId: '%1', number: 7501, text: 'state=blocked:app=codex' }),
    );
    expect(reports.flatMap(({ bells }) => bells)).not.toContain('%1');
    expect(reports.every(({ server }) => server === tmux.socketPath)).toBe(true);
  });

  test('report mere output, merged', async () => {
    const id = tmux.newSession('steady', 'while sleep 0.005; do echo x; done');
    await tap(id);
    await eventually(() => reports.length > 5, 'reports come');
    const reportCount = reports.length;
    const startedAt = performance.now();
    await eventually(() => reports.length >= reportCount + 5, 'more reports come');
    expect(performance.now() - startedAt).toBeGreaterThan(150);
    const [first, ...others] = reports.map(({ changed }) => changed.join());
    // The first may tell only that the tap is open.
    expect(['', '%0']).toContain(first);
    expect(new Set(others)).toEqual(new Set(['%0']));
  });

  test('a pane that was paused goes on and is reported as a gap', async () => {
    const id = tmux.newSession('quiet', 'cat');
    await tap(id);
    const client = tmux.run('list-clients', '-F', '#{client_name}');
    tmux.run('refresh-client', '-t', client, '-A', '%0:pause');
    await eventually(() => reports.some(({ gaps }) => gaps.includes('%0')), 'the gap is reported');
    reports.length = 0;
    await eventually(() => {
      tmux.run('send-keys', '-t', '=quiet:', 'x', 'Enter');
      return reports.some(({ changed }) => changed.includes('%0'));
    }, 'output comes again');
  });

  test('report a session as ended only when it is, and open again only on request', async () => {
    const id = tmux.newSession('one');
    tmux.newSession('two');
    await tap(id);
    const sizes = tmux.run('list-windows', '-a', '-F', '#{window_width}x#{window_height}');
    expect(sizes).toBe('80x24\n80x24');
    tmux.run('detach-client', '-s', id);
    await eventually(() => reports.some(({ closed }) => closed.includes(id)), 'it is reported');
    expect(controlClients()).toEqual([]);
    await tap(id);
    expect(controlClients()[0]).toContain('pause-after=1');
  });

  test('a tap that tmux moves to another session ends', async () => {
    const id = tmux.newSession('one');
    tmux.newSession('two');
    tmux.run('set-option', '-g', 'detach-on-destroy', 'off');
    await tap(id);
    tmux.run('kill-session', '-t', id);
    await eventually(() => reports.some(({ closed }) => closed.includes(id)), 'it is reported');
    await eventually(() => controlClients().length === 0, 'it is gone');
  });

  test('ends every tap that is no longer wanted at once and reports none as lost', async () => {
    await tap(tmux.newSession('one'), tmux.newSession('two'));
    await taps.set([]);
    expect(controlClients()).toEqual([]);
    expect(reports.flatMap(({ closed }) => closed)).toEqual([]);
  });

  test('a pane that prints signals without end leaves time for everything else', async () => {
    let oscCount = 0;
    taps = new Taps({
      onReport: ({ osc }) => {
        oscCount += osc.length;
        // What a commit may take; the next report waits by then.
        const endMs = performance.now() + 15;
        while (performance.now() < endMs);
      },
    });
    const file = join(tmux.folder, 'flood.sh');
    const signal = '\\033]3008;state=running\\033\\\\\\033]3008;state=idle\\033\\\\';
    writeFileSync(file, `while :; do printf '${signal}'; done`);
    await tap(tmux.newSession('flood', `sh ${file}`));
    await eventually(() => oscCount > 0, 'signals come');
    oscCount = 0;
    let tickCount = 0;
    const ticker = setInterval(() => {
      tickCount += 1;
    }, 5);
    const startedAt = performance.now();
    await eventually(() => tickCount > 60 && oscCount > 3, 'both go on');
    clearInterval(ticker);
    const seconds = (performance.now() - startedAt) / 1_000;
    expect(oscCount).toBeLessThanOrEqual(16 + 5 * seconds);
  });

  test('a session that does not exist is reported as closed', async () => {
    tmux.newSession('one');
    taps.set([await wantedTap(tmux.socketPath, '$77')]);
    await eventually(() => reports.some(({ closed }) => closed.includes('$77')), 'it is reported');
  });

  test('pause a pane that paints the same in masses without stalling it, and resume', async () => {
    const [progress, signal] = [join(tmux.folder, 'progress'), join(tmux.folder, 'signal')];
    const file = join(tmux.folder, 'painter.sh');
    // Some 250 kB a second: a flood would be cut at random, and dropped where a machine is slow.
    const words = 'Working on it. '.repeat(200);
    const line = `printf '\r%s %s%s' "$n" "${words}" "$news"`;
    const steps = `n=$((n + 1)); [ -e ${signal} ] && news=other; ${line}; echo $n >${progress}`;
    writeFileSync(file, `n=0 news=\nwhile sleep 0.01; do ${steps}; done\n`);
    await tap(tmux.newSession('painter', `sh ${file}`));
    const isLookedAt = ({ gaps, news }: TapReport): boolean =>
      gaps.includes('%0') && !news.includes('%0');
    await eventually(
      () => reports.filter(isLookedAt).length > 2,
      'it is looked at instead',
      20_000,
    );
    const painted = Number(readFileSync(progress, 'utf8'));
    const goesOn = (): boolean => Number(readFileSync(progress, 'utf8')) > painted + 100;
    await eventually(goesOn, 'it paints on', 20_000);
    reports.length = 0;
    writeFileSync(signal, '');
    await eventually(() => reports.some(({ news }) => news.includes('%0')), 'its news', 20_000);
  });
});
