// Names in a request that must exist, because an empty answer would hide a typing error: agents,
// targets and their servers. Each refusal suggests the nearest name. Pure.

import { socketName } from '../../core/identity/reference.ts';
import { splitPlace } from '../../core/view/pane-names.ts';
import type { World } from '../../core/world.ts';
import { type Outcome, refuse } from '../../schema/outcome.ts';
import { nearest } from '../../text/nearest-word.ts';
import type { AdaptersPort } from '../ports/ports.ts';

/** Why an agent cannot be named; null for one that an adapter knows, or that runs now. */
export function refuseUnknownAgent(
  adapters: AdaptersPort,
  agent: string,
  running: readonly string[] = [],
): Outcome<never> | null {
  const known = [...adapters.list().adapters.map((each) => each.agent), ...running];
  if (known.includes(agent)) return null;
  return refuse('E_AGENT_UNKNOWN', `no agent is called "${cut(agent)}"`, suggest(agent, known));
}

/** Why a target (`vm1`) or a server of it (`local+work`) is unknown; null for a known one. */
export function refuseUnknownTarget(world: World, place: string): Outcome<never> | null {
  const { target, server } = splitPlace(place);
  const found = [...world.targets.values()].find(
    ({ targetId, name }) => target === targetId || target === name,
  );
  if (!found) return noTarget(world, target);
  if (server === null) return null;
  const servers = [...world.panes.values()].flatMap(({ facts, targetId, goneAtMs }) =>
    facts && targetId === found.targetId && goneAtMs === null ? facts.server : [],
  );
  const names = servers.map(socketName);
  if (servers.includes(server) || names.includes(server)) return null;
  const near = nearest(server, names);
  return refuse(
    'E_TARGET_UNKNOWN',
    `target ${target} has no tmux server called "${cut(server)}"`,
    near === undefined ? {} : { hint: `Did you mean ${target}+${near}?` },
  );
}

export function noTarget(world: World, name: string): Outcome<never> {
  const names = [...world.targets.values()].map((each) => each.name);
  return refuse('E_TARGET_UNKNOWN', `target ${cut(name)} does not exist`, suggest(name, names));
}

function suggest(name: string, known: readonly string[]): { hint?: string } {
  const near = nearest(name, known);
  return near === undefined ? {} : { hint: `Did you mean ${near}?` };
}

const cut = (text: string): string => text.slice(0, 80);
