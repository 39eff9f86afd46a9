// Why a turn failed, in the words of the state model: a limit (with its end where known), a login,
// or the API. Agents give a code, an HTTP status, or prose only.

import type { ReasonCode } from '../../schema/state.ts';
import { epochMs } from './event-time.ts';
import type { ClaimDraft } from './signal-content.ts';

export interface Failure {
  /** The agent's own word: `rate_limit`, `authentication_failed`, `APIError`. */
  readonly code?: string | undefined;
  /** The HTTP status. */
  readonly status?: number | undefined;
  readonly message?: string | undefined;
  /** When the limit ends, where the payload has a field for it. */
  readonly resetsAt?: unknown;
  readonly resetsInSeconds?: number | undefined;
}

const login =
  /auth|unauthorized|invalid[ _](?:x-)?api[ _-]key|\b40[13]\b|please run \/login|not logged in/i;
const limit = /(?:usage|rate)[ _]limit|quota|too many requests|\b429\b|billing|credit balance/i;
/** No limit lasts longer; a number above is no time, and may be none that can be stored. */
const RESET_SECONDS_MAX = 366 * 86_400;
/** "You've hit your session limit · resets 3am". */
const limitHit = /hit your [\w ]{0,20}limit/i;
/** Claude puts the end of its limit behind a bar: `usage limit reached|1794725394`. */
const resetInText = /limit[^|\n]{0,60}\|(\d{10,13})\b/i;

/** The claim that a turn failed. It ends every earlier claim. */
export function failureClaim(failure: Failure, nowMs: number): ClaimDraft {
  const reason = failureReason(failure);
  const untilMs = reason === 'usage_limit' ? resetMs(failure, nowMs) : undefined;
  return { says: 'error', reason, untilMs };
}

export function failureReason({ code, status, message }: Failure): ReasonCode {
  const words = `${code ?? ''} ${(message ?? '').slice(0, 500)}`;
  if (status === 429) return 'usage_limit';
  if (status === 401 || status === 403) return 'auth_required';
  if (limit.test(words) || limitHit.test(words)) return 'usage_limit';
  return login.test(words) ? 'auth_required' : 'api_error';
}

function resetMs(failure: Failure, nowMs: number): number | undefined {
  const { resetsAt, resetsInSeconds, message } = failure;
  const resetAtMs = epochMs(resetsAt);
  if (resetAtMs !== undefined) return resetAtMs;
  const seconds = resetsInSeconds ?? -1;
  if (seconds >= 0 && seconds <= RESET_SECONDS_MAX) return nowMs + seconds * 1_000;
  const found = resetInText.exec((message ?? '').slice(0, 500));
  return found === null ? undefined : epochMs(Number(found[1]));
}
