// Gemini CLI names the file of a chat by the minute in which it was begun. What loads the session
// in that same minute writes a new, empty chat to the end of it: the session then counts as one
// without a prompt, and is lost. So such a session is loaded when its minute is over.

const MINUTE_MS = 60_000;

/** How long to wait before a session that began at `beganAtMs`, or before, is loaded. */
export function minuteLeftMs(beganAtMs: number, wallMs: number): number {
  const endMs = (Math.floor(beganAtMs / MINUTE_MS) + 1) * MINUTE_MS;
  // A clock that was set back is no reason to wait for longer.
  return Math.min(MINUTE_MS, Math.max(0, endMs - wallMs));
}
