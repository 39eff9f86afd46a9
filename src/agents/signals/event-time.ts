// When a signal happened, from its own payload: epoch seconds, epoch milliseconds, or an ISO
// date. Written by hand because pure code has no Date.

import { type Fields, valueAt } from './fields.ts';

/** 2001-09-09 and 2286-11-20: a number outside is not an agent's time. */
const EPOCH_MS_MIN = 1e12;
const EPOCH_MS_MAX = 1e13;
const DAY_MS = 86_400_000;

const iso =
  /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:Z|([+-])(\d\d):?(\d\d))$/;

/** Epoch milliseconds at the first path that holds a time. */
export function timeAt(fields: Fields, ...paths: readonly string[]): number | undefined {
  for (const path of paths) {
    const timeMs = epochMs(valueAt(fields, path));
    if (timeMs !== undefined) return timeMs;
  }
  return undefined;
}

export function epochMs(value: unknown): number | undefined {
  if (typeof value === 'string') return isoMs(value);
  if (typeof value !== 'number') return undefined;
  const timeMs = value < EPOCH_MS_MIN ? value * 1_000 : value;
  return timeMs >= EPOCH_MS_MIN && timeMs < EPOCH_MS_MAX ? timeMs : undefined;
}

function isoMs(text: string): number | undefined {
  const found = text.length > 40 ? null : iso.exec(text);
  if (found === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found
    .slice(1, 7)
    .map(Number);
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59) return undefined;
  const fractionMs = Math.trunc(Number(`0.${found[7] ?? '0'}`) * 1_000 + 1e-6);
  const zoneMinutes = Number(found[9] ?? 0) * 60 + Number(found[10] ?? 0);
  const offsetMs = (found[8] === '-' ? -1 : 1) * zoneMinutes * 60_000;
  const clockMs = ((hour * 60 + minute) * 60 + second) * 1_000 + fractionMs;
  return epochMs(daysSinceEpoch(year, month, day) * DAY_MS + clockMs - offsetMs);
}

/** Days from 1970-01-01, by the proleptic Gregorian calendar with years that begin in March. */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const marchYear = month <= 2 ? year - 1 : year;
  const marchMonth = (month + 9) % 12;
  const leapDays =
    Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400);
  return 365 * marchYear + leapDays + Math.floor((153 * marchMonth + 2) / 5) + day - 1 - 719_468;
}
