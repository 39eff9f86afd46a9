// Starts one agent in a session of its own, as a member of no bundle.

import type { PlannedMember } from '../../schema/relay/bundle-api.ts';
import { createWithRetry } from './reconcile.ts';
import type { CreatedPane } from './session-scripts.ts';
import type { TmuxThere } from './tmux-there.ts';

const NAMES_MAX = 100;

export type Spawned =
  | { readonly ok: true; readonly name: string; readonly created: CreatedPane }
  | { readonly ok: false; readonly problem: string };

/** A name that is taken is refused, or another is made of it where it may be: claude-2. */
export async function spawnOne(
  parts: { readonly tmux: TmuxThere; readonly sleep: (ms: number) => Promise<void> },
  member: PlannedMember,
  mayRename: boolean,
): Promise<Spawned> {
  const listing = await parts.tmux.list();
  if (listing === null) return { ok: false, problem: 'tmux could not be asked there' };
  const taken = new Set(listing.sessions.map(({ name }) => name));
  const name = mayRename ? freeName(member.id, taken) : member.id;
  if (name === null || taken.has(name)) {
    return { ok: false, problem: `a session is called ${member.id} already` };
  }
  const made = await createWithRetry(parts, { ...member, id: name });
  if (made.ok) return { ok: true, name, created: made.created };
  const problem = made.isFolder
    ? `the directory ${member.directory} cannot be entered`
    : made.problem;
  return { ok: false, problem };
}

function freeName(name: string, taken: ReadonlySet<string>): string | null {
  const names = Array.from({ length: NAMES_MAX }, (_, index) =>
    index === 0 ? name : `${name}-${index + 1}`,
  );
  return names.find((each) => !taken.has(each)) ?? null;
}
