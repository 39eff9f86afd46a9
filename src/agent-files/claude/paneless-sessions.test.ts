// What is handed on of sessions in no pane, where the folder of their files is a table.

import { expect, it, onTestFinished, vi } from 'vitest';
import type { MachineFiles } from '../files/machine-files.ts';
import { PanelessClaudeSessions, type PanelessSession } from './paneless-sessions.ts';

const NOW_MS = 1_800_000_000_000;
const PID = 77;
const CONFIG = '/home/me/.claude';
const SESSIONS = `${CONFIG}/sessions`;

const texts: Readonly<Record<string, string>> = {
  [`/proc/${PID}/stat`]: `${PID} (claude) S 1 ${'0 '.repeat(17)}4711 0`,
  [`${SESSIONS}/${PID}.json`]: JSON.stringify({
    ...{ pid: PID, sessionId: 'one', procStart: '4711', startedAt: NOW_MS - 60_000 },
    ...{ cwd: '/srv', status: 'waiting' },
  }),
};

/** Looks once, and gives what was handed on: the process ids of each time. */
async function look(folders: { current: Readonly<Record<string, readonly string[]>> }) {
  const handed: (readonly number[])[] = [];
  const counts = { looks: 0 };
  const none = (): never => {
    throw new Error('nobody asks for this');
  };
  const files: MachineFiles = {
    home: '/home/me',
    facts: async () => null,
    read: async (path) => Buffer.from(texts[path] ?? ''),
    list: async (folder) => {
      if (folder === SESSIONS) counts.looks += 1;
      return folders.current[folder] ?? null;
    },
    ...{ environment: none, openFiles: none, listeningPorts: none },
    watch: () => ({ [Symbol.dispose]: () => {} }),
  };
  const sessions = new PanelessClaudeSessions({
    files,
    nowMs: () => NOW_MS,
    heldPids: () => new Set(),
    isListed: ({ pid, startedAtMs }: PanelessSession) =>
      pid === PID && startedAtMs === NOW_MS - 60_000,
    onSessions: (found) => handed.push(found.map(({ pid }) => pid)),
    onProblem: (problem) => expect.unreachable(problem),
  });
  onTestFinished(() => sessions[Symbol.dispose]());
  const lookAgain = async (): Promise<void> => {
    const { looks } = counts;
    sessions.look();
    await vi.waitFor(() => expect(counts.looks).toBeGreaterThan(looks), { timeout: 10_000 });
  };
  await lookAgain();
  return { handed, lookAgain };
}

const listed = { [CONFIG]: ['sessions'], [SESSIONS]: [`${PID}.json`] };

it('a session that is listed already is there from the first look on', async () => {
  const { handed } = await look({ current: listed });
  await vi.waitFor(() => expect(handed).toEqual([[PID]]));
});

it('a folder that cannot be listed says nothing; an absent one holds none', async () => {
  for (const unreadable of [{}, { [CONFIG]: ['sessions'] }]) {
    const folders = { current: unreadable as typeof listed };
    const { handed, lookAgain } = await look(folders);
    folders.current = listed;
    await lookAgain();
    await vi.waitFor(() => expect(handed).toEqual([[PID]]));
  }
  const { handed } = await look({ current: { [CONFIG]: ['projects'] } });
  await vi.waitFor(() => expect(handed).toEqual([[]]));
});
