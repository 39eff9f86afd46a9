// How long something has lasted, in one number and its unit. Pure.

/** `5s`, `3m`, `2h`, `4d`: how long, in one unit. A negative duration is `0s`. */
export function formatAge(durationMs: number): string {
  const seconds = Math.max(0, Math.floor(durationMs / 1_000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}
