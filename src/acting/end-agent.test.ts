// Who gets the signal, where processes end between the look at them and the signal.

import { expect, it } from 'vitest';
import { endAgent } from './end-agent.ts';

const agent = { pid: 10, ppid: 1, comm: 'claude', argv: ['claude'], stat: 'S+', startedAtMs: 1 };
const tool = { ...agent, pid: 11, ppid: 10, comm: 'make', argv: ['make'] };

it('another program that has the number of an ended one by then gets no signal', async () => {
  const startedAtMs = new Map([agent, tool].map((each) => [each.pid, each.startedAtMs]));
  const signalled: number[] = [];
  const result = await endAgent({
    ...{ pid: agent.pid, startedAtMs: agent.startedAtMs, signal: 'TERM' },
    processes: {
      refresh: null,
      tree: (pid) => (pid === agent.pid ? [agent, tool] : null),
      startedAtMs: (pid) => startedAtMs.get(pid) ?? null,
      signOf: () => null,
      foregroundOf: null,
    },
    isShared: () => false,
    send: async (pids) => {
      signalled.push(...pids);
      startedAtMs.delete(agent.pid);
    },
    pause: async () => {},
    // The tool ends while the intent is stored.
    commit: () => startedAtMs.set(tool.pid, 2).size > 0,
  });
  expect(signalled).toEqual([agent.pid]);
  expect(result).toMatchObject({ result: 'delivered', detail: 'ended claude (10), make (11)' });
});
