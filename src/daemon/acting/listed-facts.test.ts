import { expect, it } from 'vitest';
import { emptyWorld, type PaneRecord, type World } from '../../core/world.ts';
import { id, type PaneKey, type RuntimeId } from '../../schema/ids.ts';
import type { PaneFacts } from '../../schema/pane.ts';
import { listedFacts } from './listed-facts.ts';

const NOW_MS = 100_000;
const paneKey = id<PaneKey>('pane');

function worldWith(command: string, runtime = 'r1', startedAtMs = NOW_MS - 500): World {
  const runtimeId = id<RuntimeId>(runtime);
  const pane = { paneKey, runtimeId, facts: { command } } as unknown as PaneRecord;
  const record = { runtimeId, paneKey, endedAtMs: null, startedAtMs };
  const runtimes = new Map([[runtimeId, record]]) as unknown as World['runtimes'];
  return { ...emptyWorld, panes: new Map([[paneKey, pane]]), runtimes };
}

/** tmux shows `shown` in the foreground; the listing after some pauses is `next`. */
async function factsAfter(start: World, shown: string, next: World | null) {
  let world = start;
  let nowMs = NOW_MS;
  let looks = 0;
  const control = {
    look: async () => {
      looks += 1;
      return { command: shown } as never;
    },
    pause: async (ms: number) => {
      nowMs += ms;
      if (next !== null && nowMs > NOW_MS + 1_000) world = next;
    },
  };
  const { facts } = start.panes.get(paneKey) ?? {};
  const parts = { nowMs: () => nowMs, world: () => world };
  const found = await listedFacts(parts, control, paneKey, facts as PaneFacts);
  return { command: found.command, waitedMs: nowMs - NOW_MS, looks };
}

const shell = worldWith('bash');

it('an agent that has just begun is waited for until it is listed in the foreground', async () => {
  const found = await factsAfter(shell, 'claude', worldWith('claude'));
  expect(found).toEqual({ command: 'claude', waitedMs: 1_100, looks: 1 });
});

it('one that is not listed in time is left as it was, to be refused', async () => {
  expect(await factsAfter(shell, 'claude', null)).toMatchObject({
    command: 'bash',
    waitedMs: 3_000,
  });
});

it('another agent in the pane meanwhile is never taken for it', async () => {
  const found = await factsAfter(shell, 'codex', worldWith('codex', 'r2'));
  expect(found).toMatchObject({ command: 'bash', waitedMs: 1_100 });
});

it('nothing is waited for where tmux agrees, or where the agent is older', async () => {
  const listed = await factsAfter(shell, 'bash', null);
  expect(listed).toEqual({ command: 'bash', waitedMs: 0, looks: 1 });
  const old = await factsAfter(worldWith('bash', 'r1', NOW_MS - 60_000), 'claude', null);
  expect(old).toEqual({ command: 'bash', waitedMs: 0, looks: 0 });
});
