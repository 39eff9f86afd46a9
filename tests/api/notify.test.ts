// Notifications as clients ask for them, through the client and the socket: switching, muting, the
// log, tests of channels, and a terminal that waits for the next one.

import { describe, expect, it } from 'vitest';
import type { PaneSource } from '../../src/notify/policy/pane-needs.ts';
import { id, type RequestId } from '../../src/schema/ids.ts';
import type { PaneRow } from '../../src/schema/pane.ts';
import { paneFacts } from '../scenario.ts';
import { Inside } from './fixture.ts';

/** A pane of an agent that asks for an approval; without a request, one that is at work. */
function pane(requestId: string | null, agent = 'claude'): PaneSource {
  const request = {
    requestId: id<RequestId>(requestId ?? ''),
    kind: 'approval' as const,
    sinceMs: 1,
    seen: false,
    detail: { kind: 'approval' as const, command: 'rm -r build' },
  };
  const requests = requestId === null ? [] : [request];
  const attention = { kinds: requests.map(({ kind }) => kind), sinceMs: null, requests };
  const row = { presence: 'managed', state: 'running', agent, attention } as unknown as PaneRow;
  return { paneKey: `p-${agent}`, targetName: 'local', facts: paneFacts(0), row };
}

async function open() {
  const inside = await new Inside().serve();
  return { inside, client: await inside.connect(), ...inside.notify };
}

describe('notifications', () => {
  it('are off at first; switched on they notify, and the log says why', async () => {
    const { client, notifier, sent } = await open();
    expect(await client.call('notify_status', {})).toMatchObject({
      on: false,
      decided_by: 'config',
      channels: [{ channel: 'desktop', used: true, last: null }],
    });
    notifier.changed([pane('before')]);
    expect(await client.call('notify_switch', { on: true })).toMatchObject({
      on: true,
      decided_by: 'command',
    });
    notifier.changed([pane('r1')]);
    const { entries } = await client.call('notify_log', {});
    expect(entries).toMatchObject([
      {
        ...{ agent: 'claude', kind: 'approval', notified: true, reason: 'at_once' },
        notification: 1,
        deliveries: [{ channel: 'desktop', status: 'delivered', attempts: 1 }],
      },
    ]);
    expect(sent).toHaveLength(1);
    expect(await client.call('notify_switch', { on: null })).toMatchObject({
      on: false,
      decided_by: 'config',
    });
  });

  it('that are muted are held back until that is taken back', async () => {
    const { client, notifier, sent } = await open();
    await client.call('notify_switch', { on: true });
    const { mutes } = await client.call('notify_mute', { agent: 'codex', for_ms: 60_000 });
    expect(mutes).toMatchObject([{ agent: 'codex', session: null, id: expect.any(String) }]);
    notifier.changed([pane('r1', 'codex')]);
    const [mute] = mutes;
    const after = await client.call('notify_unmute', { id: mute?.id ?? '' });
    expect(after.mutes).toEqual([]);
    // An approval that is still open when the mute ends is notified then.
    expect(sent).toHaveLength(1);
    const { entries } = await client.call('notify_log', {});
    expect(entries.map(({ reason }) => reason)).toEqual(['mute_over']);
  });

  it('are muted by hours that are hours alone, and unmuted by an id that there is', async () => {
    const { client } = await open();
    await expect(client.call('notify_mute', { hours: 'noon' })).rejects.toMatchObject({
      code: 'E_INPUT_INVALID',
    });
    await expect(client.call('notify_unmute', { id: 'abc' })).rejects.toMatchObject({
      code: 'E_REF_NOT_FOUND',
    });
    await client.call('notify_mute', { hours: '22:00-07:00' });
    await client.call('notify_mute', {});
    expect((await client.call('notify_unmute', {})).mutes).toEqual([]);
  });

  it('are tested on one channel or on all, also while they are off', async () => {
    const { client, sent } = await open();
    const { results } = await client.call('notify_test', {});
    expect(results).toEqual([{ channel: 'desktop', delivered: true, detail: null }]);
    expect(sent).toMatchObject([{ isTest: true, number: 1 }]);
    await expect(client.call('notify_test', { channel: 'pigeon' })).rejects.toMatchObject({
      code: 'E_REF_NOT_FOUND',
    });
    const terminal = await client.call('notify_test', { channel: 'terminal' });
    expect(terminal.results).toMatchObject([{ channel: 'terminal', delivered: false }]);
    expect(sent).toHaveLength(1);
  });

  it('come to a terminal that waits, each once, with what local_include names', async () => {
    const { inside, client, notifier } = await open();
    await client.call('notify_switch', { on: true });
    const listener = await inside.connect();
    const { after } = await listener.call('notify_listen', { timeout_ms: 1_000 });
    expect(after).toBe(0);
    const waiting = listener.call('notify_listen', { after, timeout_ms: 30_000 });
    await expect.poll(async () => (await client.call('notify_status', {})).listeners).toBe(1);
    notifier.changed([pane('r1')]);
    const reply = await waiting;
    expect(reply).toMatchObject({
      after: 1,
      notifications: [{ number: 1, test: false, headline: 'claude needs an approval' }],
    });
    notifier.changed([pane('r2')]);
    const next = await listener.call('notify_listen', { after: 1, timeout_ms: 1_000 });
    expect(next.notifications.map(({ number }) => number)).toEqual([2]);
    // A database that was reset counts from the start again: nothing old is shown.
    const reset = await listener.call('notify_listen', { after: 99, timeout_ms: 1 });
    expect(reset).toMatchObject({ after: 2, notifications: [] });
  });
});
