// The port of ACP members: who there is, their start and end, and what they send.

import type { Outcome } from '../../schema/outcome.ts';
import type { AcpMemberItem, AcpUpdatesInput, StartAcpInput } from '../../schema/relay/acp-api.ts';
import type { Bundle, Member } from '../../schema/relay/team.ts';

export interface AcpUpdates {
  readonly member: AcpMemberItem;
  readonly updates: readonly {
    readonly seq: number;
    readonly atMs: number;
    readonly update: Readonly<Record<string, unknown>>;
  }[];
  readonly next: number;
  readonly isCut: boolean;
}

export interface AcpPort {
  /** In the order of their names. */
  readonly list: () => readonly AcpMemberItem[];
  /** Starts it, and waits for nothing. Throws a Fault where it cannot be stored. */
  readonly start: (input: StartAcpInput) => Outcome<AcpMemberItem>;
  /**
   * Starts a member of a bundle as its files say now, with this PATH. Where it was stopped it goes
   * on with its session.
   */
  readonly startMember: (
    bundle: Bundle,
    member: Member,
    path: string | undefined,
  ) => Outcome<AcpMemberItem>;
  /** Resolves when its process is gone. */
  readonly stop: (name: string, forget: boolean) => Promise<Outcome<AcpMemberItem>>;
  readonly updates: (input: AcpUpdatesInput, signal: AbortSignal) => Promise<Outcome<AcpUpdates>>;
}
