// The machines that are watched: this one always, others by ssh once they were added.

import type { TargetItem } from '../schema/api/targets.ts';
import { id, type TargetId } from '../schema/ids.ts';
import { ok, refuse } from '../schema/outcome.ts';
import type { Target } from '../schema/target.ts';
import type { Context } from './context.ts';
import { type Operation, operation } from './operation.ts';
import { header, isoOf } from './pane-item.ts';
import { noTarget } from './panes.ts';

const listTargets = operation('list_targets', {
  summary: 'The machines that are watched, and whether they answer.',
  access: 'read',
  run: (context) =>
    ok({
      ...header(context.nowMs()),
      targets: [...context.world().targets.values()].map((each) => itemOf(context, each)),
    }),
});

const addTarget = operation('add_target', {
  summary: 'Watches another machine by ssh. This one is watched always.',
  access: 'admin',
  actor: 'user',
  run: (context, { name, kind, connection_ref: connectionRef }) => {
    const taken = findTarget(context, name);
    if (kind === 'local') {
      if (taken?.kind === 'local') return ok(itemOf(context, taken));
      return refuse('E_TARGET_EXISTS', 'this machine is watched already, as local');
    }
    if (taken !== null) return refuse('E_TARGET_EXISTS', `there is a target ${name} already`);
    const target: Target = {
      targetId: id<TargetId>(name),
      name,
      kind,
      connectionRef: connectionRef ?? name,
      health: 'degraded',
    };
    return ok(itemOf(context, context.targets.add(target)));
  },
});

const connectTarget = operation('connect_target', {
  summary: 'Tries a machine at once and answers when it is reached or has failed.',
  access: 'admin',
  actor: 'user',
  run: async (context, { name }) => {
    const target = findTarget(context, name);
    if (target === null) return noTarget(name);
    await context.targets.connect(target.targetId);
    const now = context.world().targets.get(target.targetId);
    return now ? ok(itemOf(context, now)) : noTarget(name);
  },
});

const removeTarget = operation('remove_target', {
  summary: 'No longer watches a machine and forgets its rows. Nothing is done on it.',
  access: 'admin',
  actor: 'user',
  run: (context, { name }) => {
    const target = findTarget(context, name);
    if (target === null) return noTarget(name);
    if (target.kind === 'local') {
      return refuse('E_PRECONDITION_FAILED', 'this machine is always watched');
    }
    context.targets.remove(target.targetId);
    return ok({ ok: true as const });
  },
});

export const targetOperations: readonly Operation[] = [
  listTargets,
  addTarget,
  connectTarget,
  removeTarget,
];

function findTarget(context: Context, name: string): Target | null {
  const targets = [...context.world().targets.values()];
  return targets.find((each) => each.name === name || each.targetId === name) ?? null;
}

function itemOf(context: Context, target: Target): TargetItem {
  const { detail, lastSeenAtMs } = context.targets.statusOf(target.targetId);
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
