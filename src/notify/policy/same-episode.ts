// Whether a request is one that the policy knows already. Sources find one dialog at slightly
// different times and name it differently, and a row may lack it for a moment; a person is told of
// it once. Pure.

import type { Request } from '../../schema/evidence.ts';
import type { Episode } from '../../schema/notify/episode.ts';
import type { Need } from './pane-needs.ts';

/** Two sources name one dialog within this time of each other. */
const SAME_DIALOG_MS = 10_000;
/** A dialog that is missing from the rows for a shorter time was open all along. */
const REOPEN_MS = 3_000;

const fields = ['text', 'tool', 'command', 'file'] as const;

/** Hashes of the fields that were read. The texts themselves are kept by the events alone. */
export function askOf(detail: Request | undefined): Record<string, number> {
  const known = fields.flatMap((field) => {
    const value = detail?.[field];
    return value === undefined ? [] : [[field, hashOf(value)] as const];
  });
  return Object.fromEntries(known);
}

/** FNV-1a: equal texts are found again, nothing more is needed of it. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  return hash;
}

const isDialog = (kind: string): boolean => kind === 'approval' || kind === 'question';

/** What no field contradicts may be the same. */
const isSameAsk = (a: Record<string, number>, b: Record<string, number>): boolean =>
  fields.every(
    (field) => a[field] === undefined || b[field] === undefined || a[field] === b[field],
  );

/** Agents name their requests; for the others the engine writes `dialog@<time>`. */
const isNamed = (requestId: string): boolean => !requestId.startsWith('dialog@');

export function isSameEpisode(episode: Episode, need: Need, nowMs: number): boolean {
  if (episode.requestId === need.requestId) return true;
  if (!isDialog(episode.kind) || !isDialog(need.kind)) return false;
  if (episode.endedAtMs !== null && nowMs - episode.endedAtMs > REOPEN_MS) return false;
  // Two names are two requests: agents may ask for several things at once.
  if (isNamed(episode.requestId) && isNamed(need.requestId)) return false;
  if (!isSameAsk(episode.ask, askOf(need.detail))) return false;
  return need.sinceMs - episode.sinceMs <= SAME_DIALOG_MS;
}
