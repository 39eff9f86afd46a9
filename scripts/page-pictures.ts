// `npm run pictures`: makes the pictures under docs/pictures. Plays the demo on its private tmux,
// attaches a terminal of a fixed size to it as a person would, and draws what the terminal shows.
// The animated picture of the live view is picture.ts. Needs a build and tmux.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { SHELL_SESSION } from '../src/demo/cast.ts';
import { type DemoStage, runDemo } from '../src/demo/run-demo.ts';
import { isMain, root } from './script-entry.ts';
import { renderPicture } from './terminal-svg.ts';

const WAIT_MS = 30_000;
const POLL_MS = 100;
const program: readonly string[] = [process.execPath, join(root, 'bin', 'agtmux.js')];
const folder = join(root, 'docs', 'pictures');

interface Shot {
  readonly name: string;
  readonly title: string;
  readonly columns: number;
  readonly rows: number;
  /** What the terminal runs. */
  readonly command: string;
  /** The screen is taken once it shows this. */
  readonly ready: RegExp;
}

const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Opens a terminal of the shot's size, waits until it shows what it should, and draws it. */
async function take(shot: Shot, env: Readonly<Record<string, string>>): Promise<void> {
  const { name, title, columns, rows, command, ready } = shot;
  const home = mkdtempSync(join(tmpdir(), 'agtmux-pictures-'));
  const tmux = (...args: readonly string[]): string =>
    execFileSync('tmux', ['-u', '-S', join(home, 'tmux.sock'), '-f', '/dev/null', ...args], {
      encoding: 'utf8',
      env: { ...env, COLORTERM: 'truecolor', LC_ALL: 'C.UTF-8' },
    });
  try {
    const size = ['-x', String(columns), '-y', String(rows)];
    const options = ['set-option', '-g', 'status', 'off'];
    tmux('start-server', ';', ...options, ';', 'new-session', '-d', ...size, command);
    const deadlineMs = performance.now() + WAIT_MS;
    let screen = '';
    while (!ready.test(screen)) {
      if (performance.now() > deadlineMs)
        throw new Error(`${name} never showed ${ready}:\n${screen}`);
      await pause(POLL_MS);
      screen = tmux('capture-pane', '-e', '-p');
    }
    // One more redraw: the clock of a bar and the last line of a page come together.
    await pause(POLL_MS);
    screen = tmux('capture-pane', '-e', '-p');
    const filled = Math.max(
      ...screen.split('\n').flatMap((line, row) => (line === '' ? [] : [row + 1])),
    );
    const picture = { title, columns, rows: filled, screens: [screen], secondsEach: 1 };
    writeFileSync(join(folder, `${name}.svg`), renderPicture(picture));
  } finally {
    try {
      tmux('kill-server');
    } catch {
      // It ended with its only session.
    }
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function show({ env }: DemoStage): Promise<number> {
  const socket = env['AGTMUX_TMUX_SOCKET_PATH'] ?? '';
  const agtmux = join(env['HOME'] ?? '', 'agtmux');
  writeFileSync(agtmux, `#!/bin/sh\nexec ${program.map(shellWord).join(' ')} "$@"\n`, {
    mode: 0o755,
  });
  const inner = { ...env, TMUX: `${socket},0,0`, PATH: `${env['HOME']}:${env['PATH']}` };
  execFileSync(join(root, 'agtmux.tmux'), { env: inner });
  mkdirSync(folder, { recursive: true });
  await take(
    {
      name: 'status-line',
      title: 'tmux, stock configuration',
      columns: 104,
      rows: 5,
      command: `TMUX= exec tmux -u -S ${shellWord(socket)} attach -t ${SHELL_SESSION}`,
      ready: /\d!.*\d>.*\d\d:\d\d \d\d-/,
    },
    inner,
  );
  await take(
    {
      name: 'explain',
      title: 'agtmux explain',
      columns: 104,
      rows: 34,
      // It stays open, as a shell would.
      command: `${shellWord(agtmux)} explain shop-api:0.0 --events 3; exec cat`,
      ready: /Events.*apply/s,
    },
    inner,
  );
  return 0;
}

if (isMain(import.meta.url)) {
  const { signal } = new AbortController();
  process.exitCode = await runDemo({ env: process.env, program, signal, show });
}
