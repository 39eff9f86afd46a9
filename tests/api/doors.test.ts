// The same cases through three doors: the Unix socket, the WebSocket, and one in this process. A
// difference would be a rule that stands in a door.

import { once } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { Inside } from './fixture.ts';
import { InProcessDoor } from './in-process-door.ts';
import { type Line, RawPeer } from './raw-peer.ts';
import { until } from './wait.ts';

/** What a caller gets to see, whatever the door. */
interface Caller {
  call(name: string, params: object): Promise<{ readonly value?: unknown; readonly code?: string }>;
  /** Names of the messages that streams sent. */
  pushed(): readonly string[];
  leave(): void;
}

function bySocket(inside: Inside): Caller {
  const peer = new RawPeer(inside.socketPath);
  let nextId = 1;
  return {
    call: async (method, params) => {
      const id = nextId++;
      peer.ask({ id, method, params });
      const reply = (): Line | undefined => peer.lines.find((line) => line['id'] === id);
      await until(`the reply to ${method}`, () => reply() !== undefined);
      const { result, error } = reply() ?? {};
      return error ? { code: error.data?.code ?? '' } : { value: result };
    },
    pushed: () => peer.lines.flatMap(({ method }) => (method ? [String(method)] : [])),
    leave: () => peer.socket.destroy(),
  };
}

function inProcess(inside: Inside): Caller {
  const door = new InProcessDoor(inside.host);
  onTestFinished(() => door[Symbol.dispose]());
  return {
    call: async (name, params) => {
      const result = await door.call(name, params);
      return result.ok ? { value: result.value } : { code: result.problem.code };
    },
    pushed: () => door.messages.map(({ type }) => type),
    leave: () => door[Symbol.dispose](),
  };
}

async function byWebSocket(inside: Inside): Promise<Caller> {
  const opener = await inside.connect();
  const { url } = await opener.call('open_web', { port: 0, no_auth: true });
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`);
  onTestFinished(() => socket.terminate());
  const messages: Line[] = [];
  socket.on('message', (data: Buffer) => messages.push(JSON.parse(data.toString('utf8'))));
  await once(socket, 'open');
  let nextId = 1;
  return {
    call: async (method, params) => {
      const id = nextId++;
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      const reply = (): Line | undefined => messages.find((line) => line['id'] === id);
      await until(`the reply to ${method}`, () => reply() !== undefined);
      const { result, error } = reply() ?? {};
      return error ? { code: error.data?.code ?? '' } : { value: result };
    },
    pushed: () => messages.flatMap(({ method }) => (method ? [String(method)] : [])),
    leave: () => socket.terminate(),
  };
}

const hello = {
  source_id: 'mine',
  source_kind: 'hooks',
  agent: 'claude',
  protocol_version: 1,
  mode: 'push',
} as const;

describe.each([
  ['the Unix socket', bySocket],
  ['the WebSocket', byWebSocket],
  ['a door in the same process', inProcess],
])('through %s', (_name, open) => {
  const enter = async () => {
    const inside = await new Inside().serve();
    const caller = await open(inside);
    // A door may follow the panes itself.
    const ownCount = inside.publisher.subscriberCount;
    return { inside, caller, streamCount: () => inside.publisher.subscriberCount - ownCount };
  };

  test('a listing is what it is through the other door', async () => {
    const { inside, caller } = await enter();
    inside.says(0, 'waiting_approval');
    const other = open === bySocket ? inProcess(inside) : bySocket(inside);
    for (const [name, params] of [
      ['list_panes', { sort: 'state' }],
      ['list_sessions', {}],
      ['explain', { ref: '%0' }],
      ['daemon_info', {}],
    ] as const) {
      expect(await caller.call(name, params)).toEqual(await other.call(name, params));
    }
  });

  test.each([
    ['an unknown operation', 'no_such', {}, 'E_INPUT_INVALID'],
    ['a field that is not known', 'hello', { colour: 'red' }, 'E_INPUT_INVALID'],
    ['a pane that is not there', 'explain', { ref: '%99' }, 'E_REF_NOT_FOUND'],
    ['a stream that is not there', 'unsubscribe', { subscription: 's9' }, 'E_REF_NOT_FOUND'],
  ])('%s is refused by its code', async (_what, name, params, code) => {
    const { caller } = await enter();
    expect(await caller.call(name, params)).toEqual({ code });
  });

  test('a caller that registers as a source may no longer do what is for the user', async () => {
    const { inside, caller } = await enter();
    expect(await caller.call('source_hello', hello)).toMatchObject({ value: { state: 'active' } });
    expect(await caller.call('daemon_stop', {})).toEqual({ code: 'E_NOT_PERMITTED' });
    expect(inside.stopped).toBeNull();
    expect(await caller.call('list_panes', {})).toHaveProperty('value');
  });

  test('a stream sends a snapshot, then changes, until it is closed', async () => {
    const { inside, caller, streamCount } = await enter();
    const { value } = await caller.call('subscribe', { topics: ['state_changed'] });
    await until('the snapshot', () => caller.pushed().length === 1);
    inside.says(0, 'running');
    await until('the change', () => caller.pushed().length === 2);
    expect(caller.pushed()).toEqual(['snapshot', 'state_changed']);
    const { subscription } = value as { subscription: string };
    expect(await caller.call('unsubscribe', { subscription })).toEqual({ value: { ok: true } });
    expect(streamCount()).toBe(0);
  });

  test('a caller that leaves aborts its work and ends its streams', async () => {
    const { inside, caller, streamCount } = await enter();
    await caller.call('subscribe', {});
    const signals: AbortSignal[] = [];
    Object.assign(inside.ports.panes, {
      capture: (_pane: unknown, signal: AbortSignal) => {
        signals.push(signal);
        return new Promise(() => {});
      },
    });
    void caller.call('preview', { ref: '%0' }).catch(() => null);
    await until('it runs', () => signals.length === 1);
    expect(signals[0]?.aborted).toBe(false);
    caller.leave();
    await until('it is aborted', () => signals[0]?.aborted === true);
    await until('its streams are gone', () => streamCount() === 0);
  });
});
