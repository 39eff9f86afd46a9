// The table of ACP members. Pure.

import type { AcpMemberItem } from '../../schema/relay/acp-api.ts';
import { type Column, renderGrid } from '../grid.ts';
import { type Ink, sanitise, type View } from '../view.ts';

const columns: readonly Column[] = [
  { title: 'MEMBER', rank: 0, min: 6 },
  { title: 'AGENT', rank: 2, min: 5 },
  { title: 'STATUS', rank: 0, min: 5 },
  { title: 'PID', rank: 4, min: 3 },
  { title: 'FOLDER', rank: 3, min: 8 },
  { title: 'NOTE', rank: 1, min: 10 },
];

const NONE = 'There are no ACP members. agtmux acp start AGENT starts one.\n';

const inks: Readonly<Record<AcpMemberItem['status'], Ink>> = {
  ready: 'green',
  starting: 'blue',
  waiting: 'yellow',
  auth_required: 'yellow',
  failed: 'red',
  stopped: 'dim',
};

export function renderAcpMembers(
  view: View,
  { members }: { readonly generated_at: string; readonly members: readonly AcpMemberItem[] },
): string {
  if (members.length === 0) return NONE;
  const rows = members.map((member) => [
    { text: sanitise(view, `acp:${member.name}`), ink: 'bold' as const },
    { text: sanitise(view, member.agent) },
    {
      text: member.in_turn ? `${member.status}, in a turn` : member.status,
      ink: inks[member.status],
    },
    { text: member.pid === null ? '-' : String(member.pid) },
    { text: sanitise(view, member.cwd) },
    { text: sanitise(view, member.detail ?? ''), ink: 'dim' as const },
  ]);
  return `${renderGrid(view, [...columns], rows)}\n`;
}
