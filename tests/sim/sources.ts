// Simulated sources over the simulated truth: hooks that miss what Claude's hooks miss, a status
// file that cannot tell how a turn ended, a process table. Their deliveries pass through faults.

import type { Observation } from '../../src/core/ingest.ts';
import type { Claim, Evidence } from '../../src/schema/evidence.ts';
import { type EventId, id, type SessionKey } from '../../src/schema/ids.ts';
import type { State } from '../../src/schema/state.ts';
import {
  claim,
  claude,
  everyState,
  evidence,
  paneKey,
  processSignature,
  runtimeId,
} from '../scenario.ts';
import type { Happening, SimAgent, Truth } from './fleet.ts';

const hookCovers: State[] = ['running', 'completed', 'idle', 'error'];
const fileCovers: State[] = ['running', 'waiting_approval', 'waiting_input'];

/** What a hook says of a happening; null where agents have no hook for it. */
export function hookEvidence(
  { agent, what }: Happening,
  at: { serial: number; clockMs: number; ingestedAtMs: number; backfill: boolean },
): Evidence | null {
  const newClaim = hookClaim(what, at.serial);
  if (!newClaim || !agent.alive) return null;
  const key = `hook-${at.serial}`;
  return evidence('hooks', at.clockMs, [newClaim], {
    eventId: id<EventId>(key),
    dedupeKey: key,
    runtimeId: runtimeId(agent.pane, agent.life),
    channel: id('spool@local'),
    sourceSeq: at.serial,
    eventTimeMs: at.clockMs,
    ingestedAtMs: at.ingestedAtMs,
    backfill: at.backfill,
    sessionKey: id<SessionKey>(`s-${agent.pane}-${agent.life}`),
  });
}

function hookClaim(what: Happening['what'], serial: number): Claim | null {
  switch (what) {
    case 'running':
    case 'completed':
    case 'error':
      return claim(what, { covers: hookCovers, rank: 1 });
    case 'waiting_approval':
    case 'waiting_input':
      return claim(what, { covers: hookCovers, rank: 1, about: id(`ask-${serial}`) });
    default:
      // Esc, a start and an exit fire no hook.
      return null;
  }
}

const fileSays: Record<Truth, Claim['says']> = {
  fresh: 'at_rest',
  running: 'running',
  waiting_approval: 'waiting_approval',
  waiting_input: 'waiting_input',
  completed: 'at_rest',
  interrupted: 'at_rest',
  error: 'at_rest',
};

/** What the status file of a living agent reads like now. */
export function fileReading(agent: SimAgent, nowMs: number): Evidence {
  const says = fileSays[agent.truth];
  const covers = says === 'at_rest' ? fileCovers : everyState;
  const key = `file-${agent.pane}-${agent.life}-${nowMs}`;
  return evidence('file', nowMs, [claim(says, { covers, rank: 0 })], {
    eventId: id<EventId>(key),
    dedupeKey: key,
    runtimeId: runtimeId(agent.pane, agent.life),
    kind: 'level',
    channel: id('files@local'),
    eventTimeMs: agent.sinceMs,
    ingestedAtMs: nowMs,
  });
}

/** What a look at the process table shows of a pane. */
export function processLook(agent: SimAgent, nowMs: number): Observation {
  const found = {
    runtimeId: runtimeId(agent.pane, agent.life),
    agent: claude,
    pid: 10_000 + agent.pane * 100 + (agent.life % 100),
    startedAtMs: agent.startedAtMs,
    suspended: false,
    signature: processSignature,
  };
  return {
    kind: 'scan',
    scan: {
      paneKey: paneKey(agent.pane),
      atMs: nowMs,
      tree: {
        found: agent.alive ? found : null,
        pidGone: !agent.alive,
        exitCode: null,
        crashed: false,
      },
    },
  };
}
