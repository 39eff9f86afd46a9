// The loop over a real engine and store: who gets a commit, also when a listener fails.

import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Engine } from '../../src/daemon/engine/engine.ts';
import { Loop } from '../../src/daemon/engine/loop.ts';
import { Quarantine } from '../../src/daemon/engine/quarantine.ts';
import { type EventId, id } from '../../src/schema/ids.ts';
import { openStore } from '../../src/store/open.ts';
import { agents, channel, T0 } from '../scenario.ts';
import { makeFolder } from './program.ts';

function setUp(onStored: (loop: Loop) => void = () => {}) {
  const folder = makeFolder();
  const store = openStore({ path: join(folder, 'agtmux.db') });
  onTestFinished(() => store[Symbol.dispose]());
  let counter = 0;
  const nextEventId = () => {
    counter += 1;
    return id<EventId>(`e${counter}`);
  };
  const loop: Loop = new Loop({
    engine: new Engine({ store, nextEventId }),
    quarantine: new Quarantine(join(folder, 'quarantine.json')),
    nowMs: () => T0,
    onFault: (error) => {
      throw error;
    },
    onStored: () => onStored(loop),
  });
  loop.submit(agents(1).map((fact) => ({ kind: 'fact', fact })));
  const beat = (name: string) =>
    loop.submit([{ kind: 'heartbeat', channel: channel(name), atMs: T0 }]);
  const channels: string[] = [];
  const listen = (prefix: string) =>
    loop.onApplied(({ changes }) => {
      for (const each of changes) if (each.kind === 'channel') channels.push(prefix + each.channel);
    });
  return { loop, beat, channels, listen };
}

it('every listener gets one commit before any gets the next', () => {
  const { loop, beat, channels, listen } = setUp();
  listen('a:');
  loop.onApplied(({ changes }) => {
    if (changes.some((each) => each.kind === 'channel' && each.channel === 'one')) beat('two');
  });
  listen('b:');
  beat('one');
  expect(channels).toEqual(['a:one', 'b:one', 'a:two', 'b:two']);
});

it('a commit that follows from the storing of another reaches listeners after it', () => {
  let isDue = false;
  const { beat, channels, listen } = setUp((loop) => {
    if (!isDue) return;
    isDue = false;
    loop.submit([{ kind: 'heartbeat', channel: channel('two'), atMs: T0 }]);
  });
  listen('');
  isDue = true;
  beat('one');
  expect(channels).toEqual(['one', 'two']);
});

it('a listener that throws does not keep commits from the others', () => {
  const { loop, beat, channels, listen } = setUp();
  listen('');
  let isBroken = true;
  loop.onApplied(() => {
    if (isBroken) throw new Error('a bug');
  });
  expect(() => beat('one')).toThrow('a bug');
  isBroken = false;
  beat('two');
  beat('three');
  expect(channels).toEqual(['one', 'two', 'three']);
});
