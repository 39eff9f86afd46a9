// What programs tell, when an adapter has a bug: one event may end the daemon twice, not for ever.

import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Adapter } from '../../src/agents/adapter.ts';
import type { Registry } from '../../src/agents/registry.ts';
import { Engine } from '../../src/daemon/engine/engine.ts';
import { ingestEvents } from '../../src/daemon/engine/ingest-events.ts';
import { knownPaneAt, knownPanesOf } from '../../src/daemon/engine/known-panes.ts';
import { Loop } from '../../src/daemon/engine/loop.ts';
import { Quarantine } from '../../src/daemon/engine/quarantine.ts';
import { type EventId, id } from '../../src/schema/ids.ts';
import { RuleFiles } from '../../src/sources/rule-files.ts';
import { openStore } from '../../src/store/open.ts';
import { agents, channel, local, T0 } from '../scenario.ts';
import { makeFolder } from './program.ts';

const broken = { text: 'this one breaks it' };

/** Every adapter, with a bug in how hooks of Claude are read. */
function registryWithBug(folder: string): Registry {
  const files = new RuleFiles({ user: join(folder, 'agents') }, {}, () => {});
  onTestFinished(() => files[Symbol.dispose]());
  const withBug = (adapter: Adapter): Adapter => {
    const read = adapter.normalisers['claude-hooks'];
    if (read === undefined) return adapter;
    const normalisers: Adapter['normalisers'] = {
      ...adapter.normalisers,
      'claude-hooks': (raw, context) => {
        if (JSON.stringify(raw).includes(broken.text)) throw new TypeError('a bug of the adapter');
        return read(raw, context);
      },
    };
    return { ...adapter, normalisers };
  };
  return { ...files.registry, adapters: files.registry.adapters.map(withBug) };
}

/** One life of the daemon after the other, over the same store and quarantine. */
function setUp() {
  const folder = makeFolder();
  const store = openStore({ path: join(folder, 'agtmux.db') });
  onTestFinished(() => store[Symbol.dispose]());
  const registry = registryWithBug(folder);
  let counter = 0;
  const nextEventId = () => {
    counter += 1;
    return `e${counter}`;
  };
  return () => {
    const engine = new Engine({ store, nextEventId: () => id<EventId>(nextEventId()) });
    const quarantine = new Quarantine(join(folder, 'quarantine.json'));
    const nowMs = () => T0 + 1_000;
    const onFault = (error: unknown) => {
      throw error;
    };
    const loop = new Loop({ engine, quarantine, nowMs, onFault });
    if (loop.world.panes.size === 0) {
      loop.submit(agents(1).map((fact) => ({ kind: 'fact', fact })));
    }
    const daemon = {
      nowMs,
      nextEventId,
      startedAtMs: T0,
      submit: loop.submit.bind(loop),
      paneAt: knownPaneAt.bind(null, loop.world),
      panesOf: knownPanesOf.bind(null, loop.world),
    };
    const tell = () =>
      ingestEvents(
        ['before', 'bad', 'after'].map((name) => ({
          event_id: name,
          source: 'claude-hooks',
          agent: 'claude',
          type: 'UserPromptSubmit',
          payload: { prompt: name === 'bad' ? broken.text : name, session_id: name },
        })),
        channel('spool@local'),
        {
          loop,
          daemon,
          registry: () => registry,
          targetId: local,
          toDaemonMs: (hostMs) => hostMs,
          socketPaths: ['default'],
          onPaneHint: () => {},
          onWrappedEnd: () => {},
          canonical: (path) => path,
        },
      );
    return { tell, quarantine };
  };
}

it('an event on which an adapter throws is named, tried once more, and then left alone', () => {
  const live = setUp();
  for (const _life of [1, 2]) {
    const { tell, quarantine } = live();
    expect(tell).toThrow('a bug of the adapter');
    expect(quarantine.applying).toEqual(['bad']);
    quarantine.defect();
  }
  const { tell, quarantine } = live();
  expect(tell().map(({ event_id, outcome }) => [event_id, outcome])).toEqual([
    ['before', 'pending_bind'],
    ['bad', 'refused'],
    ['after', 'pending_bind'],
  ]);
  expect(quarantine.refused()).toEqual(['bad']);
  expect(quarantine.applying).toEqual([]);
});
