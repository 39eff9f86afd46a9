// Whom a process speaks for: the agent that runs it, else the member in whose pane it runs, else a
// person. Whether a caller is that process is another matter: caller-proof.ts.

import type { PaneRecord, World } from '../../../core/world.ts';
import type { PaneKey, PartyId } from '../../../schema/ids.ts';
import { type Outcome, ok, refuse } from '../../../schema/outcome.ts';
import type { ProvenCaller } from '../../../schema/relay/message.ts';
import { type AncestorReader, callingAgent } from '../../acting/calling-agent.ts';
import { LOCAL } from '../../daemon-core.ts';

const ANCESTORS_MAX = 128;

export interface CallerOfProcessParts {
  readonly world: () => World;
  readonly processes: AncestorReader;
  /** The member whose pane this is, also where no agent is recognised in it. */
  readonly memberOfPane: (paneKey: PaneKey) => PartyId | null;
  /** Whether it was made for a bundle that is not known now: whoever is in it is no person. */
  readonly isOfLostBundle: (pane: PaneRecord) => boolean;
}

export function callerOfProcess(
  { world, processes, memberOfPane, isOfLostBundle }: CallerOfProcessParts,
  pid: number,
): Outcome<ProvenCaller> {
  const paneKey = paneOfProcess(world(), processes, pid);
  const pane = paneKey && world().panes.get(paneKey);
  if (pane && isOfLostBundle(pane)) {
    const why = 'its pane is of a bundle that is not known now: see agtmux bundle validate';
    return refuse('E_IDENTITY_UNPROVEN', why);
  }
  const runtimeId = callingAgent(world(), processes, pid);
  if (runtimeId !== null) return ok({ kind: 'agent', runtimeId });
  const member = paneKey && memberOfPane(paneKey);
  return ok(member ? { kind: 'member', member } : { kind: 'person' });
}

/** The local pane whose own process is among the ancestors. */
function paneOfProcess(world: World, processes: AncestorReader, first: number): PaneKey | null {
  const panes = new Map(
    [...world.panes.values()].flatMap(({ targetId, goneAtMs, facts, paneKey }) =>
      targetId === LOCAL && goneAtMs === null && facts ? [[facts.birth.pid, paneKey]] : [],
    ),
  );
  let pid = first;
  for (let depth = 0; depth < ANCESTORS_MAX && pid > 0; depth += 1) {
    const paneKey = panes.get(pid);
    if (paneKey !== undefined) return paneKey;
    const process = processes.read(pid);
    if (process === null) return null;
    pid = process.ppid;
  }
  return null;
}
