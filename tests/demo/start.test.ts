// `npm start` as a person runs it in a terminal: to the demo where no agent runs, to the agents
// where there are some. Needs what the suite has built already.

import { chmodSync, copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runChild } from '../../scripts/run-child.mjs';
import { root } from '../../scripts/script-entry.ts';
import { eventually, isTmuxMissing, type PrivateTmux, privateTmux } from '../live/tmux-server.ts';
import { DemoRun } from './demo-run.ts';

const SHOW_MS = 60_000;

let run: DemoRun;
let tmux: PrivateTmux;

beforeEach(() => {
  run = new DemoRun();
  tmux = privateTmux();
  // A person's own tmux is the one that the pane is in; it is watched.
  run.env['AGTMUX_TMUX_SOCKET_PATH'] = tmux.socketPath;
});

afterEach(async () => {
  const agtmux = join(root, 'bin', 'agtmux.js');
  await runChild(process.execPath, [agtmux, 'daemon', 'stop'], { env: run.env, capture: true });
  tmux[Symbol.dispose]();
  await run[Symbol.asyncDispose]();
});

function start(): () => string {
  const env = Object.entries(run.env).map(([name, value]) => `${name}=${value}`);
  const command = ['env', '-i', ...env, process.execPath, join(root, 'scripts', 'start.mjs')];
  const shell = ['sh', '-c', '"$@"; echo "ended with $?"; exec cat', 'sh'];
  const size = ['-x', '100', '-y', '30'];
  tmux.run('new-session', '-d', '-s', 'person', ...size, ...shell, ...command);
  return () => tmux.run('capture-pane', '-p', '-t', '=person:');
}

/** Waits until the screen shows it; a failure shows the screen. */
const shows = (screen: () => string, pattern: RegExp): Promise<true> =>
  eventually(() => pattern.test(screen()), String(pattern), SHOW_MS).catch((error: unknown) => {
    throw new Error(`${String(error)} on\n${screen()}`);
  });

describe.skipIf(isTmuxMissing)('npm start at a terminal', { timeout: 180_000 }, () => {
  it('ends in the demo where no agent runs, and q leads back', async () => {
    const screen = start();
    await shows(screen, /8 agents in 9 panes/);
    tmux.run('send-keys', '-t', '=person:', 'q');
    await shows(screen, /ended with 0/);
    expect(screen()).toContain('no agent runs here yet: starting a demo with made-up agents');
  });

  it('shows the agents where there are some', async () => {
    const program = join(run.folder, 'bin', 'claude');
    mkdirSync(join(run.folder, 'bin'));
    copyFileSync('/bin/sh', program);
    chmodSync(program, 0o755);
    tmux.run('new-session', '-d', '-s', 'work', program, '-c', 'read -r line');
    const screen = start();
    await shows(screen, /1 agents? in 2 panes/);
    tmux.run('send-keys', '-t', '=person:', 'q');
    await shows(screen, /ended with 0/);
    expect(screen()).not.toContain('demo');
  });
});
