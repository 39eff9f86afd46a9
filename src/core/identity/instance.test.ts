// Which panes a listing shows as new, changed or gone: ids repeat, instances do not.

import { describe, expect, test } from 'vitest';
import { agents, local, paneFacts, paneKey, Run, T0 } from '../../../tests/scenario.ts';
import type { EventDraft } from '../../schema/event.ts';
import { id, paneKeyOf } from '../../schema/ids.ts';
import type { PaneFacts } from '../../schema/pane.ts';
import { observeListing, type ServerListing } from './instance.ts';

const generation = paneFacts(0).generation;
const listing = (
  panes: readonly PaneFacts[],
  changes: Partial<ServerListing> = {},
): ServerListing => ({
  targetId: local,
  server: 'default',
  generation,
  panes,
  atMs: T0 + 10,
  ...changes,
});
const two = () => new Run(agents(2));
const eventsOf = (run: Run, shown: ServerListing) =>
  observeListing(run.world, shown).map((event) => [event.type, keyOf(event), reasonOf(event)]);
const keyOf = (event: EventDraft) => ('paneKey' in event ? event.paneKey : null);
const reasonOf = (event: EventDraft) => (event.type === 'pane.gone' ? event.reason : null);

test('a listing that equals the world makes no event', () => {
  expect(eventsOf(two(), listing([paneFacts(0), paneFacts(1)]))).toEqual([]);
});

test('a listed pane that the world does not have makes pane.appeared', () => {
  const shown = listing([paneFacts(0), paneFacts(1), paneFacts(2)]);
  expect(eventsOf(two(), shown)).toEqual([['pane.appeared', paneKey(2), null]]);
});

test('a pane that is no longer listed makes pane.gone with reason closed', () => {
  expect(eventsOf(two(), listing([paneFacts(0)]))).toEqual([['pane.gone', paneKey(1), 'closed']]);
});

test('a pane with another process under the same id is another pane', () => {
  const reborn = paneFacts(1, { birth: { pid: 9_999, startedAtMs: T0 } });
  expect(eventsOf(two(), listing([paneFacts(0), reborn]))).toEqual([
    ['pane.gone', paneKey(1), 'respawned'],
    ['pane.appeared', paneKeyOf(reborn), null],
  ]);
});

test('a reused process id with another start is another pane', () => {
  const { birth } = paneFacts(1);
  const reborn = paneFacts(1, { birth: { ...birth, startedAtMs: birth.startedAtMs + 1 } });
  expect(eventsOf(two(), listing([paneFacts(0), reborn]))).toHaveLength(2);
});

describe('a restarted server', () => {
  const young = { pid: 100, startedAtMs: T0 + 5 };

  test('has new panes although all its ids repeat', () => {
    const panes = [0, 1].map((index) => paneFacts(index, { generation: young }));
    expect(eventsOf(two(), listing(panes, { generation: young }))).toEqual([
      ['pane.gone', paneKey(0), 'server_gone'],
      ['pane.gone', paneKey(1), 'server_gone'],
      ...panes.map((pane) => ['pane.appeared', paneKeyOf(pane), null]),
    ]);
  });

  test('loses its panes while it is away', () => {
    expect(eventsOf(two(), listing([], { generation: null }))).toEqual([
      ['pane.gone', paneKey(0), 'server_gone'],
      ['pane.gone', paneKey(1), 'server_gone'],
    ]);
  });

  test('with another process id and the same second is another server', () => {
    const other = { ...generation, pid: generation.pid + 1 };
    const shown = listing([], { generation: other });
    expect(eventsOf(two(), shown)[0]).toEqual(['pane.gone', paneKey(0), 'server_gone']);
  });
});

describe('a listing does not touch the panes', () => {
  test.each([
    ['of another socket', { server: 'second' }],
    ['of another target', { targetId: id<ServerListing['targetId']>('vm1') }],
  ])('%s', (_name, changes) => {
    expect(eventsOf(two(), listing([], changes))).toEqual([]);
  });
});

describe('changed facts', () => {
  const [location] = paneFacts(0).locations;
  if (!location) throw new Error('no location');
  const changes: [string, Partial<PaneFacts>][] = [
    ['title', { title: 'new' }],
    ['command', { command: 'bash' }],
    ['path', { path: '/elsewhere' }],
    ['death', { dead: true }],
    ['opacity', { opaque: true }],
    ['session name', { locations: [{ ...location, sessionName: 'renamed' }] }],
    ['window name', { locations: [{ ...location, windowName: 'renamed' }] }],
    ['window index', { locations: [{ ...location, windowIndex: 9 }] }],
    ['window', { locations: [{ ...location, windowId: '@9' }] }],
    ['pane index', { locations: [{ ...location, paneIndex: 3 }] }],
    ['activity', { locations: [{ ...location, active: false }] }],
    [
      'a second session',
      { locations: [location, { ...location, sessionId: '$2', sessionName: 'b' }] },
    ],
    ['no session', { locations: [] }],
  ];
  test.each(changes)('make pane.changed: %s', (_name, change) => {
    const shown = listing([paneFacts(0, change), paneFacts(1)]);
    expect(eventsOf(two(), shown)).toEqual([['pane.changed', paneKey(0), null]]);
  });

  test('make no event at the second listing', () => {
    const shown = listing([paneFacts(0, { title: 'new' }), paneFacts(1)]);
    expect(eventsOf(two().observe({ kind: 'listing', listing: shown }), shown)).toEqual([]);
  });
});

describe('a linked session', () => {
  const [location] = paneFacts(0).locations;
  if (!location) throw new Error('no location');
  const linked = paneFacts(0, {
    locations: [location, { ...location, sessionId: '$2', sessionName: 'other' }],
  });

  test('shows one pane in two places, and it is one pane', () => {
    const run = new Run([]).observe({ kind: 'listing', listing: listing([linked]) });
    expect(run.world.panes.size).toBe(1);
    expect(run.world.panes.get(paneKey(0))?.facts?.locations).toHaveLength(2);
  });
});

describe('once a listing was applied', () => {
  test('the address of a pane leads to its current instance', () => {
    const reborn = paneFacts(0, { birth: { pid: 9_999, startedAtMs: T0 } });
    const run = new Run().observe({ kind: 'listing', listing: listing([reborn]) });
    expect([...run.world.addresses.values()]).toEqual([paneKeyOf(reborn)]);
    expect(run.row()).toMatchObject({ presence: 'missing', reasonCode: 'pane_gone' });
  });

  test('a closed pane has no address, and its runtime has ended', () => {
    const run = new Run().observe({ kind: 'listing', listing: listing([]) });
    expect(run.world.addresses.size).toBe(0);
    expect(run.row()).toMatchObject({ presence: 'missing', runtimeId: null });
  });

  test('a gone pane that is listed again is present again', () => {
    const run = new Run([...agents().slice(0, -1)]);
    run.observe({ kind: 'listing', listing: listing([]) });
    run.observe({ kind: 'listing', listing: listing([paneFacts(0)], { atMs: T0 + 20 }) });
    expect(run.row()).toMatchObject({ presence: 'unmanaged' });
    expect(run.world.addresses.size).toBe(1);
  });
});
