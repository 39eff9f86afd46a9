// `npm run picture`: makes docs/picture.svg. It runs the demo in a private tmux of a fixed size,
// as a person would, and draws what the terminal shows at a few moments. Needs a build and tmux.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isMain, root } from './script-entry.ts';
import { renderPicture } from './terminal-svg.ts';

const COLUMNS = 104;
const ROWS = 30;
/** When a screen is taken, in seconds after the demo shows. The first has most states to see. */
const MOMENTS: readonly number[] = [8.5, 12.5, 16.5, 20.5];
const SECONDS_EACH = 4;
const START_MS = 30_000;
const POLL_MS = 100;

/** What the demo's screen says as soon as its agents are known. */
const AGENTS_SHOWN = /Clean up the build/;

interface Terminal extends Disposable {
  readonly run: (...args: readonly string[]) => string;
}

/** A tmux server of our own whose only session runs the demo. */
function openTerminal(): Terminal {
  const folder = mkdtempSync(join(tmpdir(), 'agtmux-picture-'));
  const socket = join(folder, 'tmux.sock');
  const env = { ...process.env, HOME: folder, LC_ALL: 'C.UTF-8', COLORTERM: 'truecolor' };
  const run = (...args: readonly string[]): string =>
    execFileSync('tmux', ['-u', '-S', socket, '-f', '/dev/null', ...args], {
      encoding: 'utf8',
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  run(
    ...['new-session', '-d', '-s', 'picture', '-x', String(COLUMNS), '-y', String(ROWS)],
    ...[process.execPath, join(root, 'bin', 'agtmux.js'), 'demo'],
    ...[';', 'set-option', '-g', 'status', 'off'],
  );
  return {
    run,
    [Symbol.dispose]() {
      try {
        run('kill-server');
      } catch {
        // It ended with its only session.
      }
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function waitFor(check: () => boolean, what: string): Promise<void> {
  const deadlineMs = performance.now() + START_MS;
  while (!check()) {
    if (performance.now() > deadlineMs) throw new Error(`did not happen: ${what}`);
    await pause(POLL_MS);
  }
}

async function takeScreens(): Promise<readonly string[]> {
  using terminal = openTerminal();
  const screen = (): string => terminal.run('capture-pane', '-e', '-p', '-t', 'picture:');
  await waitFor(() => AGENTS_SHOWN.test(screen()), 'the demo shows its agents');
  const beganMs = performance.now();
  const screens: string[] = [];
  for (const moment of MOMENTS) {
    await pause(Math.max(0, beganMs + moment * 1_000 - performance.now()));
    screens.push(screen());
  }
  terminal.run('send-keys', '-t', 'picture:', 'q');
  await waitFor(() => hasEnded(terminal), 'the demo ends by q');
  return screens;
}

function hasEnded({ run }: Terminal): boolean {
  try {
    run('has-session');
    return false;
  } catch {
    return true;
  }
}

async function main(): Promise<void> {
  const screens = await takeScreens();
  const title = 'agtmux';
  const picture = { title, columns: COLUMNS, rows: ROWS, screens, secondsEach: SECONDS_EACH };
  writeFileSync(join(root, 'docs', 'picture.svg'), renderPicture(picture));
}

if (isMain(import.meta.url)) await main();
