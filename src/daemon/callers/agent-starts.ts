// Which agent has started which: by the tree of processes, and by what is remembered of the starts
// that agtmux was asked for, whose programs are children of tmux. Both together, through any number
// of agents between the two.

import type { PaneRecord, World } from '../../core/world.ts';
import { panePlaceOf, type RuntimeId } from '../../schema/ids.ts';
import type { PaneFacts } from '../../schema/pane.ts';
import type { StartedAgentTable } from '../../store/teams/started-agents.ts';
import { type AncestorReader, callingAgent } from '../acting/calling-agent.ts';
import { LOCAL } from '../daemon-core.ts';
import type { Party } from '../messaging/parties.ts';

/** Names of starters that are followed; no chain of agents is that long. */
const NAMES_MAX = 1_000;
/** tmux says when it was started in whole seconds. */
const START_ACCURACY_MS = 2_000;

export interface AgentStartsParts {
  readonly world: () => World;
  readonly processes: AncestorReader;
  readonly table: Pick<StartedAgentTable, 'find'>;
  readonly partyOf: (runtimeId: RuntimeId) => Party | null;
}

/** The names by which an agent is known again: its process, its pane, its place in a bundle. */
export function namesOf({ id, pane, member, runtimeId }: Party): readonly string[] {
  const names = pane ? namesOfPane(pane) : runtimeId === null ? [] : [runtimeName(runtimeId)];
  return member ? [...names, id] : names;
}

export function namesOfPane({ paneKey, facts, row: { runtimeId } }: PaneRecord): readonly string[] {
  const place = facts ? placeOf(facts) : `place:${paneKey}`;
  return runtimeId === null ? [place] : [place, runtimeName(runtimeId)];
}

export const runtimeName = (runtimeId: RuntimeId): string => `runtime:${runtimeId}`;

export class AgentStarts {
  readonly #parts: AgentStartsParts;

  constructor(parts: AgentStartsParts) {
    this.#parts = parts;
  }

  /** Whether one has started the other, itself or by others; also where both are one. */
  isKin(one: readonly string[], other: readonly string[]): boolean {
    const above = (low: readonly string[], high: readonly string[]) => {
      const starters = this.#starters(low);
      return high.some((name) => starters.has(name));
    };
    return above(one, other) || above(other, one);
  }

  /** Its own names, and those of all who have started it. */
  #starters(names: readonly string[]): ReadonlySet<string> {
    const found = new Set(names);
    // A set that grows is walked to its end.
    for (const name of found) {
      if (found.size > NAMES_MAX) break;
      for (const starter of this.#startersOf(name)) found.add(starter);
    }
    return found;
  }

  #startersOf(name: string): readonly string[] {
    if (name.startsWith('place:')) return this.#rememberedOf(name);
    return name.startsWith('runtime:') ? this.#parentsOf(name.slice('runtime:'.length)) : [];
  }

  #rememberedOf(place: string): readonly string[] {
    const start = this.#parts.table.find(place);
    if (start === null) return [];
    const facts = [...this.#parts.world().panes.values()].find(
      (pane) => pane.facts && placeOf(pane.facts) === place,
    )?.facts;
    // Another tmux server may have got the same process id. Other machines have other clocks.
    const isEarlier =
      facts?.targetId === LOCAL &&
      facts.generation.startedAtMs > start.startedAtMs + START_ACCURACY_MS;
    return isEarlier ? [] : start.starters;
  }

  #parentsOf(runtimeId: string): readonly string[] {
    const { world, processes, partyOf } = this.#parts;
    const runtime = world().runtimes.get(runtimeId as RuntimeId);
    if (runtime?.targetId !== LOCAL || !runtime.pid) return [];
    const above = processes.read(runtime.pid)?.ppid ?? 0;
    const parent = above > 0 ? callingAgent(world(), processes, above) : null;
    if (parent === null) return [];
    const party = partyOf(parent);
    return party ? namesOf(party) : [runtimeName(parent)];
  }
}

const placeOf = (facts: PaneFacts): string =>
  panePlaceOf({ ...facts, serverPid: facts.generation.pid });
