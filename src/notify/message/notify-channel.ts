// The one small interface behind which notifications are delivered. A channel makes one attempt and
// says what came of it; when to try again is for notify-queue.ts.

import type { IncludePart } from '../../schema/notify/notify-config.ts';
import type { NotifyKind } from '../../schema/notify/notify-kind.ts';
import type { UserNotification } from '../../schema/notify/user-notification.ts';

export type DeliveryResult =
  | { readonly kind: 'delivered'; readonly detail: string | null }
  | {
      readonly kind: 'failed';
      /** For a person: why. It holds no secret. */
      readonly detail: string;
      /** Whether another attempt may help and repeats nothing. */
      readonly mayRetry: boolean;
      /** The receiver says how long to wait. */
      readonly retryAfterMs?: number;
    };

export interface DeliveryCall {
  readonly nowMs: number;
  /** The same for every attempt: receivers can tell a repeat by it. */
  readonly deliveryId: string;
  /** Aborts when the daemon ends. */
  readonly signal: AbortSignal;
}

export interface NotifyChannel {
  readonly name: string;
  readonly kinds: readonly NotifyKind[];
  /** What it is given besides agent, place and kind. */
  readonly include: readonly IncludePart[];
  /** Makes one attempt, within a time of its own. Never rejects. */
  deliver(notification: UserNotification, call: DeliveryCall): Promise<DeliveryResult>;
}

export const failedResult = (detail: string, mayRetry = false): DeliveryResult => ({
  kind: 'failed',
  detail: detail.slice(0, 300),
  mayRetry,
});

export const deliveredResult = (detail: string | null = null): DeliveryResult => ({
  kind: 'delivered',
  detail,
});
