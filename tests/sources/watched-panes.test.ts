// What is remembered of panes between two listings.

import { describe, expect, it } from 'vitest';
import { LocalProcesses } from '../../src/platform/process/processes.ts';
import { id, type RuntimeId } from '../../src/schema/ids.ts';
import { WatchedPanes } from '../../src/sources/watch/watched-panes.ts';
import { LISTED_MAX, type ListedPane } from '../../src/tmux/listing.ts';
import { address, knownPane, makeFolder, row, T0 } from './fixture.ts';

const watched = (...rows: readonly ListedPane[]): WatchedPanes => {
  const panes = new WatchedPanes(address, new LocalProcesses(makeFolder()), () => null);
  panes.listed(rows);
  return panes;
};

const first = (panes: WatchedPanes) => {
  const pane = panes.at('%1');
  if (!pane) throw new Error('the pane is not watched');
  return pane;
};

const runtimeId = (n: number): RuntimeId => id<RuntimeId>(`runtime-${n}`);
const notOpaque = () => false;
const BACKSTOP_MS = 5_000;

describe('a listing of which rows cannot be read', () => {
  it('closes no pane, and the next one that can be read does', () => {
    const panes = watched(row(), row({ paneId: '%2', panePid: 102 }));
    panes.listed([row({ title: 'new' })], 1);
    expect(panes.ids).toEqual(['%1', '%2']);
    expect(first(panes).row.title).toBe('new');
    const listing = panes.factsIfNew(T0, BACKSTOP_MS, notOpaque);
    expect(listing?.panes.map(({ paneId }) => paneId)).toEqual(['%1', '%2']);
    panes.listed([], 2);
    expect(panes.ids).toEqual(['%1', '%2']);
    panes.listed([row()]);
    expect(panes.ids).toEqual(['%1']);
  });

  it('keeps no rows without end of one that lists others each time', () => {
    const panes = watched();
    for (let round = 0; round < 3; round += 1) {
      const from = round * LISTED_MAX;
      panes.listed(
        Array.from({ length: LISTED_MAX }, (_, index) => row({ paneId: `%${from + index}` })),
        1,
      );
    }
    expect(panes.ids).toHaveLength(LISTED_MAX);
  });

  it('keeps nothing of a server that has ended', () => {
    const panes = watched(row(), row({ paneId: '%2', panePid: 102 }));
    panes.listed([row({ serverPid: 11 })], 1);
    expect(panes.ids).toEqual(['%1']);
  });
});

describe('the facts of the panes', () => {
  it('are submitted when something is new, and else only now and then', () => {
    const panes = watched(row());
    expect(panes.factsIfNew(T0, BACKSTOP_MS, notOpaque)?.panes).toHaveLength(1);
    expect(panes.factsIfNew(T0 + 200, BACKSTOP_MS, notOpaque)).toBeNull();
    panes.listed([row({ currentCommand: 'vim' })]);
    expect(panes.factsIfNew(T0 + 400, BACKSTOP_MS, notOpaque)?.panes[0]?.command).toBe('vim');
    expect(panes.factsIfNew(T0 + 600, BACKSTOP_MS, notOpaque)).toBeNull();
    expect(panes.factsIfNew(T0 + 10_000, BACKSTOP_MS, notOpaque)).not.toBeNull();
  });

  it('are submitted when a pane became opaque', () => {
    const panes = watched(row());
    panes.factsIfNew(T0, BACKSTOP_MS, notOpaque);
    expect(panes.factsIfNew(T0 + 200, BACKSTOP_MS, () => true)?.panes[0]?.opaque).toBe(true);
  });

  it('are submitted anew when the server was thought gone and is back as it was', () => {
    const panes = watched(row());
    panes.factsIfNew(T0, BACKSTOP_MS, notOpaque);
    panes.clear();
    expect(panes.ids).toEqual([]);
    panes.listed([row()]);
    expect(panes.factsIfNew(T0 + 200, BACKSTOP_MS, notOpaque)?.panes).toHaveLength(1);
  });

  it('take over a title that was held back', () => {
    const panes = watched(row({ title: 'one' }));
    panes.factsIfNew(T0, BACKSTOP_MS, notOpaque);
    panes.listed([row({ title: 'two' })]);
    expect(panes.factsIfNew(T0 + 500, BACKSTOP_MS, notOpaque)?.panes[0]?.title).toBe('one');
    expect(panes.owesTitle).toBe(true);
    panes.listed([row({ title: 'two' })]);
    expect(panes.factsIfNew(T0 + 1_000, BACKSTOP_MS, notOpaque)?.panes[0]?.title).toBe('two');
    expect(panes.owesTitle).toBe(false);
  });
});

describe('a dead pane from before our start', () => {
  it('keeps the birth that the daemon remembers', () => {
    const birth = { pid: 100, startedAtMs: 7 };
    const processes = new LocalProcesses(makeFolder());
    const panes = new WatchedPanes(address, processes, () =>
      knownPane(null, { birth, title: 'host' }),
    );
    panes.listed([row({ dead: true })]);
    expect(panes.factsIfNew(T0, BACKSTOP_MS, notOpaque)?.panes[0]?.birth).toEqual(birth);
  });
});

describe('a watched pane', () => {
  it('is forgotten with its listing, and is another one after a respawn', () => {
    const panes = watched(row(), row({ paneId: '%2' }));
    const before = first(panes);
    panes.listed([row({ title: 'new' })]);
    expect(panes.ids).toEqual(['%1']);
    expect(first(panes)).toBe(before);
    panes.listed([row({ panePid: 300 })]);
    expect(first(panes)).not.toBe(before);
  });

  it('may be tapped through any session that shows it and does not end when left', () => {
    const panes = watched(
      row({ sessionId: '$1', destroyUnattached: true }),
      row({ sessionId: '$2' }),
      row({ sessionId: '$3' }),
    );
    expect(first(panes).sessionIds).toEqual(['$2', '$3']);
  });

  it('knows the title that stood there before a runtime came', () => {
    const panes = watched(row({ title: 'one' }));
    expect(panes.titleBefore(first(panes), null)).toBeNull();
    panes.listed([row({ title: 'two' })]);
    expect(panes.titleBefore(first(panes), runtimeId(1))).toBe('one');
    panes.listed([row({ title: 'three' })]);
    expect(panes.titleBefore(first(panes), runtimeId(1))).toBe('one');
    panes.listed([row({ title: 'four' })]);
    expect(panes.titleBefore(first(panes), runtimeId(2))).toBe('three');
  });

  it('of an agent that was there when the pane was first seen has no title before', () => {
    const panes = watched(row({ title: 'one' }));
    expect(panes.titleBefore(first(panes), runtimeId(1))).toBeNull();
    expect(panes.titleBefore(first(panes), runtimeId(1))).toBeNull();
  });

  it('has the title that a look showed until another listing shows one', () => {
    const panes = watched(row({ title: '⠂ one' }));
    panes.titleBefore(first(panes), runtimeId(1));
    first(panes).lastTitle = '✳ one';
    panes.titleBefore(first(panes), runtimeId(1));
    expect(first(panes).lastTitle).toBe('✳ one');
    panes.listed([row({ title: '⠐ one' })]);
    panes.titleBefore(first(panes), runtimeId(1));
    expect(first(panes).lastTitle).toBe('⠐ one');
  });

  it('may have changed when its window was active since it was asked, or anything moved', () => {
    const panes = watched(row({ windowActivity: T0 / 1000 }));
    expect(panes.takeChanged(T0 + 500)).toHaveLength(1);
    expect(panes.takeChanged(T0 + 3_500)).toHaveLength(1);
    expect(panes.takeChanged(T0 + 5_000)).toEqual([]);
    panes.listed([row({ windowActivity: T0 / 1000, cursor: { x: 1, y: 0 } })]);
    expect(panes.takeChanged(T0 + 5_200)).toHaveLength(1);
    expect(panes.takeChanged(T0 + 5_400)).toEqual([]);
  });
});
