// The port of push messages to browsers: who is subscribed, and a message to try one.

import type { Outcome } from '../../schema/outcome.ts';

/** A browser that is notified, as operations show it. */
export interface PushReport {
  readonly id: string;
  readonly label: string;
  readonly endpoint: string;
  readonly tokenId: string | null;
  readonly createdAtMs: number;
  readonly last: { readonly atMs: number; readonly problem: string | null } | null;
}

export interface PushPort {
  /** Throws a Fault where the key that was made cannot be stored. */
  readonly publicKey: () => string;
  readonly list: () => readonly PushReport[];
  readonly add: (given: {
    readonly endpoint: string;
    readonly keys: { readonly p256dh: string; readonly auth: string };
    readonly label: string;
    readonly tokenId: string | null;
  }) => Outcome<PushReport>;
  /** False where there is none. */
  readonly remove: (subscriptionId: string) => boolean;
  /** Null where there is none. Never rejects. */
  readonly test: (
    subscriptionId: string,
    signal: AbortSignal,
  ) => Promise<{ readonly delivered: boolean; readonly detail: string | null } | null>;
}
