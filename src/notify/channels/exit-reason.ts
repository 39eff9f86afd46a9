// Why a program that was run for a notification did not do it, for the log. Pure.

export function exitReason(
  program: string,
  {
    code,
    error,
    stderr,
    timedOut = false,
  }: {
    readonly code: number | null;
    readonly error: string | null;
    readonly stderr: string;
    readonly timedOut?: boolean;
  },
): string {
  if (/Cannot (?:autolaunch|connect to) D-Bus/i.test(stderr)) {
    return `${program}: there is no desktop session here (no D-Bus session bus)`;
  }
  if (timedOut) return `${program} did not end in time`;
  const lastLine = Buffer.from(stderr, 'latin1').toString('utf8').trim().split('\n').at(-1) ?? '';
  return `${program}: ${error ?? (lastLine || `it ended with code ${code}`)}`;
}
