// Facts about a process from its command line, its environment and its open files.

import { expect, test } from 'vitest';
import type { MachineFiles } from '../files/machine-files.ts';
import { codexProcess, openThreads, sharedSocket } from './process.ts';

const THREAD = '01a1e0fb-5aa2-71b3-bb53-09e80256da3d';
const ROLLOUT = `/h/.codex/sessions/2026/11/15/rollout-2026-11-15T20-52-11-${THREAD}.jsonl`;

interface FakeProcess {
  readonly comm: string;
  readonly argv?: readonly string[];
  readonly children?: readonly number[];
  readonly env?: Readonly<Record<string, string>>;
  readonly open?: readonly string[];
}

/** A machine where only these processes run. */
function machine(processes: Readonly<Record<number, FakeProcess>>): MachineFiles {
  const textOf = (path: string): string | undefined => {
    const [, , pid = '', ...rest] = path.split('/');
    const found = processes[Number(pid)];
    switch (rest.at(-1)) {
      case 'comm':
        return found && `${found.comm}\n`;
      case 'cmdline':
        return found?.argv?.join('\0');
      case 'children':
        return found && `${(found.children ?? []).join(' ')} `;
      default:
        return undefined;
    }
  };
  return {
    home: '/h',
    facts: async () => null,
    read: async (path) => {
      const text = textOf(path);
      return text === undefined ? null : Buffer.from(text);
    },
    list: async () => null,
    environment: async (pid) => processes[pid]?.env ?? null,
    openFiles: async (pid) => processes[pid]?.open ?? null,
    listeningPorts: async () => null,
    watch: () => ({ [Symbol.dispose]() {} }),
  };
}

const codex = (...args: readonly string[]): FakeProcess => ({
  comm: 'codex',
  argv: ['/usr/bin/codex', ...args],
  env: { HOME: '/h' },
});

const looked = (...args: readonly string[]) => codexProcess(machine({ 7: codex(...args) }), 7);

test('the home folder comes from CODEX_HOME or HOME of the process', async () => {
  expect((await looked())?.home).toBe('/h/.codex');
  const env = { CODEX_HOME: '/elsewhere', HOME: '/h' };
  const found = await codexProcess(machine({ 7: { ...codex(), env } }), 7);
  expect(sharedSocket(found?.home ?? '')).toBe(
    '/elsewhere/app-server-control/app-server-control.sock',
  );
});

test('the child of a launcher is the Codex process', async () => {
  const files = machine({ 7: { comm: 'node', children: [8, 9] }, 8: { comm: 'sh' }, 9: codex() });
  expect((await codexProcess(files, 7))?.pid).toBe(9);
  expect(await codexProcess(machine({ 7: { comm: 'node' } }), 7)).toBeNull();
});

test.each([
  [[], { remote: null, folder: null, resumes: null, isAlone: false }],
  [['resume', THREAD], { resumes: THREAD }],
  [['resume', '--last'], { resumes: null }],
  [['--remote', 'unix:///run/mine.sock'], { remote: '/run/mine.sock', isAlone: false }],
  [['--remote=unix:///run/mine.sock'], { remote: '/run/mine.sock', isAlone: false }],
  [['--remote', 'ws://host:1'], { remote: null, isAlone: true }],
  [['--no-daemon', 'do it'], { isAlone: true }],
  [['exec', '--json', 'do it'], { isAlone: true }],
  [['-C', '../other', 'exec it'], { folder: '../other', isAlone: false }],
])('the command line %j is understood', async (args, expected) => {
  expect(await looked(...args)).toMatchObject(expected);
});

test('a process that holds a lock or a rollout has threads of its own', async () => {
  const files = machine({
    1: { comm: 'codex', open: ['/dev/pts/1', '/h/.codex/logs_2.sqlite'] },
    2: { comm: 'codex', open: [`/h/.codex/thread-writer-locks/${THREAD}.lock`] },
    3: { comm: 'codex', open: [ROLLOUT, ROLLOUT] },
  });
  expect(await openThreads(files, 1)).toEqual({ threadIds: [], rollouts: [] });
  expect(await openThreads(files, 2)).toEqual({ threadIds: [THREAD], rollouts: [] });
  const rollouts = [{ threadId: THREAD, path: ROLLOUT }];
  expect(await openThreads(files, 3)).toEqual({ threadIds: [THREAD], rollouts });
  expect(await openThreads(files, 4)).toBeNull();
});
