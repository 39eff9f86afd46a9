// The rows of the page of teams that can be chosen: bundles, and their members below them. Pure.

import type { BundleItem, TeamMemberItem } from '../../schema/relay/bundle-api.ts';
import type { TeamsState } from '../model.ts';

export interface TeamRow {
  readonly key: string;
  readonly bundle: BundleItem;
  /** Null: the bundle itself. */
  readonly member: TeamMemberItem | null;
}

export const teamRows = ({ list }: TeamsState): readonly TeamRow[] =>
  (list?.bundles ?? []).flatMap((bundle) => [
    { key: bundle.id, bundle, member: null },
    ...bundle.sessions.map((member) => ({ key: `${bundle.id}/${member.id}`, bundle, member })),
  ]);

export function chosenTeamRow(teams: TeamsState): TeamRow | null {
  const rows = teamRows(teams);
  return rows.find(({ key }) => key === teams.chosen) ?? rows[0] ?? null;
}
