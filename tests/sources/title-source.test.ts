// Titles as evidence: the agent's own ones, submitted when they are new and read again often
// enough, never those of the program before.

import { beforeEach, describe, expect, it } from 'vitest';
import { id, type RuntimeId } from '../../src/schema/ids.ts';
import { TitleSource } from '../../src/sources/panes/title-source.ts';
import { adapter, channel, claimsOf, runtime, T0, TestDaemon } from './fixture.ts';

let daemon: TestDaemon;
let titles: TitleSource;

beforeEach(() => {
  daemon = new TestDaemon();
  titles = new TitleSource(daemon, channel);
});

const old = runtime();
const young = runtime({ startedAtMs: T0 - 1_000 });

const read = (
  title: string,
  { of = old, before = null }: { of?: typeof old; before?: string | null } = {},
) => titles.read({ runtime: of, adapter: adapter('claude'), title, before });

describe('a title', () => {
  it('of a working agent says so, with its runtime, its source and its moment', () => {
    expect(read('⠂ Fix the tests')).toMatchObject({
      runtimeId: old.runtimeId,
      source: 'title',
      channel,
      kind: 'level',
      eventTimeMs: T0,
      ingestedAtMs: T0,
      backfill: false,
      activity: { title: 'Fix the tests' },
      claims: [{ says: 'running' }],
    });
  });

  it('that no longer works takes the claim back at once', () => {
    read('⠂ Fix the tests');
    daemon.now += 250;
    expect(claimsOf(read('✳ Fix the tests'))).toEqual([]);
  });

  it('under which a shell prompts in a pane without a view inside takes its claim back', () => {
    const inside = { runtime: old, adapter: adapter('claude'), before: null };
    const title = '⠂ Fix the tests';
    expect(claimsOf(titles.read({ ...inside, title }))).toEqual(['running']);
    daemon.now += 250;
    const left = titles.read({ ...inside, title, isLeft: true });
    expect([claimsOf(left), left?.eventTimeMs]).toEqual([[], daemon.now]);
    daemon.now += 250;
    expect(claimsOf(titles.read({ ...inside, title: '⠂ Next', isLeft: false }))).toEqual([
      'running',
    ]);
  });

  it('is stamped with the moment of its change, however often it is read', () => {
    read('✳ Claude Code');
    daemon.now += 5_000;
    const changedAtMs = daemon.now;
    expect(read('⠂ Fix the tests')?.eventTimeMs).toBe(changedAtMs);
    daemon.now += 5_000;
    expect(read('⠂ Fix the tests')?.eventTimeMs).toBe(changedAtMs);
  });

  it('that only turns its spinner five times a second is submitted every two seconds', () => {
    let readCount = 0;
    for (let ms = 0; ms < 20_000; ms += 200) {
      daemon.now = T0 + ms;
      if (read(`${ms % 400 === 0 ? '⠂' : '⠐'} Fix the tests`)) readCount += 1;
    }
    expect(readCount).toBeGreaterThanOrEqual(8);
    expect(readCount).toBeLessThanOrEqual(12);
  });

  it('with other words and the same claim is submitted within a second', () => {
    expect(read('⠂ Fix the tests')).not.toBeNull();
    daemon.now += 500;
    expect(read('⠂ Write the docs')).toBeNull();
    daemon.now += 500;
    expect(read('⠂ Write the docs')?.activity?.title).toBe('Write the docs');
  });

  it('that does not change is read again about once a second', () => {
    const times: number[] = [];
    for (let ms = 0; ms < 10_000; ms += 100) {
      daemon.now = T0 + ms;
      if (read('⠂ Fix the tests')) times.push(ms);
    }
    expect(times.length).toBeGreaterThanOrEqual(9);
    expect(times.length).toBeLessThanOrEqual(12);
  });

  it('of an agent without a title source is nobody’s', () => {
    const of = runtime();
    const generic = adapter('generic');
    expect(titles.read({ runtime: of, adapter: generic, title: '⠂ x', before: null })).toBeNull();
  });
});

describe('a title from before', () => {
  it('is not the agent’s until it changes', () => {
    expect(read('⠂ Old task', { before: '⠂ Old task' })).toBeNull();
    daemon.now += 60_000;
    expect(read('⠂ Old task', { before: '⠂ Old task' })).toBeNull();
    daemon.now += 1_000;
    expect(claimsOf(read('⠂ New task', { before: '⠂ Old task' }))).toEqual(['running']);
  });

  it('is not the agent’s either when its spinner has turned once more before it died', () => {
    expect(read('⠐ Old task', { before: '⠂ Old task' })).toBeNull();
    daemon.now += 5_000;
    expect(read('⠐ Old task', { before: '⠂ Old task' })).toBeNull();
  });

  it('gives no state of the agent that came after it', () => {
    read('⠂ Old task', { before: '⠂ Old task' });
    daemon.now += 1_000;
    // Codex reads a rest out of what remains of a working title: that one was not its own.
    const codex = runtime({ runtimeId: id<RuntimeId>('runtime-2') });
    const at = (title: string) =>
      titles.read({ runtime: codex, adapter: adapter('codex'), title, before: '⠋ project' });
    expect(at('⠋ project')).toBeNull();
    daemon.now += 1_000;
    expect(claimsOf(at('project')) ?? []).toEqual([]);
  });

  it('does not hide the agent’s own spinner over the same words', () => {
    const codex = runtime({ runtimeId: id<RuntimeId>('runtime-2') });
    const at = (title: string) =>
      titles.read({ runtime: codex, adapter: adapter('codex'), title, before: 'project' });
    expect(at('project')).toBeNull();
    daemon.now += 10_000;
    expect(claimsOf(at('⠋ project'))).toEqual(['running']);
  });

  it('that was another one counts at once', () => {
    expect(claimsOf(read('⠂ New task', { before: 'host' }))).toEqual(['running']);
  });

  it('of a pane that is new to us counts only for an agent that had time to write its own', () => {
    expect(read('⠂ Task', { of: young })).toBeNull();
    titles.keep(new Set());
    expect(claimsOf(read('⠂ Task', { of: old }))).toEqual(['running']);
  });
});

describe('runtimes', () => {
  it('have titles of their own', () => {
    const second = runtime({ runtimeId: id<RuntimeId>('runtime-2') });
    read('⠂ Task');
    expect(read('⠂ Task', { of: second, before: '⠂ Task' })).toBeNull();
    daemon.now += 1_000;
    expect(claimsOf(read('⠂ Task'))).toEqual(['running']);
  });

  it('that are gone are forgotten', () => {
    read('⠂ Task', { before: '⠂ Task' });
    titles.keep(new Set([old.runtimeId]));
    expect(read('⠂ Task', { before: '⠂ Task' })).toBeNull();
    titles.keep(new Set());
    expect(claimsOf(read('⠂ Task', { before: 'host' }))).toEqual(['running']);
  });

  it('that stood there before the agent is foreign to it until it writes its own', () => {
    const left = '[ ! ] Action Required | proj';
    read(left, { of: young, before: left });
    expect(titles.originOf(young.runtimeId, left)).toBe('foreign');
    expect(titles.originOf(young.runtimeId, '⠂ proj')).toBe('own');
    read('proj', { of: young, before: left });
    expect(titles.originOf(young.runtimeId, left)).toBe('own');
  });

  it('of another agent of its kind that was left at work is recognised', () => {
    read('⠂ Task', { of: young, before: '⠐ Task' });
    expect(titles.originOf(young.runtimeId, '⠂ Task')).toBe('left_at_work');
    expect(titles.originOf(young.runtimeId, '✳ Task')).toBe('foreign');
    titles.keep(new Set());
    read('⠂ Task', { of: young, before: null });
    expect(titles.originOf(young.runtimeId, '⠂ Task')).toBe('foreign');
  });
});
