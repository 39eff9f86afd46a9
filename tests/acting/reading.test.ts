// Commands that show an agent without touching it: view-output, attach --print, next, wait.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { ActingLab } from './acting-lab.ts';

let lab: ActingLab;
let ref = '';
beforeAll(async () => {
  lab = await ActingLab.open();
  ref = lab.openShell('reading');
  lab.live.tmux.run('send-keys', '-t', ref, 'seq 1 100', 'Enter');
  await lab.startAgent(ref);
}, 60_000);
afterAll(() => lab[Symbol.asyncDispose]());

it('view-output prints the last lines, with those that have scrolled off', async () => {
  const few = await lab.live.cli('view-output', ref, '--lines', '3');
  expect(few.out.trimEnd().split('\n')).toHaveLength(3);
  const many = await lab.live.cli('view-output', ref, '--lines', '200');
  expect(many.out).toContain('\n42\n');
  expect(many.out).toContain('? for shortcuts');
  expect(many.out).not.toContain('\u001b');
});

it('attach --print prints a command that attaches to the very pane', async () => {
  const { code, out } = await lab.live.cli('attach', ref, '--print');
  expect(code).toBe(0);
  expect(out).toContain('attach-session');
  expect(out).toContain(ref);
});

it('next says that nobody waits, then names the agent that asks', async () => {
  const nobody = await lab.live.cli('next', '--print');
  expect(nobody).toMatchObject({ code: 1, err: expect.stringContaining('Nobody waits') });
  await lab.client.call('send', { ref, text: 'ask' });
  await lab.untilState(ref, ['waiting_approval']);
  const { code, out } = await lab.live.cli('next', '--print');
  expect(code).toBe(0);
  expect(out).toContain(ref);
});

it('wait has an exit code for its time and for the end of the agent', async () => {
  const late = await lab.live.cli('wait', ref, '--for', 'error', '--timeout', '10ms');
  expect(late.code).toBe(124);
  const waiting = lab.live.cli('wait', ref, '--for', 'error', '--timeout', '30s');
  await lab.client.call('kill', { ref, signal: 'KILL' });
  expect((await waiting).code).toBe(4);
});
