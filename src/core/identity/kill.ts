// Whether a person ended an agent by `agtmux kill`: such an end is wanted, and no crash.

import type { RuntimeRecord } from '../world.ts';

/** An agent that survived the signal and ends later ends for another reason. */
const KILL_COUNTS_MS = 60_000;

export const isEndByKill = ({ killedAtMs }: RuntimeRecord, endedAtMs: number): boolean =>
  killedAtMs !== undefined && endedAtMs - killedAtMs <= KILL_COUNTS_MS;
