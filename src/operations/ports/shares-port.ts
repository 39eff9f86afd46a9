// The port of read-only shares: who has which link, and the screens that they show.

import type { Outcome } from '../../schema/outcome.ts';
import type { StoredShare } from '../../schema/web/share.ts';

export type Share = Omit<StoredShare, 'sha256'>;

/** A screen as it is shown: redacted. */
export interface ShareView {
  readonly columns: number;
  readonly lines: readonly string[];
  readonly version: string;
}

export interface SharesPort {
  /** What links begin with; null while no web service is open. */
  readonly linkBase: () => string | null;
  readonly create: (
    share: Pick<Share, 'paneKey' | 'runtimeId' | 'place' | 'agent' | 'tokenId' | 'expiresAtMs'>,
  ) => Outcome<{ readonly share: Share; readonly code: string }>;
  /** Null for a code of none, and of one that has expired or was revoked. */
  readonly find: (code: string) => Share | null;
  readonly list: () => readonly Share[];
  /** False where there is none. */
  readonly revoke: (shareId: string) => boolean;
  /** One reading serves all viewers of a moment. Rejects as the reading does. */
  readonly view: (
    share: Share,
    read: (signal: AbortSignal) => Promise<Outcome<ShareView>>,
  ) => Promise<Outcome<ShareView>>;
}
