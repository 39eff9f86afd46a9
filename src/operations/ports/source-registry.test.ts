// The life of a third-party source as data: its states, acknowledgements, watermarks and rewinds.

import { describe, expect, test } from 'vitest';
import type { SourceHello } from '../../schema/api/sources.ts';
import {
  acknowledge,
  noteAckLost,
  noteCommitted,
  noteContact,
  noteDelivery,
  noteFetched,
  noteTrouble,
  type RegisteredSource,
  register,
  rewind,
  setRevoked,
  sourceItem,
  sourceState,
  undoFetch,
} from './source-registry.ts';

const T0 = 1_800_000_000_000;

/** A channel may rest for 15 s. */
const at = (nowMs: number) => ({ nowMs, channelDownMs: 15_000 });

const hello = (changes: Partial<SourceHello> = {}): SourceHello => ({
  source_id: 'mine',
  source_kind: 'hooks',
  agent: 'claude',
  protocol_version: 1,
  mode: 'pull',
  socket_path: '/run/mine.sock',
  ...changes,
});

const born = (
  changes: Partial<SourceHello> = {},
  committed: string | null = null,
): RegisteredSource => register(undefined, hello(changes), { nowMs: T0, committed });

describe('the state of a source', () => {
  test('a pull source is pending until it replies; a push source is active after its hello', () => {
    expect(sourceState(born(), at(T0))).toBe('pending');
    expect(sourceState(born(), at(T0 + 60_000))).toBe('pending');
    expect(sourceState(noteContact(born(), T0 + 1), at(T0 + 1))).toBe('active');
    expect(sourceState(born({ mode: 'push' }), at(T0))).toBe('active');
  });

  test('a silent source is stale after 15 s, and active again after one message', () => {
    const record = noteContact(born(), T0);
    expect(sourceState(record, at(T0 + 15_000))).toBe('active');
    expect(sourceState(record, at(T0 + 15_001))).toBe('stale');
    expect(sourceState(noteContact(record, T0 + 20_000), at(T0 + 20_000))).toBe('active');
  });

  test('a failure alone does not make a source stale, and the next message clears it', () => {
    const record = noteTrouble(noteContact(born(), T0), 'timeout: it is slow');
    expect(sourceState(record, at(T0 + 1))).toBe('active');
    expect(sourceItem(record, at(T0)).detail).toBe('timeout: it is slow');
    expect(noteContact(record, T0 + 2).trouble).toBeNull();
  });

  test('a revoked source stays revoked whatever it sends, and is pending when restored', () => {
    const record = setRevoked(noteContact(born(), T0), true);
    expect(sourceState(noteContact(record, T0 + 1), at(T0 + 1))).toBe('revoked');
    expect(sourceState(setRevoked(record, false), at(T0 + 2))).toBe('pending');
  });

  test('a second hello keeps the committed cursor and moves the socket', () => {
    const before = noteCommitted(noteContact(born(), T0), 'c9', { events: 9, nowMs: T0 });
    const moved = hello({ socket_path: '/run/new.sock' });
    const after = register(before, moved, { nowMs: T0 + 5, committed: 'older' });
    expect(after).toMatchObject({ socketPath: '/run/new.sock', committed: 'c9', events: 9 });
    expect(sourceState(after, at(T0 + 5))).toBe('pending');
  });

  test('after a restart of the daemon a source continues at the stored cursor', () => {
    expect(born({}, 'stored')).toMatchObject({ fetched: 'stored', committed: 'stored' });
  });
});

describe('acknowledgements', () => {
  test('a token may be given back twice, an unknown one may not', () => {
    const record = noteDelivery(noteDelivery(born(), 'one'), 'two');
    const first = acknowledge(record, 'one');
    expect(first?.waiting).toEqual(['two']);
    expect(first && acknowledge(first, 'one')).toBe(first);
    expect(acknowledge(record, 'three')).toBeNull();
  });

  test('a later token stands for those before it', () => {
    const record = noteDelivery(noteDelivery(born(), 'one'), 'two');
    expect(acknowledge(record, 'two')).toMatchObject({ waiting: [] });
  });

  test('a source is stale while no acknowledgement arrives, until one does', () => {
    const record = noteAckLost(noteDelivery(noteContact(born(), T0), 'one'));
    expect(sourceState(noteContact(record, T0 + 1), at(T0 + 1))).toBe('stale');
    expect(sourceItem(noteContact(record, T0 + 1), at(T0 + 1)).detail).toBe('ack_retry_exhausted');
    const next = acknowledge(noteDelivery(record, 'two'), 'two');
    expect(next && sourceState(next, at(T0 + 1))).toBe('active');
  });

  test('tokens that are never acknowledged are bounded in number', () => {
    let record = born();
    for (let n = 0; n < 1_000; n += 1) record = noteDelivery(record, `t${n}`);
    expect(record.waiting).toHaveLength(64);
    expect(acknowledge(record, 't999')?.acknowledgedTokens).toHaveLength(64);
  });
});

describe('the two watermarks', () => {
  test('fetched runs ahead and falls back to committed when storing fails', () => {
    const record = noteFetched(born({}, 'c1'), 'c2');
    expect(record).toMatchObject({ fetched: 'c2', committed: 'c1' });
    expect(undoFetch(record).fetched).toBe('c1');
    const done = noteCommitted(record, 'c2', { events: 3, nowMs: T0 });
    expect(done).toMatchObject({ fetched: 'c2', committed: 'c2', events: 3 });
  });
});

/** Commits one event each second. */
function commits(count: number, from = born()): RegisteredSource {
  let record = from;
  for (let n = 1; n <= count; n += 1) {
    record = noteCommitted(record, `c${n}`, { events: 1, nowMs: T0 + n * 1_000 });
  }
  return record;
}

describe('a cursor that the source does not know', () => {
  test('checkpoints are taken every 30 s or 500 events', () => {
    expect(commits(61).checkpoints.map(({ cursor }) => cursor)).toEqual(['c1', 'c31', 'c61']);
    const burst = noteCommitted(commits(1), 'big', { events: 500, nowMs: T0 + 1_001 });
    expect(burst.checkpoints.map(({ cursor }) => cursor)).toEqual(['c1', 'big']);
  });

  test('rewinds to the last checkpoint, then further, and starts anew at the third', () => {
    const first = rewind(commits(70), T0 + 71_000);
    expect(first).toMatchObject({ how: 'rewind', record: { fetched: 'c61', committed: 'c61' } });
    const second = rewind(first.record, T0 + 72_000);
    expect(second).toMatchObject({ how: 'rewind', record: { fetched: 'c31' } });
    const third = rewind(second.record, T0 + 73_000);
    expect(third).toMatchObject({ how: 'resync', record: { fetched: null, committed: null } });
  });

  test('refusals more than a minute apart do not add up', () => {
    const first = rewind(commits(70), T0 + 71_000);
    const second = rewind(first.record, T0 + 140_000);
    expect(second.how).toBe('rewind');
    const third = rewind(second.record, T0 + 210_000);
    expect(third).toMatchObject({ how: 'rewind', record: { fetched: 'c1' } });
  });

  test('starts anew when no checkpoint is within 10 minutes or 10,000 events', () => {
    expect(rewind(commits(1), T0 + 11 * 60_000 + 1_000).how).toBe('resync');
    const far = noteCommitted(commits(1), 'far', { events: 20_000, nowMs: T0 + 2_000 });
    expect(far.checkpoints.map(({ cursor }) => cursor)).toEqual(['far']);
    expect(rewind(far, T0 + 3_000)).toMatchObject({ how: 'resync' });
  });
});
