// Reading the timeline: whole and in order, over many batches, or a Fault that names the event.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultEngineConfig } from '../../src/schema/config.ts';
import type { WorldEvent } from '../../src/schema/event.ts';
import { id, type TargetId } from '../../src/schema/ids.ts';
import {
  commitTiny,
  eventId,
  evidenceEvent,
  evidenceRange,
  faultOf,
  makeStore,
  paneKey,
  query,
  redacted,
  runtimeId,
  T0,
  tamper,
} from './fixture.ts';

describe('eventsAfter', () => {
  it('reads a timeline of several batches in order, from anywhere', () => {
    const store = makeStore();
    commitTiny(store, evidenceRange(1, 1_203));
    const seqs = (after: number) => [...store.eventsAfter(after)].map(({ seq }) => seq);
    expect(seqs(0)).toEqual(Array.from({ length: 1_203 }, (_, index) => index + 1));
    expect(seqs(1_000)).toHaveLength(203);
    expect(seqs(1_203)).toEqual([]);
    expect(seqs(9_999)).toEqual([]);
  });

  it('sees events that are committed while it reads', () => {
    const store = makeStore();
    commitTiny(store, evidenceRange(1, 3));
    const reader = store.eventsAfter(0);
    reader.next();
    commitTiny(store, evidenceRange(4, 5));
    expect([...reader].map(({ seq }) => seq)).toEqual([2, 3, 4, 5]);
  });

  it('gives every event back as it was stored', () => {
    const store = makeStore();
    const target = {
      targetId: id<TargetId>('vm1'),
      name: 'vm1',
      kind: 'ssh',
      connectionRef: 'vm1',
      health: 'ok',
    } as const;
    const slot = { runtimeId: runtimeId(0), source: id('title'), about: 'turn' } as const;
    const events: WorldEvent[] = [
      { eventId: eventId(1), atMs: T0, type: 'daemon.started', config: defaultEngineConfig },
      { eventId: eventId(2), atMs: T0 + 0.5, type: 'target.changed', target },
      { eventId: eventId(3), atMs: 0, type: 'claim.expired', ...slot } as WorldEvent,
      evidenceEvent(4, { evidence: { eventTimeMs: T0 + 1 / 3 } }),
    ];
    store.commit({ events: events.map(redacted), changes: [] });
    expect([...store.eventsAfter(0)].map(({ event }) => event)).toEqual(events);
  });

  it('gives texts back whatever is in them', () => {
    const store = makeStore();
    let n = 0;
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }));
    fc.assert(
      fc.property(text, fc.jsonValue(), (prompt, payload) => {
        n += 1;
        const activity = { prompt: `\0\uD800${prompt}'"\\`.slice(0, 4_000) };
        const event = evidenceEvent(n, { evidence: { activity, payload } });
        store.commit({ events: [event], changes: [] });
        const [entry] = store.eventsAfter(store.lastSeq() - 1);
        expect(entry?.event).toMatchObject({ evidence: { activity } });
        const sql = 'SELECT raw_payload FROM events WHERE seq = ?';
        const [row] = query(store.path, sql, store.lastSeq());
        expect(row?.['raw_payload']).toBe(JSON.stringify(payload));
      }),
      { numRuns: 200 },
    );
  });
});

describe('a damaged event is named and never replayed', () => {
  const damages: readonly [what: string, sql: string, message: RegExp][] = [
    [
      'a changed digit',
      `UPDATE events SET body = replace(body, '"rank":0', '"rank":1')`,
      /event 4/,
    ],
    ['another place', 'UPDATE events SET seq = 99 WHERE seq = 5', /event 5 is missing/],
    [
      'the body of another place',
      `CREATE TEMP TABLE other AS SELECT body, body_crc FROM events WHERE seq = 7;
       UPDATE events SET (body, body_crc) = (SELECT * FROM other) WHERE seq = 5`,
      /event 5 does not match/,
    ],
    ['a missing event', 'DELETE FROM events WHERE seq = 5', /event 5 is missing/],
    ['a missing end', 'DELETE FROM events WHERE seq > 7', /events 8 to 9 are missing/],
    ['an added byte', `UPDATE events SET body = body || ' '`, /event 4 does not match/],
  ];
  it.each(damages)('%s', (_what, sql, message) => {
    const store = makeStore();
    commitTiny(store, evidenceRange(1, 9));
    tamper(store.path, sql);
    const fault = faultOf(() => [...store.eventsAfter(3)]);
    expect(fault.code).toBe('store_corrupt');
    expect(fault.message).toMatch(message);
    expect(fault.message).toContain(store.path);
  });

  it('a number that no JavaScript number can hold', () => {
    const store = makeStore();
    tamper(store.path, 'UPDATE meta SET value = 9223372036854775807');
    expect(faultOf(() => store.lastSeq()).code).toBe('store_corrupt');
  });

  it('a body that does not fit its schema', () => {
    const store = makeStore();
    const wrong = { eventId: eventId(1), atMs: T0, type: 'pane.gone', paneKey: paneKey(0) };
    store.commit({ events: [redacted(wrong as WorldEvent)], changes: [] });
    const fault = faultOf(() => [...store.eventsAfter(0)]);
    expect(fault.code).toBe('store_corrupt');
    expect(fault.message).toMatch(/event 1 does not fit its schema/);
  });
});
