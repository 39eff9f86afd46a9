// Which thread belongs to which pane: what may be concluded, and what must stay open.

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

test('a thread created right after a client started is bound to it', () => {
  const clients = [client('a'), client('b', { startedAtMs: START_MS + 15_000 })];
  const threads = [thread('of-b', 16_200), thread('of-a', 4_000)];
  expect(bound({ clients, threads })).toEqual({ a: 'of-a', b: 'of-b' });
});

test('two clients that start together in one folder are bound only by their titles', () => {
  const clients = [client('a'), client('b', { startedAtMs: START_MS + 20 })];
  const threads = [thread('one', 1_000), thread('two', 1_010)];
  expect(bound({ clients, threads })).toEqual({ a: '?', b: '?' });
  const named = [thread('one', 1_000, { name: 'Fix it' }), thread('two', 1_010)];
  const titled = [client('a'), client('b', { title: '⠹ Fix it | project' })];
  expect(bound({ clients: titled, threads: named })).toEqual({ a: 'two', b: 'one' });
});

test('two clients that start together in two folders are bound by folder', () => {
  const clients = [client('a'), client('b', { cwd: '/other' })];
  const threads = [thread('one', 1_000), thread('two', 1_010, { cwd: '/other' })];
  expect(bound({ clients, threads })).toEqual({ a: 'one', b: 'two' });
});

test('a title that is the name of two threads binds neither', () => {
  const clients = [client('a', { title: 'Fix it | project', startedAtMs: START_MS + 60_000 })];
  const threads = [thread('one', 0, { name: 'Fix it' }), thread('two', 10, { name: 'Fix it' })];
  expect(bound({ clients, threads })).toEqual({});
});

test('a thread older than the client is bound only when the command line names it', () => {
  const threads = [thread('old', -600_000)];
  expect(bound({ clients: [client('a')], threads })).toEqual({});
  expect(bound({ clients: [client('a', { resumes: 'old' })], threads })).toEqual({ a: 'old' });
});

test('a hidden thread is bound to no client', () => {
  const threads = [thread('title', 1_000, { isMain: false })];
  expect(bound({ clients: [client('a')], threads })).toEqual({});
});

test('a new thread in the folder makes an old binding doubtful for a while', () => {
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

test('the thread of a second client leaves the binding of the first as it is', () => {
  const clients = [client('a'), client('b', { startedAtMs: START_MS + 100_000 })];
  const threads = [thread('first', 1_000), thread('second', 101_000)];
  const lastThreads = threadsBefore({ a: 'first' });
  const nowMs = START_MS + 102_000;
  expect(bound({ clients, threads, lastThreads, nowMs })).toEqual({
    a: 'first',
    b: 'second',
  });
});

test('a thread whose client has ended is bound to no other client', () => {
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

test('the working directory binds last, and only one client with one thread', () => {
  const clients = [client('a'), client('b', { cwd: '/other' })];
  const late = [thread('one', 120_000), thread('two', 130_000, { cwd: '/other' })];
  const nowMs = START_MS + 300_000;
  expect(bound({ clients, threads: late, nowMs })).toEqual({ a: 'one', b: 'two' });
  const three = [...late, thread('three', 140_000)];
  expect(bound({ clients, threads: three, nowMs })).toEqual({ a: '?', b: 'two' });
});
