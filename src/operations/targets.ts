// The machines that are watched: this one always, others by ssh once they were added.

import type { TargetItem } from '../schema/api/targets.ts';
import { id, type TargetId } from '../schema/ids.ts';
import { ok, refuse } from '../schema/outcome.ts';
import type { Target } from '../schema/target.ts';
import { noTarget } from './answer/known-names.ts';
import { header } from './answer/pane-item.ts';
import { isoOf } from './ports/iso-time.ts';
import { type Operation, operation } from './ports/operation.ts';
import type { Ports } from './ports/ports.ts';

type TargetPorts = Pick<Ports, 'panes' | 'targets'>;

const listTargets = operation('list_targets', {
  summary: 'The machines that are watched, and whether they answer.',
  scope: 'read',
  ports: ['panes', 'targets'],
  run: (ports, _input, call) => ok({ ...header(call.nowMs()), targets: targetItems(ports) }),
});

export const targetItems = (ports: TargetPorts): TargetItem[] =>
  [...ports.panes.world().targets.values()].map((each) => itemOf(ports, each));

const addTarget = operation('add_target', {
  summary: 'Watches another machine by ssh. This one is watched always.',
  scope: 'admin',
  actors: ['user'],
  ports: ['panes', 'targets'],
  run: (ports, { name, kind, connection_ref: connectionRef }) => {
    const taken = findTarget(ports, name);
    if (kind === 'local') {
      if (taken?.kind === 'local') return ok(itemOf(ports, taken));
      return refuse('E_TARGET_EXISTS', 'this machine is watched already, as local');
    }
    if (taken !== null) return refuse('E_TARGET_EXISTS', `target ${name} exists already`);
    const target: Target = {
      targetId: id<TargetId>(name),
      name,
      kind,
      connectionRef: connectionRef ?? name,
      health: 'degraded',
    };
    return ok(itemOf(ports, ports.targets.add(target)));
  },
});

const connectTarget = operation('connect_target', {
  summary: 'Tries a machine at once and answers when it is reached or has failed.',
  scope: 'admin',
  actors: ['user'],
  // Longer than the watch of a machine waits for it.
  deadlineMs: 35_000,
  ports: ['panes', 'targets'],
  run: async (ports, { name, timeout_ms }, { signal }) => {
    const target = findTarget(ports, name);
    if (target === null) return noTarget(ports.panes.world(), name);
    const limits = timeout_ms === undefined ? [] : [AbortSignal.timeout(timeout_ms)];
    await ports.targets.connect(target.targetId, AbortSignal.any([signal, ...limits]));
    const now = ports.panes.world().targets.get(target.targetId);
    return now ? ok(itemOf(ports, now)) : noTarget(ports.panes.world(), name);
  },
});

const removeTarget = operation('remove_target', {
  summary: 'No longer watches a machine and forgets its rows. Nothing is done on it.',
  scope: 'admin',
  actors: ['user'],
  ports: ['panes', 'targets'],
  run: (ports, { name }) => {
    const target = findTarget(ports, name);
    if (target === null) return noTarget(ports.panes.world(), name);
    if (target.kind === 'local') {
      const hint = 'To stop watching, stop the daemon with agtmux daemon stop.';
      return refuse('E_PRECONDITION_FAILED', `${name} is this machine, which is always watched`, {
        hint,
      });
    }
    ports.targets.remove(target.targetId);
    return ok({ ok: true as const });
  },
});

export const targetOperations: readonly Operation[] = [
  listTargets,
  addTarget,
  connectTarget,
  removeTarget,
];

function findTarget(ports: TargetPorts, name: string): Target | null {
  const targets = [...ports.panes.world().targets.values()];
  return targets.find((each) => each.name === name || each.targetId === name) ?? null;
}

function itemOf(ports: TargetPorts, target: Target): TargetItem {
  const { detail, lastSeenAtMs } = ports.targets.statusOf(target.targetId);
  return {
    target: target.targetId,
    name: target.name,
    kind: target.kind,
    connection_ref: target.connectionRef,
    health: target.health,
    detail,
    last_seen_at: lastSeenAtMs === null ? null : isoOf(lastSeenAtMs),
  };
}
