// Which thread sits in which pane: what may be concluded, and what must stay open.

import { expect, test } from 'vitest';
import { id, type RuntimeId } from '../../schema/ids.ts';
import { bindThreads, type CodexClient, type ThreadBindingInput } from './binding.ts';
import type { CodexThread } from './thread.ts';

const START_MS = 1_794_775_900_000;

const client = (name: string, more: Partial<CodexClient> = {}): CodexClient => ({
  runtimeId: id<RuntimeId>(name),
  startedAtMs: START_MS,
  cwd: '/project',
  title: 'project',
  resumes: null,
  ...more,
});

const thread = (name: string, afterMs: number, more: Partial<CodexThread> = {}): CodexThread => ({
  id: name,
  bornAtMs: START_MS + afterMs,
  cwd: '/project',
  name: null,
  path: null,
  isMain: true,
  ...more,
});

/** The thread of each client by name; `?` where it is not clear, nothing where there is none. */
function bound(input: Partial<ThreadBindingInput>): Record<string, string> {
  const bindings = bindThreads({
    clients: [],
    threads: [],
    lastThreads: new Map(),
    releasedThreads: new Set(),
    nowMs: START_MS + 20_000,
    ...input,
  });
  return Object.fromEntries([...bindings].map(([key, each]) => [key, each?.id ?? '?']));
}

const threadsBefore = (entries: Record<string, string>): ReadonlyMap<RuntimeId, string> =>
  new Map(Object.entries(entries).map(([key, value]) => [id<RuntimeId>(key), value]));

test('a thread that is born with a process is its own', () => {
  const clients = [client('a'), client('b', { startedAtMs: START_MS + 15_000 })];
  const threads = [thread('of-b', 16_200), thread('of-a', 4_000)];
  expect(bound({ clients, threads })).toEqual({ a: 'of-a', b: 'of-b' });
});

test('two that start together in one folder are told apart by their titles only', () => {
  const clients = [client('a'), client('b', { startedAtMs: START_MS + 20 })];
  const threads = [thread('one', 1_000), thread('two', 1_010)];
  expect(bound({ clients, threads })).toEqual({ a: '?', b: '?' });
  const named = [thread('one', 1_000, { name: 'Fix it' }), thread('two', 1_010)];
  const titled = [client('a'), client('b', { title: '⠹ Fix it | project' })];
  expect(bound({ clients: titled, threads: named })).toEqual({ a: 'two', b: 'one' });
});

test('two that start together in two folders are told apart by them', () => {
  const clients = [client('a'), client('b', { cwd: '/other' })];
  const threads = [thread('one', 1_000), thread('two', 1_010, { cwd: '/other' })];
  expect(bound({ clients, threads })).toEqual({ a: 'one', b: 'two' });
});

test('the same name on two threads names neither', () => {
  const clients = [client('a', { title: 'Fix it | project', startedAtMs: START_MS + 60_000 })];
  const threads = [thread('one', 0, { name: 'Fix it' }), thread('two', 10, { name: 'Fix it' })];
  expect(bound({ clients, threads })).toEqual({});
});

test('what was there before a process is not its own, unless it is named', () => {
  const threads = [thread('old', -600_000)];
  expect(bound({ clients: [client('a')], threads })).toEqual({});
  expect(bound({ clients: [client('a', { resumes: 'old' })], threads })).toEqual({ a: 'old' });
});

test('hidden threads are nobody’s', () => {
  const threads = [thread('title', 1_000, { isMain: false })];
  expect(bound({ clients: [client('a')], threads })).toEqual({});
});

test('a new thread in the folder puts the old pair in doubt until it is clear', () => {
  const clients = [client('a')];
  const threads = [thread('first', 1_000), thread('second', 100_000)];
  const lastThreads = threadsBefore({ a: 'first' });
  const soon = START_MS + 101_000;
  expect(bound({ clients, threads, lastThreads, nowMs: soon })).toEqual({ a: '?' });
  // The first was closed: the only one left is where it has gone.
  const rest = threads.slice(1);
  expect(bound({ clients, threads: rest, lastThreads, nowMs: soon + 60_000 })).toEqual({
    a: 'second',
  });
  // It is still open long after: the second is somebody else's.
  expect(bound({ clients, threads, lastThreads, nowMs: soon + 90_000 })).toEqual({
    a: 'first',
  });
});

test('the thread of one that came beside it puts nobody in doubt', () => {
  const clients = [client('a'), client('b', { startedAtMs: START_MS + 100_000 })];
  const threads = [thread('first', 1_000), thread('second', 101_000)];
  const lastThreads = threadsBefore({ a: 'first' });
  const nowMs = START_MS + 102_000;
  expect(bound({ clients, threads, lastThreads, nowMs })).toEqual({
    a: 'first',
    b: 'second',
  });
});

test('a thread whose client has ended goes on without a pane', () => {
  const clients = [client('a')];
  const threads = [thread('first', 1_000), thread('second', 5_000)];
  const lastThreads = threadsBefore({ a: 'first' });
  const releasedThreads = new Set(['second']);
  expect(bound({ clients, threads, lastThreads, releasedThreads })).toEqual({
    a: 'first',
  });
  expect(
    bound({
      clients,
      threads: threads.slice(1),
      lastThreads: lastThreads,
      releasedThreads: releasedThreads,
    }),
  ).toEqual({});
});

test('the working directory decides last, and only between one and one', () => {
  const clients = [client('a'), client('b', { cwd: '/other' })];
  const late = [thread('one', 120_000), thread('two', 130_000, { cwd: '/other' })];
  const nowMs = START_MS + 300_000;
  expect(bound({ clients, threads: late, nowMs })).toEqual({ a: 'one', b: 'two' });
  const three = [...late, thread('three', 140_000)];
  expect(bound({ clients, threads: three, nowMs })).toEqual({ a: '?', b: 'two' });
});
