// Third-party sources over real sockets: programs that push, and one that is asked.

import { symlinkSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { DaemonClient } from '../../src/client/client.ts';
import { SourcePull } from '../../src/daemon/pulling/source-pull.ts';
import type { OperationMap } from '../../src/schema/api/operations.ts';
import type { SourceItem } from '../../src/schema/api/sources.ts';
import { Inside, makeFolder, NONCE } from './fixture.ts';
import { RawPeer } from './raw-peer.ts';
import { until } from './wait.ts';

const hello = {
  source_id: 'mine',
  source_kind: 'hooks',
  agent: 'claude',
  protocol_version: 1,
  mode: 'push',
} as const;
const me = { source_id: 'mine', nonce: NONCE };

async function open(): Promise<{ inside: Inside; client: DaemonClient }> {
  const inside = await new Inside().serve();
  return { inside, client: await inside.connect() };
}

async function itemOf(client: DaemonClient): Promise<SourceItem | undefined> {
  return (await client.call('list_source_registry', {})).sources[0];
}

const eventOf = (n: number, type = 'running') => ({
  event_id: `m${n}`,
  source: 'mine',
  type,
  pane: '%0',
  event_time_ms: 1_800_000_020_000 + n,
});

describe('a source that pushes', () => {
  test('registers, delivers, learns what was committed, and acknowledges', async () => {
    const { inside, client } = await open();
    const welcome = await client.call('source_hello', hello);
    expect(welcome).toMatchObject({ state: 'active', nonce: NONCE, committed_cursor: null });
    const events = [eventOf(1), eventOf(2, 'waiting_approval')];
    const receipt = await client.call('source_push_events', { ...me, events, cursor: 'c2' });
    expect(receipt.results.map(({ outcome }) => outcome)).toEqual(['applied', 'applied']);
    expect(receipt.committed_cursor).toBe('c2');
    expect(inside.cursors.get('source:mine')).toEqual({ fetched: 'c2', committed: 'c2' });
    const { delivery_token } = receipt;
    await client.call('source_ack', { ...me, delivery_token });
    await client.call('source_ack', { ...me, delivery_token });
    expect(await itemOf(client)).toMatchObject({ state: 'active', unacknowledged: 0, events: 2 });
    const { panes } = await client.call('list_panes', { state: 'waiting_approval' });
    expect(panes).toHaveLength(1);
    const { sources } = await client.call('list_source_health', {});
    expect(sources.map(({ channel }) => channel)).toContain('source:mine');
  });

  test('may send again what it is not sure of: the same event counts once', async () => {
    const { client } = await open();
    await client.call('source_hello', hello);
    await client.call('source_push_events', { ...me, events: [eventOf(1)] });
    const again = await client.call('source_push_events', {
      ...me,
      events: [eventOf(1), eventOf(2)],
    });
    expect(again.results.map(({ outcome }) => outcome)).toEqual(['duplicate', 'applied']);
  });

  test('speaks for its own agent only, and names its events', async () => {
    const { inside, client } = await open();
    await client.call('source_hello', hello);
    const { event_id: _id, ...nameless } = eventOf(3);
    const receipt = await client.call('source_push_events', {
      ...me,
      events: [{ ...eventOf(1), agent: 'codex' }, eventOf(2), nameless],
    });
    expect(receipt.results.map(({ outcome, code }) => [outcome, code])).toEqual([
      ['refused', 'source_inadmissible'],
      ['applied', null],
      ['refused', 'invalid_source_event'],
    ]);
    expect(inside.ingested).toHaveLength(1);
  });

  test('falls silent, is stale, and is back with one beat', async () => {
    const { inside, client } = await open();
    await client.call('source_hello', hello);
    inside.nowMs += 16_000;
    expect(await itemOf(client)).toMatchObject({ state: 'stale' });
    await client.call('source_heartbeat', me);
    expect(await itemOf(client)).toMatchObject({ state: 'active' });
  });

  test.each<[string, OperationMap['source_hello']['input'], string]>([
    ['another protocol', { ...hello, protocol_version: 2 }, 'E_INPUT_INVALID'],
    ['an agent that is not known', { ...hello, agent: 'nobody' }, 'source_inadmissible'],
    ['pull without a socket', { ...hello, mode: 'pull' }, 'E_INPUT_INVALID'],
    ['a relative socket', { ...hello, mode: 'pull', socket_path: 'x.sock' }, 'E_INPUT_INVALID'],
  ])('is refused with %s', async (_name, input, code) => {
    const { client } = await open();
    await expect(client.call('source_hello', input)).rejects.toMatchObject({ code });
    expect((await client.call('list_source_registry', {})).sources).toEqual([]);
  });

  test('is refused when its adapter is off', async () => {
    const { inside, client } = await open();
    inside.disabled.add('claude');
    await expect(client.call('source_hello', hello)).rejects.toMatchObject({
      code: 'source_inadmissible',
    });
  });

  test('is refused by name: unknown, of another life, with a strange token, revoked', async () => {
    const { inside, client } = await open();
    const beat = (input: typeof me) => client.call('source_heartbeat', input);
    await expect(beat(me)).rejects.toMatchObject({ code: 'source_registry_miss' });
    await client.call('source_hello', hello);
    await expect(beat({ ...me, nonce: 'life-0' })).rejects.toMatchObject({
      code: 'runtime_nonce_mismatch',
    });
    await expect(
      client.call('source_ack', { ...me, delivery_token: 'what' }),
    ).rejects.toMatchObject({ code: 'unknown_delivery_token' });
    await (await inside.connect()).call('revoke_source', { source_id: 'mine' });
    expect(await itemOf(client)).toMatchObject({ state: 'revoked' });
    const code = 'source_revoked';
    await expect(beat(me)).rejects.toMatchObject({ code });
    await expect(client.call('source_hello', hello)).rejects.toMatchObject({ code });
    await expect(
      client.call('source_push_events', { ...me, events: [eventOf(1)] }),
    ).rejects.toMatchObject({ code });
    await (await inside.connect()).call('revoke_source', { source_id: 'mine', restore: true });
    expect(await client.call('source_hello', hello)).toMatchObject({ state: 'active' });
  });

  test('is stale after the time that the configuration gives a channel', async () => {
    const { inside, client } = await open();
    const channelDownMs = 60_000;
    const config = { ...inside.engine.world.config, channelDownMs };
    inside.tell({ type: 'daemon.started', atMs: inside.nowMs, config });
    expect(await client.call('source_hello', hello)).toMatchObject({ down_after_ms: 60_000 });
    inside.nowMs += 59_000;
    expect(await itemOf(client)).toMatchObject({ state: 'active' });
    inside.nowMs += 2_000;
    expect(await itemOf(client)).toMatchObject({ state: 'stale' });
  });

  test('acts as itself after its hello: it feeds and looks, and is not the user', async () => {
    const { inside, client } = await open();
    await client.call('source_hello', hello);
    await client.call('source_heartbeat', me);
    expect((await client.call('list_panes', {})).panes).toHaveLength(2);
    for (const call of [
      () => client.call('daemon_stop', {}),
      () => client.call('revoke_source', { source_id: 'mine' }),
      () => client.call('ingest_events', { events: [{ ...eventOf(1), agent: 'codex' }] }),
      () => client.call('mark_seen', { ref: '%0' }),
      () => client.call('tag', { ref: '%0', agent: 'claude' }),
      () => client.call('set_adapter_enabled', { agent: 'codex', enabled: false }),
      () => client.call('acknowledge_alert', { alert_id: 'a1' }),
      () => client.call('resolve_alert', { alert_id: 'a1' }),
    ]) {
      await expect(call()).rejects.toMatchObject({
        code: 'E_NOT_PERMITTED',
        message: expect.stringContaining('source mine has read, control'),
      });
    }
    expect([inside.stopped, inside.ingested]).toEqual([null, []]);
  });

  test('finds a place when another was revoked', async () => {
    const { inside, client } = await open();
    const come = (n: number) => client.call('source_hello', { ...hello, source_id: `s${n}` });
    for (let n = 0; n < 64; n += 1) await come(n);
    await expect(come(64)).rejects.toMatchObject({ code: 'source_inadmissible' });
    await (await inside.connect()).call('revoke_source', { source_id: 's7' });
    expect(await come(64)).toMatchObject({ state: 'active' });
    await expect(come(7)).rejects.toMatchObject({ code: 'source_revoked' });
  });

  test('may use the dotted names', async () => {
    const { inside } = await open();
    const peer = new RawPeer(inside.socketPath);
    peer.ask({ id: 1, method: 'source.hello', params: hello });
    peer.ask({ id: 2, method: 'source.push_events', params: { ...me, events: [eventOf(1)] } });
    peer.ask({ id: 3, method: 'source.heartbeat', params: me });
    await until('answered', () => peer.lines.length === 3);
    expect(peer.lines.map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
  });
});

/** A source in its own right: events in a list, cursors are places in it. */
class PullSource {
  readonly path = join(makeFolder(), 'source.sock');
  readonly events: ReturnType<typeof eventOf>[] = [];
  readonly asked: (string | null)[] = [];
  readonly acks: string[] = [];
  isAckMute = false;
  unknownCursors = new Set<string>();
  answer: ((method: string) => unknown) | null = null;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor() {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      let rest = '';
      socket.setEncoding('utf8');
      socket.on('error', () => socket.destroy());
      socket.on('close', () => this.#sockets.delete(socket));
      socket.on('data', (text) => {
        const parts = (rest + String(text)).split('\n');
        rest = parts.pop() ?? '';
        for (const part of parts) this.#serve(socket, JSON.parse(part));
      });
    });
    onTestFinished(() => this.close());
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => {
      this.#server.listen(this.path, resolve);
    });
    return this;
  }

  get openCount(): number {
    return this.#sockets.size;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #serve(
    socket: Socket,
    { id, method, params }: { id: number; method: string; params: Record<string, string | null> },
  ): void {
    const send = (body: object) => socket.write(`${JSON.stringify({ id, ...body })}\n`);
    if (this.answer) {
      socket.write(`${String(this.answer(method))}\n`);
      return;
    }
    if (method === 'source.ack') {
      this.acks.push(String(params['delivery_token']));
      if (!this.isAckMute) send({ result: { ok: true } });
      return;
    }
    const cursor = params['cursor'] ?? null;
    this.asked.push(cursor);
    if (cursor !== null && this.unknownCursors.has(cursor)) {
      send({ error: { code: -32000, message: 'invalid_cursor' } });
      return;
    }
    const from = cursor === null ? 0 : Number(cursor);
    const events = this.events.slice(from, from + 500);
    const next = String(from + events.length);
    const token = events.length > 0 ? { delivery_token: `to-${next}` } : {};
    send({ result: { events, next_cursor: next, ...token } });
  }
}

const pullParts = ({ ports, host }: Inside) => ({ sources: ports.sources, nowMs: host.nowMs });

async function pulling(source: PullSource, ackTimeoutMs?: number) {
  const { inside, client } = await open();
  const troubles: string[] = [];
  const pull = new SourcePull({
    ...pullParts(inside),
    random: () => 0.5,
    onTrouble: (_id, code) => troubles.push(code),
    onDefect: (error) => inside.defects.push(error),
    ...(ackTimeoutMs === undefined ? {} : { ackTimeoutMs }),
  });
  onTestFinished(() => pull[Symbol.dispose]());
  inside.onSourcesChanged = () => pull.follow();
  const welcome = await client.call('source_hello', {
    ...hello,
    mode: 'pull',
    socket_path: source.path,
  });
  expect(welcome.state).toBe('pending');
  return { inside, client, troubles, pull };
}

describe('a source that is asked', () => {
  test('is pending, then active; its events are committed, then acknowledged', async () => {
    const source = await new PullSource().listen();
    source.events.push(eventOf(1), eventOf(2, 'waiting_approval'));
    const { inside, client } = await pulling(source);
    await until('acknowledged', () => source.acks.length === 1);
    expect(source.acks).toEqual(['to-2']);
    expect(await itemOf(client)).toMatchObject({ state: 'active', committed_cursor: '2' });
    expect(inside.cursors.get('source:mine')).toEqual({ fetched: '2', committed: '2' });
    source.events.push(eventOf(3, 'completed'));
    await until('the next one', () => inside.ingested.length === 3);
    expect(inside.ingested.map(({ event_id }) => event_id)).toEqual(['m1', 'm2', 'm3']);
  });

  test('more than a page is read without waiting', async () => {
    const source = await new PullSource().listen();
    for (let n = 0; n < 1_200; n += 1) source.events.push(eventOf(n));
    const { inside } = await pulling(source);
    await until('all of it', () => inside.ingested.length === 1_200);
    expect(source.asked.slice(0, 3)).toEqual([null, '500', '1000']);
  });

  test('after a restart of the daemon it is asked from the committed cursor', async () => {
    const source = await new PullSource().listen();
    source.events.push(eventOf(1), eventOf(2));
    const { inside } = await open();
    inside.cursors.set('source:mine', { fetched: '2', committed: '1' });
    const onDefect = (error: unknown) => inside.defects.push(error);
    const pull = new SourcePull({ ...pullParts(inside), random: () => 0.5, onDefect });
    onTestFinished(() => pull[Symbol.dispose]());
    inside.onSourcesChanged = () => pull.follow();
    const client = await inside.connect();
    await client.call('source_hello', { ...hello, mode: 'pull', socket_path: source.path });
    await until('asked', () => inside.ingested.length === 1);
    expect(source.asked[0]).toBe('1');
  });

  test('an unknown cursor is rewound and then read anew; nothing counts twice', async () => {
    const source = await new PullSource().listen();
    source.events.push(eventOf(1), eventOf(2));
    const { inside, client, troubles } = await pulling(source);
    await until('read', () => inside.ingested.length === 2);
    const version = inside.engine.world.rowSeq;
    source.unknownCursors.add('2');
    await until('read anew', () => inside.ingested.length >= 4);
    expect(troubles).toContain('invalid_cursor');
    expect(source.asked).toContain(null);
    expect(inside.engine.world.rowSeq).toBe(version);
    source.unknownCursors.clear();
    expect(await itemOf(client)).toMatchObject({ state: 'active' });
  });

  test('acknowledgements without an answer are tried five times, then it is stale', async () => {
    const source = await new PullSource().listen();
    source.events.push(eventOf(1));
    source.isAckMute = true;
    const { inside, client, troubles } = await pulling(source, 20);
    await until('given up', () => inside.ports.sources.registry.get('mine')?.isAckLost === true);
    expect(source.acks).toEqual(Array(5).fill('to-1'));
    expect(troubles.filter((code) => code === 'ack_timeout')).toHaveLength(5);
    expect(await itemOf(client)).toMatchObject({
      state: 'stale',
      detail: 'ack_retry_exhausted',
      committed_cursor: '1',
    });
    source.isAckMute = false;
    source.events.push(eventOf(2));
    await until('back', () => inside.ports.sources.registry.get('mine')?.isAckLost === false);
    expect(await itemOf(client)).toMatchObject({ state: 'active', unacknowledged: 0 });
  });

  test.each<[string, () => unknown, string]>([
    ['bytes that are not JSON', () => '{{{', 'protocol_desync'],
    ['an answer of another shape', () => '{"id":1,"result":{"events":7}}', 'invalid_source_event'],
  ])('%s are refused and reported, and the source is asked again', async (_name, answer, code) => {
    const source = await new PullSource().listen();
    source.answer = answer;
    const { inside, client, troubles } = await pulling(source);
    await until('it is reported', () => troubles.includes(code));
    expect(inside.ingested).toEqual([]);
    expect((await itemOf(client))?.detail).toContain(code);
    source.answer = null;
    source.events.push(eventOf(1));
    await until('it goes on', () => inside.ingested.length === 1);
  });

  test('that refuses a cursor without naming the call is asked over a new connection', async () => {
    const source = await new PullSource().listen();
    source.answer = () => '{"id":null,"error":{"code":-32000,"message":"invalid_cursor"}}';
    const { inside, troubles } = await pulling(source);
    await until('it is reported', () => troubles.includes('invalid_cursor'));
    source.answer = null;
    source.events.push(eventOf(1));
    await until('it goes on', () => inside.ingested.length === 1);
  });

  test('says hello again while it is being connected to: one connection is left', async () => {
    const source = await new PullSource().listen();
    const { inside, client } = await pulling(source);
    for (let n = 0; n < 20; n += 1) {
      inside.nowMs += 1;
      const mode = { mode: 'pull', socket_path: source.path } as const;
      await client.call('source_hello', { ...hello, ...mode });
    }
    source.events.push(eventOf(1));
    await until('it goes on', () => inside.ingested.length === 1);
    await until('the others are closed', () => source.openCount === 1);
  });

  test('a bug of ours is no trouble of the source: it ends the daemon', async () => {
    const source = await new PullSource().listen();
    source.events.push(eventOf(1));
    const { inside, client, pull } = await pulling(source);
    await until('read', () => inside.ingested.length === 1);
    pull[Symbol.dispose]();
    const bug = new Error('a bug');
    const sources = { ...inside.ports.sources, ingest: () => Promise.reject(bug) };
    const troubles: string[] = [];
    const defects: unknown[] = [];
    const broken = new SourcePull({
      ...pullParts(inside),
      sources,
      random: () => 0.5,
      onTrouble: (_id, code) => troubles.push(code),
      onDefect: (error) => defects.push(error),
    });
    onTestFinished(() => broken[Symbol.dispose]());
    inside.onSourcesChanged = () => {};
    source.events.push(eventOf(2));
    broken.follow();
    await until('it is reported', () => defects.length > 0);
    expect([defects, troubles]).toEqual([[bug], []]);
    expect(await itemOf(client)).toMatchObject({ detail: null });
  });

  test('a symlink to a socket is not followed', async () => {
    const source = await new PullSource().listen();
    const path = join(makeFolder(), 'link.sock');
    symlinkSync(source.path, path);
    const { client, troubles } = await pulling({ path } as PullSource);
    await until('it is reported', () => troubles.length > 0);
    expect(troubles).toContain('peer_uid_mismatch');
    expect(await itemOf(client)).toMatchObject({ state: 'pending' });
    expect(source.asked).toEqual([]);
  });

  test('is asked no more once it is revoked, and at its new place after it has moved', async () => {
    const source = await new PullSource().listen();
    const { inside, client } = await pulling(source);
    await until('asked', () => source.asked.length > 0);
    const moved = await new PullSource().listen();
    moved.events.push(eventOf(1));
    await client.call('source_hello', { ...hello, mode: 'pull', socket_path: moved.path });
    await until('asked there', () => inside.ingested.length === 1);
    await until('left the old place', () => source.openCount === 0);
    await (await inside.connect()).call('revoke_source', { source_id: 'mine' });
    await until('left', () => moved.openCount === 0);
    expect(await itemOf(client)).toMatchObject({ state: 'revoked' });
  });
});
