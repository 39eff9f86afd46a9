// Hours of the day as people write them: `22:00-07:00`, `Mon-Fri 12:00-13:00`. Times are those of
// the machine's own clock, which callers hand in. Pure.

const dayNames: readonly string[] = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const DAY_MINUTES = 1_440;

export interface Hours {
  /** 0 is Sunday. The days on which they begin. */
  readonly days: readonly number[];
  readonly fromMinute: number;
  /** Less than `fromMinute` where they end on the next day. */
  readonly toMinute: number;
}

/** A moment by the clock on the wall. */
export interface WallTime {
  /** 0 is Sunday. */
  readonly day: number;
  readonly minute: number;
}

export const HOURS_EXAMPLE = '"22:00-07:00" or "Mon-Fri 12:00-13:00"';

/** Null for a text that means no hours. */
export function parseHours(text: string): Hours | null {
  const found = /^(?:([a-z,-]+) +)?(\d{1,2}:\d{2})-(\d{1,2}:\d{2})$/i.exec(text.trim());
  if (!found) return null;
  const days = found[1] === undefined ? dayNames.map((_, day) => day) : parseDays(found[1]);
  const fromMinute = parseMinute(found[2] ?? '');
  const toMinute = parseMinute(found[3] ?? '');
  if (days === null || fromMinute === null || toMinute === null) return null;
  if (fromMinute === toMinute || fromMinute === DAY_MINUTES) return null;
  return { days, fromMinute, toMinute };
}

function parseMinute(text: string): number | null {
  const [hour = 99, minute = 99] = text.split(':').map(Number);
  const all = hour * 60 + minute;
  return minute < 60 && all <= DAY_MINUTES ? all : null;
}

function parseDays(text: string): readonly number[] | null {
  const days: number[] = [];
  for (const part of text.toLowerCase().split(',')) {
    const [first = '', last = first, ...more] = part.split('-');
    const from = dayNames.indexOf(first);
    const to = dayNames.indexOf(last);
    if (from < 0 || to < 0 || more.length > 0) return null;
    const count = ((to - from + 7) % 7) + 1;
    for (let step = 0; step < count; step += 1) days.push((from + step) % 7);
  }
  return days;
}

/** How many minutes are left of the hours at this moment; null outside them. */
export function minutesLeft(hours: Hours, { day, minute }: WallTime): number | null {
  const { days, fromMinute, toMinute } = hours;
  const endsToday = toMinute > fromMinute;
  const isBegunToday = days.includes(day) && minute >= fromMinute;
  if (endsToday) return isBegunToday && minute < toMinute ? toMinute - minute : null;
  if (isBegunToday) return DAY_MINUTES - minute + toMinute;
  return days.includes((day + 6) % 7) && minute < toMinute ? toMinute - minute : null;
}
