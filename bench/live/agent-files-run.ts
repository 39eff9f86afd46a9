// What reading the agents' own files costs: the daemon at rest with and without ten thousand old
// transcripts, in turns, and the time of a listing before a transcript of hundreds of megabytes is
// opened, while it is opened, and while it grows.

import { join } from 'node:path';
import type { DaemonClient } from '../../src/client/client.ts';
import {
  growTranscript,
  makeLargeTranscript,
  makeOldTranscripts,
  projectOf,
  removeOldTranscripts,
  toolLine,
  writeSession,
} from './agent-files-fixture.ts';
import { monoMs, pause, until } from './clock.ts';
import { type FakePane, makeSession } from './fake-panes.ts';
import { type Check, type Spread, spreadOf } from './figures.ts';
import { startDaemon } from './live-daemon.ts';
import { Place } from './place.ts';
import { cpuBetween, cpuTimes, memoryOf } from './usage.ts';

const ASK_MS = 5;
const LINES_AT_ONCE = 500;
const GROW_MS = 100;

export interface AgentFilesSize {
  readonly agents: number;
  readonly oldTranscripts: number;
  /** How many times each of the two is measured. */
  readonly rounds: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
  readonly largeMb: number;
  /** How long listings are requested before, while it is opened, and while it grows. */
  readonly askMs: number;
}

export interface AgentFilesFigures {
  /** Percent of a core, by round. */
  readonly without: readonly number[];
  readonly beside: readonly number[];
  readonly listing: Spread;
  readonly opening: Spread;
  readonly growing: Spread;
  readonly grownMb: number;
  /** Of the daemon without the pages of Node itself, before and after. */
  readonly memoryMb: readonly [number, number];
}

export async function measureAgentFiles(size: AgentFilesSize): Promise<AgentFilesFigures> {
  using place = new Place();
  const kinds = Array.from({ length: size.agents }, () => 'claude' as const);
  const panes = makeSession(place, 'agent-files', kinds);
  for (const [index, pane] of panes.entries()) {
    writeSession(place, pane, `session-${index}`, 'idle');
    growTranscript(join(projectOf(place), `session-${index}.jsonl`), 0, 10);
  }
  const atRest = await measureRest(place, size);
  return { ...atRest, ...(await measureLarge(place, panes, size)) };
}

/** Alternates which of the two comes first: a later run has a larger store. */
async function measureRest(place: Place, size: AgentFilesSize) {
  const without: number[] = [];
  const beside: number[] = [];
  for (let round = 0; round < size.rounds; round += 1) {
    for (const isBeside of round % 2 === 0 ? [false, true] : [true, false]) {
      if (isBeside) makeOldTranscripts(place, size.oldTranscripts);
      (isBeside ? beside : without).push(await measureIdleCpu(place, size));
      if (isBeside) removeOldTranscripts(place);
    }
  }
  return { without, beside };
}

/** Percent of a core that the daemon uses while nothing happens. */
async function measureIdleCpu(place: Place, size: AgentFilesSize): Promise<number> {
  await using daemon = await startDaemon(place);
  const client = await daemon.connect();
  await waitForAgents(client, 'idle', size.agents);
  client.close();
  await pause(size.warmUpMs);
  const before = cpuTimes([daemon.pid]);
  const startedMs = monoMs();
  await pause(size.measureMs);
  return (cpuBetween(before, cpuTimes([daemon.pid])) / (monoMs() - startedMs)) * 100;
}

/** Waits until so many agents are in the state by their own files. */
function waitForAgents(client: DaemonClient, state: string, count: number): Promise<void> {
  return until(`${count} agents are ${state}`, 30_000, async () => {
    const { panes } = await client.call('list_panes', {});
    const agents = panes.filter(({ state: is, evidence }) => {
      return is === state && evidence.source === 'claude-session-file';
    });
    return agents.length >= count;
  });
}

async function measureLarge(place: Place, panes: readonly FakePane[], size: AgentFilesSize) {
  const [pane] = panes;
  if (!pane) throw new Error('there is no agent');
  const path = join(projectOf(place), 'session-large.jsonl');
  makeLargeTranscript(path, size.largeMb);
  await using daemon = await startDaemon(place);
  const client = await daemon.connect();
  await waitForAgents(client, 'idle', size.agents);
  const ownMb = (): number => memoryOf([daemon.pid], process.execPath).withoutProgramMb;
  const memoryBeforeMb = ownMb();
  const listing = await measureListings(client, size.askMs);
  writeSession(place, pane, 'session-large', 'busy');
  const opening = await measureListings(client, size.askMs);
  let lines = 0;
  const growth = setInterval(() => {
    growTranscript(path, 1_000_000 + lines, LINES_AT_ONCE);
    lines += LINES_AT_ONCE;
  }, GROW_MS);
  const growing = await measureListings(client, size.askMs).finally(() => clearInterval(growth));
  client.close();
  const grownMb = (lines * toolLine(0).length) / 1024 ** 2;
  const memoryMb = [memoryBeforeMb, ownMb()] as const;
  return { listing, opening, growing, grownMb, memoryMb };
}

/** How long each of many listings takes: whatever stalls the daemon is in it. */
async function measureListings(client: DaemonClient, forMs: number): Promise<Spread> {
  const tookMs: number[] = [];
  const deadlineMs = monoMs() + forMs;
  while (monoMs() < deadlineMs) {
    const startedMs = monoMs();
    await client.call('list_panes', {});
    tookMs.push(monoMs() - startedMs);
    await pause(ASK_MS);
  }
  return spreadOf(tookMs);
}

/** The round that other work on the machine disturbed least. */
export const least = (values: readonly number[]): number => Math.min(...values);

/** Compares with the listing before: the machine may be busy with other work. */
export function agentFilesChecks(figures: AgentFilesFigures): readonly Check[] {
  const { without, beside, listing, opening, growing, memoryMb } = figures;
  const extra = least(beside) - least(without);
  const [beforeMb, afterMb] = memoryMb;
  const openedMs = opening.maxMs - listing.maxMs;
  return [
    { name: 'CPU of old transcripts', value: extra, limit: 0.2, unit: '% of a core' },
    { name: 'stall while it is opened', value: openedMs, limit: 250, unit: 'ms' },
    { name: 'stall while it grows', value: growing.p99Ms - listing.p99Ms, limit: 250, unit: 'ms' },
    { name: 'memory it takes', value: afterMb - beforeMb, limit: 60, unit: 'MB' },
  ];
}
