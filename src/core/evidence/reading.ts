// Level sources are polled, and most readings change nothing. Whether one does depends only on the
// last reading of the same source, never on another source.

import type { EngineConfig } from '../../schema/config.ts';
import type { Evidence } from '../../schema/evidence.ts';
import type { RuntimeRecord } from '../world.ts';
import { mayConfirm } from './hysteresis.ts';
import { activityText, latestClaim, sameReading, slotKey } from './slots.ts';

/** Whether a later reading of a level source equals its last one, in every slot it has. */
export function isReadAgain(runtime: RuntimeRecord, evidence: Evidence): boolean {
  const source = runtime.sources.get(evidence.source);
  // A repeat of the same delivery has the same stamp and is no second reading.
  if (evidence.kind !== 'level' || !source) return false;
  if (evidence.ingestedAtMs <= source.cursor.ingestedAtMs) return false;
  if (activityText(evidence) !== source.activityText) return false;
  let ownSlots = 0;
  for (const slot of runtime.slots.values()) if (slot.source === evidence.source) ownSlots += 1;
  return (
    ownSlots === evidence.claims.length &&
    evidence.claims.every((claim) => {
      const slot = runtime.slots.get(slotKey(evidence.source, claim.about));
      const before = slot ? latestClaim(slot) : null;
      return before !== null && sameReading(before, claim);
    })
  );
}

/** The subjects whose pending claim is confirmed by this second reading. */
export function confirmedBy(
  runtime: RuntimeRecord,
  evidence: Evidence,
  config: EngineConfig,
): readonly string[] {
  const confirmed: string[] = [];
  for (const again of evidence.claims) {
    const slot = runtime.slots.get(slotKey(evidence.source, again.about));
    if (!slot?.pending) continue;
    const { pending, claim: current } = slot;
    const reading = { pending, again, current, nowMs: evidence.ingestedAtMs };
    if (mayConfirm(reading, config)) confirmed.push(again.about);
  }
  return confirmed;
}
