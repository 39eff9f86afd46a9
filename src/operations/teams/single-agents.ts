// Single agents: the plan to start one on the usual tmux server of a machine, what came of it, and
// the plan to end the session of one that agtmux has started.

import type { MemberServer } from '../../core/view/member-pane.ts';
import { resolveRef } from '../../core/view/resolve-ref.ts';
import type { PaneRecord, World } from '../../core/world.ts';
import { type Outcome, ok, refuse } from '../../schema/outcome.ts';
import type { BundlePlan, SpawnReport } from '../../schema/relay/bundle-api.ts';
import type { Bundle } from '../../schema/relay/team.ts';
import { crowdedTargets, header, refOf } from '../answer/pane-item.ts';
import { type Operation, operation, witnessOf } from '../ports/operation.ts';
import type { Ports } from '../ports/ports.ts';
import type { TeamsPort } from '../ports/teams-port.ts';
import { acpMembersOf, acpPlan } from './acp-members.ts';
import { failuresOf, noteCreated, paneOfCreated } from './bundle-outcome.ts';
import { type PlanPorts, serverPlan } from './server-plan.ts';

/** In the place of a bundle: no bundle can have this name. */
const SINGLE = '@single';
/** A member may take half a minute until it is ready. */
const OUTCOME_MS = 60_000;
/** From the plan of a stop, which a person may have to confirm, until its session is gone. */
const STOP_MS = 60_000;

export const singleAgentOperations: readonly Operation[] = [
  operation('plan_spawn', {
    summary: 'Plans the start of one agent in a session of its own; the caller starts it.',
    scope: 'control',
    actors: ['user', 'agent'],
    ports: ['panes', 'teams', 'targets', 'callers'],
    run: (ports, { target, caller_pid }, call) => {
      const denied = ports.callers.refuseStart(witnessOf(call.actor, caller_pid), null);
      if (denied) return denied;
      const at = serverPlan(ports, { name: SINGLE, target, server: 'user' });
      if (!at.ok) return at;
      const owner = ports.teams.ownerOf(SINGLE);
      const nobody = { members: [], acp_members: [] };
      const plan = { ...at.value, bundle: SINGLE, is_private: false, owner, ...nobody };
      return ok({ ...header(call.nowMs()), plan });
    },
  }),
  operation('spawn_outcome', {
    summary: 'What came of the start of one agent: waits until it is ready or has failed.',
    scope: 'control',
    actors: ['user', 'agent'],
    deadlineMs: OUTCOME_MS,
    ports: ['panes', 'teams', 'callers'],
    run: async (ports, { target, server, created, caller_pid }, call) => {
      const at = serverAt(ports.teams, target, server);
      if (!at) return refuse('E_TARGET_UNREACHABLE', `target ${target} does not answer`);
      noteCreated(ports, at, [created], witnessOf(call.actor, caller_pid));
      const [failed] = await failuresOf(ports, at, [created], call);
      const pane = failed ? null : paneOfCreated(ports, at, created);
      const cause = String(failed?.details['cause'] ?? '');
      return ok({
        ...header(call.nowMs()),
        pane: pane && startedItem(pane, ports.panes.world()),
        failure: failed ? { code: failed.code, reason: failed.reason, cause } : null,
      });
    },
  }),
  operation('plan_stop', {
    summary:
      'Plans the end of the session of one agent that agtmux has started; the caller ends it.',
    scope: 'control',
    actors: ['user', 'agent'],
    ports: ['panes', 'teams', 'targets', 'callers', 'acp'],
    run: (ports, { ref, caller_pid }, call) => {
      const plan = stopPlan(ports, ref);
      if (!plan.ok) return plan;
      const { bundle, members } = plan.value;
      const subject = bundle === SINGLE ? null : { bundle, member: members[0]?.id };
      const denied = ports.callers.refuseStart(witnessOf(call.actor, caller_pid), subject);
      if (denied) return denied;
      const at = serverAt(ports.teams, plan.value.target, plan.value.server);
      if (at) ports.teams.expectEnd(at, STOP_MS);
      return ok({ ...header(call.nowMs()), plan: plan.value });
    },
  }),
];

function startedItem(pane: PaneRecord, world: World): SpawnReport['pane'] {
  const { facts, row } = pane;
  const isAgent = row.presence === 'managed';
  return {
    ref: refOf(pane, facts?.locations[0], crowdedTargets(world)),
    pane_id: facts?.paneId ?? '',
    agent: isAgent ? row.agent : null,
    state: isAgent ? row.state : null,
  };
}

const serverAt = (teams: TeamsPort, target: string, server: string): MemberServer | null => {
  const at = teams.serverOf({ name: SINGLE, target, server: 'user' });
  return at && { ...at, server };
};

type StopPorts = PlanPorts & Pick<Ports, 'acp'>;

/** Its one member is the session that is to be ended. */
function stopPlan(ports: StopPorts, ref: string): Outcome<BundlePlan> {
  const { teams, panes } = ports;
  const [bundleName = '', memberId, ...more] = ref.split('/');
  const named = more.length === 0 ? teams.team().bundles.get(bundleName) : undefined;
  if (named?.members.some(({ id }) => id === memberId)) {
    return planFor(ports, named, memberId ?? '');
  }
  const world = panes.world();
  const pane = resolveRef(world, ref, 'act');
  if (!pane.ok) return pane;
  const { facts, targetId, paneKey } = pane.value;
  const bundles = [...teams.team().bundles.values()];
  for (const each of bundles) {
    const own = acpMembersOf(each).find(({ id }) => teams.paneOf(each, id)?.paneKey === paneKey);
    if (own) return planFor(ports, each, own.id);
  }
  const session = facts?.locations[0]?.sessionName;
  const target = world.targets.get(targetId)?.name;
  if (!facts || session === undefined || target === undefined) {
    return refuse('E_PRECONDITION_FAILED', `${ref} is in no session of tmux`);
  }
  const bundle = bundles.find((each) => {
    const at = teams.serverOf(each);
    const isThere = at?.server === facts.server && at.targetId === targetId;
    return isThere && each.members.some(({ id }) => id === session);
  });
  if (bundle) return planFor(ports, bundle, session);
  return planFor(ports, { name: SINGLE, target, server: facts.server }, session);
}

function planFor(
  ports: StopPorts,
  bundle: Pick<Bundle, 'name' | 'target' | 'server'>,
  session: string,
): Outcome<BundlePlan> {
  const { name, target, server } = bundle;
  const declared = ports.teams.team().bundles.get(name);
  const at = serverPlan(ports, { name, target, server });
  if (!at.ok) return at;
  return ok({
    ...at.value,
    bundle: name,
    is_private: server === 'private',
    owner: ports.teams.ownerOf(name),
    members: [{ id: session, directory: '/', command: '' }],
    acp_members: declared ? acpPlan(ports, declared, session) : [],
  });
}
