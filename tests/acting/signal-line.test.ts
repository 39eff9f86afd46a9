// The line that signals processes on another machine, run by a shell as tmux runs it.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { signalLine } from '../../src/daemon/acting/kill-agent.ts';

it('the line signals those that live, and neither prints nor fails for the others', async () => {
  const gone = spawnSync('true').pid;
  const living = spawn('sleep', ['1000'], { stdio: 'ignore' });
  const ended = once(living, 'exit');
  const line = signalLine([gone, living.pid ?? 0, gone], 'TERM');
  const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', line], { encoding: 'utf8' });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
  expect(await ended).toEqual([null, 'SIGTERM']);
});
