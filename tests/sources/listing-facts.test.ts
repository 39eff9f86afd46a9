// From rows of tmux to the facts of panes: each pane once, births that do not change, titles that
// are news only when they say something new.

import { describe, expect, it } from 'vitest';
import {
  type ListingInput,
  listingFacts,
  type PaneMemory,
  rememberTitle,
  withoutSpinner,
} from '../../src/sources/panes/listing-facts.ts';
import { address, row, T0 } from './fixture.ts';

const read = (changes: Partial<ListingInput>) =>
  listingFacts({
    address,
    rows: [row()],
    nowMs: T0,
    remembered: () => null,
    rereadsBirths: true,
    startedAtMs: (pid) => T0 - pid,
    isOpaque: () => false,
    ...changes,
  });

const memory = (changes: Partial<PaneMemory> = {}): PaneMemory => ({
  birth: { pid: 100, startedAtMs: T0 - 100 },
  title: 'host',
  titleAtMs: T0 - 60_000,
  quickTitles: 0,
  ...changes,
});

describe('a listing', () => {
  it('holds the generation of its server, its address and its panes', () => {
    const listing = read({ rows: [row({ title: 'a title', currentCommand: 'vim' })] });
    expect(listing).toMatchObject({
      ...address,
      generation: { pid: 10, startedAtMs: T0 },
      atMs: T0,
      panes: [
        {
          ...address,
          paneId: '%1',
          birth: { pid: 100, startedAtMs: T0 - 100 },
          title: 'a title',
          command: 'vim',
          path: '/home/someone',
          dead: false,
          opaque: false,
        },
      ],
    });
  });

  it('of nothing has no generation', () => {
    expect(read({ rows: [] })).toMatchObject({ generation: null, panes: [] });
  });

  it('has a pane once that several sessions show, with all of its places', () => {
    const rows = [
      row({ paneId: '%1', sessionId: '$1', sessionName: 'one' }),
      row({ paneId: '%2', panePid: 101 }),
      row({ paneId: '%1', sessionId: '$2', sessionName: 'two', windowActive: false }),
    ];
    const { panes } = read({ rows });
    expect(panes.map(({ paneId }) => paneId)).toEqual(['%1', '%2']);
    expect(panes[0]?.locations.map(({ sessionId, active }) => [sessionId, active])).toEqual([
      ['$1', true],
      ['$2', false],
    ]);
  });

  it('is bounded where a pane is shown without end or has an endless title', () => {
    const rows = Array.from({ length: 200 }, (_, index) =>
      row({ sessionId: `$${index}`, title: 'x'.repeat(100_000) }),
    );
    const [pane] = read({ rows }).panes;
    expect(pane?.locations.length).toBeLessThanOrEqual(64);
    expect(pane?.title.length).toBeLessThanOrEqual(10_000);
  });
});

describe('the birth of a pane', () => {
  it('is read again only when asked to, for a process that is known', () => {
    const remembered = () => memory({ birth: { pid: 100, startedAtMs: 7 } });
    const birthOf = (rereadsBirths: boolean) => read({ remembered, rereadsBirths }).panes[0]?.birth;
    expect(birthOf(false)).toEqual({ pid: 100, startedAtMs: 7 });
    expect(birthOf(true)).toEqual({ pid: 100, startedAtMs: T0 - 100 });
  });

  it('is that of its first process', () => {
    expect(read({}).panes[0]?.birth).toEqual({ pid: 100, startedAtMs: T0 - 100 });
  });

  it('stays when the process has ended, also where its number was given to another', () => {
    const rows = [row({ dead: true })];
    const remembered = () => memory({ birth: { pid: 100, startedAtMs: 7 } });
    for (const startedAtMs of [() => null, () => T0]) {
      const { panes } = read({ rows, remembered, startedAtMs });
      expect(panes[0]?.birth).toEqual({ pid: 100, startedAtMs: 7 });
    }
  });

  it('stays while a process that is just ending cannot be asked', () => {
    const remembered = () => memory({ birth: { pid: 100, startedAtMs: 7 } });
    const { panes } = read({ remembered, startedAtMs: () => null });
    expect(panes[0]?.birth).toEqual({ pid: 100, startedAtMs: 7 });
  });

  it('is another one after a respawn', () => {
    const rows = [row({ panePid: 300 })];
    expect(read({ rows, remembered: () => memory() }).panes[0]?.birth).toEqual({
      pid: 300,
      startedAtMs: T0 - 300,
    });
  });
});

describe('the title of a pane', () => {
  const title = (now: string, known: Partial<PaneMemory>, nowMs = T0) =>
    read({ rows: [row({ title: now })], nowMs, remembered: () => memory(known) }).panes[0]?.title;

  it('is no news when only a spinner turned', () => {
    expect(title('⠐ Fix the tests', { title: '⠂ Fix the tests' })).toBe('⠂ Fix the tests');
    expect(title('✳ Fix the tests', { title: '⠂ Fix the tests' })).toBe('⠂ Fix the tests');
  });

  it('is taken over when its words changed', () => {
    expect(title('⠂ Write the docs', { title: '⠂ Fix the tests' })).toBe('⠂ Write the docs');
  });

  it('that changes all the time is taken over only now and then', () => {
    const known = { title: '10 %', titleAtMs: T0 - 1_000, quickTitles: 5 };
    expect(title('11 %', known)).toBe('10 %');
    expect(title('14 %', known, T0 + 2_500)).toBe('14 %');
  });

  it('that changes a second time is taken over within a second', () => {
    const known = { title: 'one', titleAtMs: T0 - 500 };
    expect(title('two', known)).toBe('one');
    expect(title('two', known, T0 + 400)).toBe('two');
  });

  it('counts how many came soon after another, and begins again after a pause', () => {
    const first = memory({ title: 'a', titleAtMs: T0, quickTitles: 2 });
    expect(rememberTitle(first, 'b', T0 + 1_000)).toMatchObject({ quickTitles: 3 });
    expect(rememberTitle(first, 'a', T0 + 1_000)).toMatchObject({ titleAtMs: T0 });
    expect(rememberTitle(first, 'b', T0 + 60_000)).toMatchObject({ quickTitles: 0 });
  });

  it.each([
    ['machine.example.org', true],
    ['machine', true],
    ['machine: make', undefined],
  ])('%j on the machine machine.example.org is its name: %j', (title, isHostTitle) => {
    const [pane] = read({ rows: [row({ title })] }).panes;
    expect([pane?.title, pane?.isHostTitle]).toEqual([title, isHostTitle]);
  });

  it('is compared without signs in front, and letters and digits are no signs', () => {
    expect(withoutSpinner('⠋ ✳ 3 files ')).toBe('3 files');
    expect(withoutSpinner('Écrire')).toBe('Écrire');
    expect(withoutSpinner('⠋')).toBe('');
  });
});
