// What is not watched at the moment, in the words of a header: machines and tmux servers that are
// gone. Made of the alerts that stand, so that both agree. Pure.

import type { MemberServer } from '../../core/view/member-pane.ts';
import type { World } from '../../core/world.ts';
import type { OutageItem } from '../../schema/api/targets.ts';
import { id, type TargetId } from '../../schema/ids.ts';
import type { AppliedBatch } from '../engine/engine.ts';
import type { AlertSignal, Condition } from './alert-rules.ts';

export interface StandingCondition {
  readonly condition: Condition;
  readonly openedAtMs: number;
}

/** The outages among the conditions that stand, the oldest first. */
export function outagesOf(
  world: World,
  standing: readonly StandingCondition[],
): readonly OutageItem[] {
  const outages = standing.flatMap(({ condition, openedAtMs }) => {
    const outage = outageOf(world, condition);
    return outage ? [{ ...outage, since: new Date(openedAtMs).toISOString() }] : [];
  });
  // That no server runs follows from these.
  const explained = outages.flatMap(({ code, target }) =>
    code === 'tmux_missing' || code === 'tmux_ended' ? [target] : [],
  );
  return outages
    .filter(({ code, target }) => code !== 'tmux_absent' || !explained.includes(target))
    .toSorted((a, b) => (a.since < b.since ? -1 : 1));
}

function outageOf(world: World, condition: Condition): Omit<OutageItem, 'since'> | null {
  const { code, about, detail } = condition;
  const [target, server] = placeOf(about);
  const isLocal = world.targets.get(id<TargetId>(target))?.kind === 'local';
  const machine = isLocal ? 'this machine' : target;
  switch (code) {
    case 'target_unreachable':
      return { code, target, server: null, text: `${target} down`, detail };
    case 'tmux_missing': {
      const text = isLocal ? 'no tmux on this machine' : `${target} has no tmux`;
      return { code, target, server: null, text, detail };
    }
    case 'tmux_ended': {
      const name = server?.slice(server.lastIndexOf('/') + 1) ?? '';
      const place = isLocal ? '' : ` on ${target}`;
      return { code, target, server, text: `tmux server ${name}${place} ended`, detail };
    }
    case 'tmux_absent':
      // Nothing is missed where another server of the machine runs.
      if (hasPanes(world, target) || server === null) return null;
      // Others may run: only those that are watched are known.
      return { code, target, server, text: `no tmux server that is watched on ${machine}`, detail };
    default:
      return null;
  }
}

/** The target, and the server where it is about one: `build-box:/tmp/tmux-1000/default`. */
function placeOf(about: string): readonly [string, string | null] {
  const at = about.indexOf(':');
  return at < 0 ? [about, null] : [about.slice(0, at), about.slice(at + 1)];
}

function hasPanes(world: World, target: string): boolean {
  for (const { targetId, goneAtMs } of world.panes.values()) {
    if (targetId === target && goneAtMs === null) return true;
  }
  return false;
}

/** A scan of processes may show the end of an agent before its server is missed. */
const ENDS_TOGETHER_MS = 2_000;

const hasEndedWith = (endedAtMs: number | null, goneAtMs: number | null): boolean =>
  endedAtMs !== null && goneAtMs !== null && goneAtMs - endedAtMs <= ENDS_TOGETHER_MS;

/**
 * The servers that ended in a batch and that nobody has ended on purpose, with what was in them;
 * `world` is the one after the batch.
 */
export function endedServerSignals(
  world: World,
  { events }: Pick<AppliedBatch, 'events'>,
  isExpected: (server: MemberServer) => boolean,
): readonly AlertSignal[] {
  const lost = new Map<string, { panes: number; agents: number }>();
  for (const event of events) {
    if (event.type !== 'pane.gone' || event.reason !== 'server_gone') continue;
    const pane = world.panes.get(event.paneKey);
    if (!pane?.facts || isExpected({ targetId: pane.targetId, server: pane.facts.server }))
      continue;
    const server = `${pane.targetId}:${pane.facts.server}`;
    const counts = lost.get(server) ?? { panes: 0, agents: 0 };
    const last = world.runtimes.get(pane.pastRuntimes.at(-1) ?? id(''));
    counts.panes += 1;
    if (hasEndedWith(last?.endedAtMs ?? null, pane.goneAtMs)) counts.agents += 1;
    lost.set(server, counts);
  }
  return [...lost].map(([server, counts]) => ({ kind: 'server_ended', server, ...counts }));
}
