// Durations as people write them: `30s`, `1.5h`, `200ms`. Pure.

const UNITS_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const;

/** The milliseconds of a text such as `30s`, `1.5h` or `200ms`, or null. */
export function parseDuration(text: string): number | null {
  const found = /^(\d{1,9}(?:\.\d{1,3})?) ?(ms|s|m|h|d)$/.exec(text.trim());
  if (found === null) return null;
  return Number(found[1]) * UNITS_MS[found[2] as keyof typeof UNITS_MS];
}

/** The shortest exact text for some milliseconds. */
export function formatDuration(durationMs: number): string {
  const unit = Object.entries(UNITS_MS).find(
    ([name, unitMs]) => name !== 'd' && durationMs % unitMs === 0,
  );
  return unit === undefined ? `${durationMs}ms` : `${durationMs / unit[1]}${unit[0]}`;
}
