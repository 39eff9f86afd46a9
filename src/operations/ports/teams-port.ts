// The port of teams: what is declared, where its members are, and what is remembered of bundles.

import type { MemberServer } from '../../core/view/member-pane.ts';
import type { PaneRecord } from '../../core/world.ts';
import type { StartupFailure } from '../../schema/relay/bundle-api.ts';
import type { Bundle, Team, TeamProblem } from '../../schema/relay/team.ts';

export interface TeamFiles {
  readonly team: Team;
  readonly problems: readonly TeamProblem[];
}

/** Which tmux server of which machine. */
export type ServerChoice = Pick<Bundle, 'name' | 'target' | 'server'>;

export interface TeamsPort {
  /** What is in force: of a broken file, its last good content. */
  readonly team: () => Team;
  /** What is wrong in the files now. */
  readonly problems: () => readonly TeamProblem[];
  /** The files as they are on the disk now, with no regard to what was good before. */
  readonly fresh: () => TeamFiles;
  /** The tmux server of a bundle; null: its machine is not known, or was not reached yet. */
  readonly serverOf: (bundle: ServerChoice) => MemberServer | null;
  /** The pane of a member; null where there is none. */
  readonly paneOf: (bundle: Bundle, memberId: string) => PaneRecord | null;
  /** What the sessions of a bundle are marked with: `<install id>/<bundle>`. */
  readonly ownerOf: (bundle: string) => string;
  /** Watches the tmux server of a bundle from now on, or no longer, if it is its own. */
  readonly watch: (bundle: Bundle, isWatched: boolean) => void;
  /** Whether somebody has brought it up, and not down again. */
  readonly isWanted: (bundle: string) => boolean;
  readonly want: (bundle: string, isWanted: boolean) => void;
  readonly addFailures: (
    bundle: string,
    failures: readonly Omit<StartupFailure, 'bundle_name' | 'timestamp' | 'sequence'>[],
  ) => readonly StartupFailure[];
  /** The newest, the oldest of them first. */
  readonly failures: (
    bundle: string,
    limit: number,
  ) => { readonly count: number; readonly recent: readonly StartupFailure[] };
  /** Restarts no member of a bundle for so long, or as always again: somebody starts them now. */
  readonly hold: (bundle: string, forMs: number) => void;
  readonly isHeld: (bundle: string) => boolean;
  /** Somebody ends sessions of this server: that it ends within the time is no news. */
  readonly expectEnd: (server: MemberServer, forMs: number) => void;
  readonly isEndExpected: (server: MemberServer) => boolean;
  /** How often in a row a member was started again by the rule of its bundle. */
  readonly restartsOf: (bundle: string, member: string) => number;
}
