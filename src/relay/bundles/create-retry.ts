// How often the creation of a session is tried: only after errors that pass, and at times that
// differ between sessions but not between runs. Pure.

export const CREATE_ATTEMPTS_MAX = 4;
const BASE_DELAY_MS = 35;
const JITTER_MS = 35;

/** tmux says one of these while its server starts or ends. */
const TRANSIENT = [
  'no server running',
  'failed to connect to server',
  'server exited unexpectedly',
  'connection refused',
  'error connecting',
  'no such file or directory',
] as const;

export function isTransientTmuxError(message: string): boolean {
  const lowered = message.toLowerCase();
  return TRANSIENT.some((each) => lowered.includes(each));
}

/** Before the attempt after this one, counted from 1. */
export function createDelayMs(sessionName: string, attempt: number): number {
  const hash = Buffer.from(sessionName).reduce((sum, byte) => sum + byte, 0);
  return attempt * BASE_DELAY_MS + ((hash + attempt * 7) % JITTER_MS);
}
