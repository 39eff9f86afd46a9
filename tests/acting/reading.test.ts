// Commands that show an agent without touching it: view-output, attach --print, next, wait.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { builtProgram } from '../built-program.ts';
import { eventually } from '../live/tmux-server.ts';
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

it('wait has an exit code for its time, and one where no agent is left', async () => {
  const late = await lab.live.cli('wait', ref, '--for', 'error', '--timeout', '10ms');
  expect(late.code).toBe(124);
  const none = await lab.live.cli('wait', '--agent', 'codex', '--idle', '--timeout', '30s');
  expect(none.code).toBe(4);
});

it('a mark that moves in the pane leaves the request under its id and its age', async () => {
  const marked = lab.openShell('marked');
  await lab.startAgent(marked);
  await lab.client.call('send', { ref: marked, text: 'ask' });
  await lab.untilState(marked, ['waiting_approval']);
  const request = async () => (await lab.client.call('list_requests', { ref: marked })).requests[0];
  const { request_id, since } = (await request()) ?? {};
  const isMoved = async () => (await request())?.detail?.options?.[1]?.selected === true;
  lab.tmux.run('send-keys', '-t', marked, 'Down');
  await eventually(isMoved, 'the mark has moved', 30_000);
  expect(await request()).toMatchObject({ request_id, since });
  lab.tmux.run('kill-session', '-t', marked);
});

it('answer alone walks through what is asked, in a terminal', async () => {
  await lab.client.call('choose', { ref, choice: { role: 'deny' } });
  const asking = lab.openShell('walk');
  await lab.startAgent(asking);
  await lab.client.call('send', { ref: asking, text: 'ask' });
  await lab.untilState(asking, ['waiting_approval']);
  await eventually(
    async () => (await lab.client.call('list_requests', {})).requests.length === 1,
    'the answered request is gone',
    30_000,
  );
  const person = lab.openShell('person');
  const words = [process.execPath, ...builtProgram, 'answer'];
  const settings = Object.entries(lab.live.env).map(([name, value]) => `${name}='${value}'`);
  const line = ['env', ...settings, ...words.map((word) => `'${word}'`)].join(' ');
  lab.live.tmux.run('send-keys', '-t', person, '-l', line);
  lab.live.tmux.run('send-keys', '-t', person, 'Enter');
  await eventually(() => lab.screen(person).includes('Answer:'), 'the question', 30_000);
  expect(lab.screen(person)).toContain('Do you want to proceed?');
  lab.live.tmux.run('send-keys', '-t', person, '3', 'Enter');
  await eventually(() => lab.screen(person).includes('Nothing more is asked'), 'its end', 30_000);
  expect(lab.received().at(-1)?.chosen).toBe('No');
});

it('the live view answers a dialog with s and the number of an option', async () => {
  const asking = lab.openShell('viewed');
  await lab.startAgent(asking);
  await lab.client.call('send', { ref: asking, text: 'ask' });
  await lab.untilState(asking, ['waiting_approval']);
  const person = lab.openShell('viewer');
  const words = [process.execPath, ...builtProgram, 'tui'];
  const settings = Object.entries(lab.live.env).map(([name, value]) => `${name}='${value}'`);
  const line = ['env', ...settings, ...words.map((word) => `'${word}'`)].join(' ');
  lab.live.tmux.run('send-keys', '-t', person, '-l', line);
  lab.live.tmux.run('send-keys', '-t', person, 'Enter');
  await eventually(() => lab.screen(person).includes('Do you want to'), 'the view', 30_000);
  lab.live.tmux.run('send-keys', '-t', person, 's');
  await eventually(() => lab.screen(person).includes('Answer:'), 'the line', 30_000);
  lab.live.tmux.run('send-keys', '-t', person, '3', 'Enter');
  await eventually(() => lab.screen(person).includes('delivered'), 'the answer', 30_000);
  expect(lab.received().at(-1)?.chosen).toBe('No');
  lab.live.tmux.run('send-keys', '-t', person, 'q');
});
