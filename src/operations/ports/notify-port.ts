// The port of notifications: whether they are on, what is muted, what was notified.

import type { MuteRule, NotifyWait } from '../../schema/notify/episode.ts';
import type { NotifyKind } from '../../schema/notify/notify-kind.ts';
import type { NotifyDelivery, NotifyEntry } from '../../schema/notify/user-notification.ts';

/** How notifications are, as operations show it. */
export interface NotifyReport {
  readonly isOn: boolean;
  /** By a person, and not by the configuration. */
  readonly isSwitched: boolean;
  readonly channels: readonly {
    readonly name: string;
    readonly isUsed: boolean;
    readonly last: NotifyDelivery | null;
  }[];
  readonly listenerCount: number;
  readonly pending: readonly {
    readonly agent: string | null;
    readonly place: string;
    readonly kind: NotifyKind;
    readonly sinceMs: number;
    readonly wait: NotifyWait | null;
  }[];
  /** Those of the configuration have no id. */
  readonly mutes: readonly (MuteRule & { readonly muteId: string | null })[];
}

export interface NotifyPort {
  readonly status: () => NotifyReport;
  /** Null: as the configuration says. */
  readonly switchOn: (isOn: boolean | null) => void;
  readonly mute: (rule: MuteRule) => void;
  /** How many rules were removed; null removes all. */
  readonly unmute: (muteId: string | null) => number;
  /** Null: every channel that is used, and terminals. Never rejects. */
  readonly test: (
    channel: string | null,
    signal: AbortSignal,
  ) => Promise<
    readonly {
      readonly channel: string;
      readonly delivered: boolean;
      readonly detail: string | null;
    }[]
  >;
  /** Newest first. */
  readonly log: (
    limit: number,
  ) => readonly (NotifyEntry & { readonly deliveries: readonly NotifyDelivery[] })[];
  readonly lastNumber: () => number;
  /** For terminals; oldest first. */
  readonly notificationsAfter: (number: number) => readonly {
    readonly number: number;
    readonly atMs: number;
    readonly test: boolean;
    readonly headline: string;
    readonly lines: readonly string[];
    readonly refs: readonly string[];
  }[];
  /** Called after each notification, until it is disposed of. */
  readonly onNotification: (listener: () => void) => Disposable;
}
