// The port of teams: what is declared, and where its members are.

import type { MemberServer } from '../../core/view/member-pane.ts';
import type { PaneRecord } from '../../core/world.ts';
import type { Bundle, Team, TeamProblem } from '../../schema/relay/team.ts';

export interface TeamsPort {
  /** What is in force: of a broken file, its last good content. */
  readonly team: () => Team;
  /** What is wrong in the files now. */
  readonly problems: () => readonly TeamProblem[];
  /** The tmux server of a bundle; null: its machine is not known, or was not reached yet. */
  readonly serverOf: (bundle: Bundle) => MemberServer | null;
  /** The pane of a member; null where there is none. */
  readonly paneOf: (bundle: Bundle, memberId: string) => PaneRecord | null;
}
