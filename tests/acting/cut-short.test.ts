// Actions that are cut short: the caller leaves, the daemon stops or is killed in the middle. What
// was typed has an outcome that its request_ref fetches, and nothing is typed a second time.

import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../live/tmux-server.ts';
import { ActingLab } from './acting-lab.ts';

const WAIT_MS = 30_000;

let lab: ActingLab;
let daemonPid = 0;
beforeAll(async () => {
  lab = await ActingLab.open();
  daemonPid = (await lab.client.call('daemon_info', {})).pid;
}, 60_000);
afterAll(() => lab[Symbol.asyncDispose]());

let sessionCount = 0;
async function openAgent() {
  sessionCount += 1;
  const paneId = lab.openShell(`agent-${sessionCount}`);
  const { pane_key: ref } = await lab.startAgent(paneId);
  return { paneId, ref };
}
const countOf = (text: string): number =>
  lab.received().filter(({ submitted }) => submitted === text).length;
const isTyped = (paneId: string, text: string) =>
  eventually(() => lab.screen(paneId).includes(text), 'the paste', WAIT_MS);
const reportOf = async (request_ref: string) => {
  const { actions } = await lab.client.call('list_actions', { request_ref });
  return actions[0];
};

it('a caller that leaves after the first key: the action ends with its outcome', async () => {
  const { paneId, ref } = await openAgent();
  const input = { ref, text: 'goes on alone', request_ref: 'left' };
  const leaver = await lab.live.client();
  const sending = leaver.call('send', input).catch(() => 'left');
  await isTyped(paneId, input.text);
  leaver.close();
  expect(await sending).toBe('left');
  expect(await lab.client.call('send', input)).toMatchObject({ result: 'delivered' });
  expect(await reportOf('left')).toMatchObject({ result: 'delivered' });
  expect(countOf(input.text)).toBe(1);
});

it('a caller that leaves before its turn: nothing is typed, and the trail says why', async () => {
  const { paneId, ref } = await openAgent();
  const first = lab.client.call('send', { ref, text: 'holds the pane' });
  const leaver = await lab.live.client();
  const input = { ref, text: 'never', force_stale: true, request_ref: 'too-late' };
  const sending = leaver.call('send', input).catch(() => 'left');
  await eventually(async () => (await reportOf('too-late')) !== undefined, 'its intent', WAIT_MS);
  leaver.close();
  await first;
  expect(await sending).toBe('left');
  const isRefused = async () => (await reportOf('too-late'))?.result === 'refused';
  await eventually(isRefused, 'its outcome', WAIT_MS);
  expect(await reportOf('too-late')).toMatchObject({ code: 'timeout' });
  await expect(lab.client.call('send', input)).rejects.toMatchObject({ code: 'timeout' });
  expect(lab.screen(paneId)).not.toContain('never');
});

it('the outcome can be fetched when the pane is gone', async () => {
  const { paneId } = await openAgent();
  const input = { ref: paneId, text: 'last words', request_ref: 'gone' };
  const report = await lab.client.call('send', input);
  lab.tmux.run('kill-pane', '-t', paneId);
  await eventually(async () => (await lab.pane(paneId)) === undefined, 'it is gone', WAIT_MS);
  const more = lab.client.call('send', { ref: paneId, text: 'more' });
  await expect(more).rejects.toMatchObject({ code: 'E_REF_NOT_FOUND' });
  expect(await lab.client.call('send', input)).toEqual(report);
  const conflict = { code: 'E_IDEMPOTENCY_CONFLICT' };
  const other = lab.client.call('send', { ...input, text: 'other words' });
  await expect(other).rejects.toMatchObject(conflict);
});

it('a daemon that is told to stop ends what it types, and stores the outcome', async () => {
  const { paneId, ref } = await openAgent();
  const input = { ref, text: 'before the stop', request_ref: 'stopped' };
  const sending = lab.client.call('send', input).catch(() => 'gone');
  await isTyped(paneId, input.text);
  await lab.live.kill(daemonPid, 'SIGTERM');
  await sending;
  const counted = countOf(input.text);
  daemonPid = await lab.start();
  const report = await reportOf('stopped');
  expect(report?.result).toBe(counted === 1 ? 'delivered' : 'unconfirmed');
  expect(report?.detail).not.toContain('the daemon ended');
  expect(await lab.client.call('send', input)).toMatchObject({ result: report?.result });
  expect(countOf(input.text)).toBe(counted);
});

it('a daemon that is killed leaves an outcome that nobody knows, and no text in tmux', async () => {
  const { paneId, ref } = await openAgent();
  const input = { ref, text: 'before the kill', request_ref: 'killed' };
  const sending = lab.client.call('send', input).catch(() => 'gone');
  await isTyped(paneId, input.text);
  await lab.live.kill(daemonPid, 'SIGKILL');
  expect(await sending).toBe('gone');
  const counted = countOf(input.text);
  daemonPid = await lab.start();
  expect(await reportOf('killed')).toMatchObject({ result: 'unconfirmed' });
  await lab.untilState(paneId, ['idle', 'completed']);
  const again = await lab.client.call('send', input);
  expect(again).toMatchObject({ result: 'unconfirmed' });
  expect(again.detail).toContain('the daemon ended before the outcome was known');
  await pause(500);
  expect(countOf(input.text)).toBe(counted);
  expect(lab.tmux.run('list-buffers')).toBe('');
});
