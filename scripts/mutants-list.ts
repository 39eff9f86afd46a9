// At least one small patch for each law of the state model, and one for the guard of actions.
// The text in `find` must occur exactly once.

export interface Mutant {
  /** The law whose tests must turn red, or the file of unit tests that must. */
  readonly law: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  /** What the patch breaks, in words. */
  readonly breaks: string;
}

export const mutants: readonly Mutant[] = [
  {
    law: '1',
    file: 'src/core/evidence/denials.ts',
    find: 'if (denial.atMs !== before.atMs) return denial.atMs > before.atMs;',
    replace: 'if (denial.atMs !== before.atMs) return true;',
    breaks: 'the last denial to arrive wins instead of the latest one',
  },
  {
    law: '1',
    file: 'src/core/ingest.ts',
    find: 'if (source?.recentKeys.includes(evidence.dedupeKey)) return [];',
    replace: '',
    breaks: 'repeats are not recognised by their key',
  },
  {
    law: '2',
    file: 'src/core/evidence/bind.ts',
    find: 'if (evidence.runtimeId !== null) return liveRuntime(world, evidence.runtimeId);',
    replace:
      'if (evidence.runtimeId !== null) { const r = world.runtimes.get(evidence.runtimeId); ' +
      'return r ? liveRuntime(world, world.panes.get(r.paneKey)?.runtimeId ?? null) : null; }',
    breaks: 'evidence of an old runtime applies to the current runtime of its pane',
  },
  {
    law: '2',
    file: 'src/core/evidence/bind.ts',
    find: 'return effectiveTimeMs(evidence) >= Math.min(startedAtMs, foundAtMs)',
    replace: 'return effectiveTimeMs(evidence) >= 0',
    breaks: 'evidence without a name binds to a runtime that started after it',
  },
  {
    law: '3',
    file: 'src/core/reduce/claims.ts',
    find: 'if (isEmptied) slots.set(ofTurn, emptied);',
    replace:
      'if (isEmptied) slots.set(ofTurn, slot.claim ? ' +
      "{ ...emptied, claim: { ...slot.claim, says: 'at_rest' } } : emptied);",
    breaks: 'an expired claim turns into "at rest"',
  },
  {
    law: '4',
    file: 'src/core/state/verdict.ts',
    find: "return unknownFor(hasExpired(runtime) ? 'stale_signal' : 'no_evidence');",
    replace: "return { state: 'idle', reasonCode: null, untilMs: null, evidence: noEvidence };",
    breaks: 'an agent without evidence is reported as idle',
  },
  {
    law: '4',
    file: 'src/core/evidence/hysteresis.ts',
    find: "if (phaseOf(pending.says) !== 'rest') return false;",
    replace: '',
    breaks: 'a heuristic may report that the agent waits for a person',
  },
  {
    law: '5',
    file: 'src/core/due.ts',
    find: 'Math.max(lastReadMs(runtime, source, sightings), world.resumedAtMs);',
    replace:
      'Math.max(lastReadMs(runtime, source, sightings), sightings.beatAtMs.get(' +
      'runtime.sources.get(source)?.channel as ChannelName) ?? 0);',
    breaks: 'a heartbeat renews a claim',
  },
  {
    law: '6',
    file: 'src/core/phase.ts',
    find: "return (phase === 'rest' && isActive(own)) || coversPhase(claim.covers, phase);",
    replace: 'return true;',
    breaks: 'a source ends what it cannot see',
  },
  {
    law: '6',
    file: 'src/core/evidence/denials.ts',
    find: 'if (isBeaten(claim, denials.turn[phase])) return false;',
    replace: 'if (claim.about === TURN && isBeaten(claim, denials.turn[phase])) return false;',
    breaks: 'a request outlives the end of its turn',
  },
  {
    law: '7',
    file: 'src/core/evidence/hysteresis.ts',
    find: "return phaseOf(claim.says) !== 'rest';",
    replace: 'return true;',
    breaks: 'one screen capture is enough for a state of rest',
  },
  {
    law: '7',
    file: 'src/core/evidence/reading.ts',
    find: 'if (evidence.ingestedAtMs <= source.cursor.ingestedAtMs) return false;',
    replace: '',
    breaks: 'the same reading delivered twice counts as two',
  },
  {
    law: '8',
    file: 'src/core/reduce/claims.ts',
    find: 'row?.runtimeId === event.runtimeId && row.stateVersion === event.stateVersion;',
    replace: 'row?.stateVersion !== undefined;',
    breaks: 'a demotion hits a newer completion',
  },
  {
    law: '8',
    file: 'src/core/due.ts',
    find: 'if (nowMs - (backfill ? atMs : ingestedAtMs) < world.config.completedMs) return;',
    replace: 'if (nowMs - atMs < world.config.completedMs) return;',
    breaks: 'the demotion uses the clock of the source',
  },
  {
    law: '9',
    file: 'src/core/state/answer.ts',
    find: "return runtime ? 'managed' : 'unmanaged';",
    replace: "return runtime && liveClaims(runtime).length > 0 ? 'managed' : 'unmanaged';",
    breaks: 'an agent whose sources are silent is reported as absent',
  },
  {
    law: '10',
    file: 'src/core/due.ts',
    find: 'const beatAtMs = Math.max(sightings.beatAtMs.get(channel) ?? 0, world.resumedAtMs);',
    replace: 'const beatAtMs = Math.min(nowMs, ...sightings.beatAtMs.values());',
    breaks: 'one silent channel makes the others stale',
  },
  {
    law: 'src/core/evidence/first-screen.test.ts',
    file: 'src/core/evidence/first-screen.ts',
    find: 'return !hasTurn && restSignalAtMs !== undefined && restSignalAtMs >= startMs;',
    replace: 'return false;',
    breaks: 'what an earlier run has drawn counts against a source that knows of no turn',
  },
  {
    law: 'src/core/evidence/first-screen.test.ts',
    file: 'src/core/evidence/first-screen.ts',
    find: 'return !hasTurn && restSignalAtMs !== undefined && restSignalAtMs >= startMs;',
    replace: 'return restSignalAtMs !== undefined && restSignalAtMs >= startMs;',
    breaks: 'a first screen does not count although a turn was reported',
  },
  {
    law: 'src/core/guard.test.ts',
    file: 'src/core/guard.ts',
    find: 'refuseRuntime(row, snapshot.runtimeId) ??',
    replace: '(guards.forceStale ? null : refuseRuntime(row, snapshot.runtimeId)) ??',
    breaks: 'forceStale acts on an agent that has taken the place of another',
  },
];
