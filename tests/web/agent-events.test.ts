// What clients of the web service are sent of agents that are replaced, that move between folders,
// and whose terminals end. The inside of a daemon is real, without tmux.

import { expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import type { OutputMessage, StreamSink } from '../../src/operations/ports/stream-message.ts';
import { Inside } from '../api/fixture.ts';
import { paneFacts, paneKey, runtimeId, runtimeStarts } from '../scenario.ts';
import { TOKEN, WebPeer } from './web-lab.ts';

async function open(): Promise<{ readonly inside: Inside; readonly peer: WebPeer }> {
  const inside = await new Inside().serve();
  const client = await inside.connect();
  const { url } = await client.call('open_web', { port: 0, auth_token: TOKEN });
  const peer = new WebPeer(new WebSocket(`${url.replace('http', 'ws')}/ws?token=${TOKEN}`));
  onTestFinished(() => peer.socket.terminate());
  await peer.opened;
  return { inside, peer };
}

/** The terminals of the test: what is sent to their viewers. */
function viewers(inside: Inside): StreamSink<OutputMessage>[] {
  const sinks: StreamSink<OutputMessage>[] = [];
  Object.assign(inside.ports.views, {
    open: (_pane: unknown, _input: unknown, sink: StreamSink<OutputMessage>) => {
      const place = sinks.push(sink);
      return {
        reply: { subscription: `o${place}` },
        start: () => {
          const bytes = Buffer.from('shown');
          const size = { cols: 80, rows: 24, live: true };
          sink.send({ type: 'output_snapshot', epoch: 1, seq: 0, ...size, bytes });
        },
        drained: () => {},
        [Symbol.dispose]: () => {},
      };
    },
  });
  return sinks;
}

const typesOf = ({ messages }: WebPeer): readonly unknown[] => messages.map(({ type }) => type);

it('an agent that is started anew in the same pane leaves, and another one comes', async () => {
  const { inside, peer } = await open();
  viewers(inside);
  await peer.call('subscribe-agents');
  await peer.call('subscribe-output', { agent: 'work' });
  const before = peer.messages.length;
  inside.tell(runtimeStarts(0, 2, inside.nowMs));
  await peer.event('agents-count');
  const later = peer.messages.slice(before);
  expect(later.map(({ type }) => type)).toEqual([
    ...['output-ended', 'agent-removed', 'agent-added', 'agents-count'],
  ]);
  expect(later).toMatchObject([
    { agent: 'work', reason: 'the agent has ended' },
    { name: 'work' },
    { agent: { name: 'work', runtime: 'claude' } },
    { totalAgents: 2 },
  ]);
  // What named the earlier one does not lead to the next.
  peer.sendFrame(0x02, `runtime:${runtimeId(0)}`, 'y');
  await peer.error('keyboard input runtime:r0-1: agent not found');
});

it('an agent comes when its folder begins to fit a filter, and leaves when it ends', async () => {
  const { inside, peer } = await open();
  await peer.call('subscribe-agents', { includePathFilter: '/inside$' });
  const move = (path: string) =>
    inside.tell({
      type: 'pane.changed',
      atMs: inside.nowMs,
      paneKey: paneKey(0),
      facts: paneFacts(0, { path }),
    });
  move('/home/someone/inside');
  await peer.event('agent-added');
  move('/home/someone/outside');
  expect(await peer.event('agent-removed')).toEqual({ type: 'agent-removed', name: 'work' });
  move('/home/someone/elsewhere');
  await peer.call('list-agents');
  expect(typesOf(peer)).toEqual([
    ...['subscribe-agents', 'agent-added', 'agent-removed', 'list-agents'],
  ]);
});

it('terminals that have ended take no place among the 64 of a connection', async () => {
  const { inside, peer } = await open();
  const sinks = viewers(inside);
  for (let turn = 1; turn <= 70; turn += 1) {
    expect(await peer.call('subscribe-output', { agent: 'work' })).toMatchObject({ ok: true });
    sinks.at(-1)?.send({ type: 'output_ended', epoch: 1, seq: 1, reason: 'the pane is gone' });
  }
  // What was sent before its reply has come by then.
  await peer.call('list-agents');
  expect(typesOf(peer).filter((type) => type === 'output-ended')).toHaveLength(70);
});
