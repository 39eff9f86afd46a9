// Threads as Codex 0.166 describes them, and what is read from an id and a title.

import { expect, test } from 'vitest';
import { bornAtMs, isMainRollout, isTitleOf, threadOf, threadOfRollout } from './thread.ts';

const ID = '01a1e0fb-5aa2-71b3-bb53-09e80256da3d';
const PATH = `/home/u/.codex/sessions/2026/11/15/rollout-2026-11-15T20-52-11-${ID}.jsonl`;

/** As thread/read answered, shortened. */
const read = {
  id: ID,
  parentThreadId: null,
  preview: '',
  ephemeral: false,
  createdAt: 1794775986,
  status: { type: 'idle' },
  path: PATH,
  cwd: '/home/u/project',
  originator: 'codex-tui',
  source: 'vscode',
  threadSource: 'user',
  name: null,
  turns: [],
};

test('a thread has its time of birth, folder and rollout', () => {
  expect(threadOf(read)).toEqual({
    id: ID,
    bornAtMs: 1794775931554,
    cwd: '/home/u/project',
    name: null,
    path: PATH,
    isMain: true,
  });
});

test('hidden threads and threads of subagents are not main threads', () => {
  expect(threadOf({ ...read, ephemeral: true, threadSource: 'thread_title' })?.isMain).toBe(false);
  expect(threadOf({ ...read, parentThreadId: ID })?.isMain).toBe(false);
  expect(threadOf({ ...read, source: { subAgent: 'review' } })?.isMain).toBe(false);
  expect(isMainRollout({ payload: { source: 'cli', thread_source: 'user' } })).toBe(true);
  expect(isMainRollout({ payload: { source: { subagent: 'review' } } })).toBe(false);
  expect(isMainRollout({ payload: { source: 'cli', thread_source: 'thread_title' } })).toBe(false);
});

test('a value without a thread id is no thread', () => {
  expect(threadOf({})).toBeNull();
  expect(threadOf({ ...read, id: '../../etc' })).toBeNull();
  expect(bornAtMs('5973b6c0-94b8-487b-a530-2aeb6098ae0e')).toBeNull();
});

test('the name of a rollout holds its thread id', () => {
  expect(threadOfRollout(PATH)).toBe(ID);
  expect(threadOfRollout(`/home/u/.codex/thread-writer-locks/${ID}.lock`)).toBeNull();
});

test('a title names a thread by its id, or by its name before the project', () => {
  const thread = threadOf({ ...read, name: 'Fix the parser' });
  if (thread === null) throw new Error('no thread');
  expect(isTitleOf('⠹ Fix the parser | project', thread)).toBe(true);
  expect(isTitleOf('[ ! ] Action Required | Fix the parser | project', thread)).toBe(true);
  expect(isTitleOf(`${ID.slice(0, 29)}... | project`, thread)).toBe(true);
  expect(isTitleOf('Fix the parser too | project', thread)).toBe(false);
  // The project is all that the title of a thread without a name shows.
  expect(isTitleOf('project', { ...thread, name: 'project' })).toBe(false);
});
