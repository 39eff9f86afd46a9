// Subscriptions over a real socket, through the typed client and through a peer that stops reading.

import { describe, expect, test } from 'vitest';
import type { DaemonClient, PushMessage } from '../../src/client/client.ts';
import { pushSchemas } from '../../src/schema/api/stream.ts';
import { agents, paneKey } from '../scenario.ts';
import { Inside } from './fixture.ts';
import { RawPeer } from './raw-peer.ts';
import { nextOf, until } from './wait.ts';

type Messages = AsyncGenerator<PushMessage, void, undefined>;

async function subscribed(client: DaemonClient): Promise<Messages> {
  const stream = client.subscribe({});
  const first = await nextOf(stream);
  expect(first.type).toBe('snapshot');
  return stream;
}

async function nextOfType<Name extends PushMessage['type']>(
  stream: Messages,
  type: Name,
): Promise<Extract<PushMessage, { type: Name }>> {
  for (;;) {
    const message = await nextOf(stream);
    pushSchemas[message.type].parse(message.data);
    if (message.type === type) return message as Extract<PushMessage, { type: Name }>;
  }
}

describe('the typed client', () => {
  test('sees a snapshot, then each change as it is committed', async () => {
    const inside = await new Inside().serve();
    const stream = await subscribed(await inside.connect());
    inside.says(0, 'running');
    const running = await nextOfType(stream, 'state_changed');
    expect(running.data.panes.map(({ state }) => state)).toEqual(['running']);
    inside.says(0, 'waiting_approval');
    const asked = await nextOfType(stream, 'attention_changed');
    expect(asked.data.panes[0]?.attention.kinds).toEqual(['approval']);
    const summary = await nextOfType(stream, 'summary_changed');
    expect(summary.data.summary.needs_action).toBe(1);
    await stream.return();
    await until('only the client is left', () => inside.connectionCount === 1);
    expect(inside.publisher.subscriberCount).toBe(0);
  });

  test('gets only the topics it asked for', async () => {
    const inside = await new Inside().serve();
    const stream = (await inside.connect()).subscribe({ topics: ['summary_changed'] });
    await nextOf(stream);
    inside.says(0, 'running');
    inside.says(0, 'waiting_approval');
    expect((await nextOf(stream)).type).toBe('summary_changed');
    expect((await nextOf(stream)).type).toBe('summary_changed');
    await stream.return();
  });

  test('ends its stream when the daemon ends', async () => {
    const inside = await new Inside().serve();
    const stream = await subscribed(await inside.connect());
    const end = stream.next();
    await inside.hangUp();
    expect((await end).done).toBe(true);
  });

  test('with resume it comes back and goes on at its cursor, without a new snapshot', async () => {
    const inside = await new Inside().serve();
    const client = await inside.connect();
    const links: string[] = [];
    const stream = client.subscribe({}, { resume: true, onLink: (link) => links.push(link) });
    await nextOf(stream);
    await inside.hangUp();
    inside.says(1, 'waiting_input');
    const next = nextOf(stream);
    await until('lost', () => links.includes('lost'));
    await inside.serve();
    const message = await next;
    expect(message.type).toBe('state_changed');
    expect(message.data).toMatchObject({ panes: [{ pane_key: paneKey(1) }] });
    expect(links).toEqual(['lost', 'back']);
    client.close();
    expect((await stream.next()).done).not.toBe(false);
  });

  test('with resume, a daemon of another life gives a snapshot', async () => {
    const inside = await new Inside().serve();
    const stream = (await inside.connect()).subscribe({ cursor: 'another-life:3' });
    const first = await nextOf(stream);
    expect(first.data).toMatchObject({ reason: 'invalid_cursor' });
    await stream.return();
  });

  test('close ends a stream that waits', async () => {
    const inside = await new Inside().serve();
    const client = await inside.connect();
    const stream = await subscribed(client);
    const end = stream.next();
    client.close();
    expect((await end).done).toBe(true);
  });

  test('a consumer that stops reading holds up no call, and catches up by a snapshot', async () => {
    const inside = await new Inside(agents(60)).serve();
    const client = await inside.connect();
    const stream = await subscribed(client);
    const changeCount = await flicker(inside, 3_000);
    expect((await client.call('hello', {})).protocol).toBe(1);
    const version = inside.engine.world.panes.get(paneKey(3))?.row.stateVersion ?? 0;
    const { messages, snapshots } = await readUntil(stream, version);
    expect(snapshots).toContain('slow_reader');
    expect(messages).toBeLessThan(changeCount);
    await stream.return();
  });
});

/** Four agents change their state again and again; returns how many changes there were. */
async function flicker(inside: Inside, times: number): Promise<number> {
  for (let n = 0; n < times; n += 1) {
    for (const index of [0, 1, 2, 3]) inside.says(index, n % 2 === 0 ? 'running' : 'completed');
    // Lets the sockets move, as they would between commits.
    if (n % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return times * 4;
}

/** Reads until pane 3 is at the version. */
async function readUntil(stream: Messages, version: number) {
  const snapshots: string[] = [];
  for (let messages = 1; ; messages += 1) {
    const { type, data } = await nextOf(stream);
    if (type === 'snapshot') snapshots.push(data.reason);
    const panes = type === 'snapshot' || type === 'state_changed' ? data.panes : [];
    const pane = panes.find(({ pane_key }) => pane_key === paneKey(3));
    if (pane?.state_version === version) return { messages, snapshots };
  }
}

describe('on the wire', () => {
  test('the answer comes before the first push, and unsubscribe ends the stream', async () => {
    const inside = await new Inside().serve();
    const peer = new RawPeer(inside.socketPath);
    peer.ask({ id: 1, method: 'subscribe' });
    await until('both', () => peer.lines.length === 2);
    expect(peer.lines[0]).toMatchObject({ id: 1, result: { resumed: false } });
    expect(peer.lines[1]).toMatchObject({ method: 'snapshot' });
    const result = peer.lines[0]?.['result'] as { subscription: string };
    peer.ask({ id: 2, method: 'unsubscribe', params: { subscription: 's999' } });
    peer.ask({ id: 3, method: 'unsubscribe', params: { subscription: result.subscription } });
    await until('answered', () => peer.lines.length === 4);
    expect(peer.lines[2]?.error?.data?.code).toBe('E_REF_NOT_FOUND');
    expect(inside.publisher.subscriberCount).toBe(0);
    inside.says(0, 'running');
    peer.ask({ id: 4, method: 'hello' });
    await until('answered', () => peer.lines.length === 5);
    expect(peer.lines[4]?.['id']).toBe(4);
  });

  test('one connection may not hold streams without end', async () => {
    const inside = await new Inside().serve();
    const peer = new RawPeer(inside.socketPath);
    for (let id = 1; id <= 17; id += 1) peer.ask({ id, method: 'subscribe' });
    await until(
      'all answered',
      () => peer.lines.filter(({ id }) => id !== undefined).length === 17,
    );
    expect(inside.publisher.subscriberCount).toBe(16);
    peer.socket.destroy();
    await until('released', () => inside.publisher.subscriberCount === 0);
  });

  test('what waits for a reader that has stopped stays bounded', async () => {
    const inside = await new Inside(agents(50)).serve();
    const peer = new RawPeer(inside.socketPath);
    peer.ask({ id: 1, method: 'subscribe' });
    await until('the snapshot', () => peer.lines.length === 2);
    peer.socket.pause();
    let sent = 0;
    for (let n = 0; n < 4_000; n += 1) {
      inside.says(n % 50, n % 100 < 50 ? 'running' : 'completed');
      sent += 2_000;
      if (n % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    const linesBefore = peer.lines.length;
    peer.socket.resume();
    await until('a fresh snapshot', () =>
      peer.lines.some(
        ({ params }) => (params as { reason?: string } | undefined)?.reason === 'slow_reader',
      ),
    );
    const missed = 4_000 - (peer.lines.length - linesBefore);
    expect(sent).toBeGreaterThan(4 * 1024 * 1024);
    expect(missed).toBeGreaterThan(1_000);
  });
});
