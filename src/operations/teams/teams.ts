// Teams: which bundles there are and how their members do, and the plan to bring one up or down.
// The caller carries it out, in its own environment: agents are no children of the daemon.

import { type Outcome, ok, refuse } from '../../schema/outcome.ts';
import type { BundlePlan } from '../../schema/relay/bundle-api.ts';
import type { Bundle, TeamProblem } from '../../schema/relay/team.ts';
import { header } from '../answer/pane-item.ts';
import { type Operation, operation, witnessOf } from '../ports/operation.ts';
import type { Ports } from '../ports/ports.ts';
import type { TeamsPort } from '../ports/teams-port.ts';
import { acpPlan } from './acp-members.ts';
import { bundleItem, selectBundles } from './bundle-item.ts';
import { bundleOutcome, noteCreated } from './bundle-outcome.ts';
import { type PlanPorts, serverPlan } from './server-plan.ts';

/** Members may take half a minute until they are ready. */
const OUTCOME_MS = 60_000;
/** From the plan to its outcome. */
const HOLD_MS = 120_000;
/** Until the end of a server has been noticed, also where it is only asked at times. */
const END_SEEN_MS = 5_000;

export const teamOperations: readonly Operation[] = [
  operation('list_bundles', {
    summary: 'The bundles that are declared, with the state of each member and recent failures.',
    scope: 'read',
    ports: ['panes', 'teams', 'acp'],
    run: (ports, selection, call) => {
      const { teams } = ports;
      const known = selectBundles(teams.team(), selection);
      // Its file may have been written a moment ago.
      const bundles = known.ok ? known : selectBundles(teams.fresh().team, selection);
      if (!bundles.ok) return bundles;
      return ok({
        ...header(call.nowMs()),
        bundles: bundles.value.map((each) => bundleItem(ports, each)),
        problems: [...ports.teams.problems()],
      });
    },
  }),
  operation('plan_bundle', {
    summary: 'Plans to bring bundles up or down, from valid files alone; the caller does it.',
    scope: 'control',
    actors: ['user', 'agent'],
    ports: ['panes', 'teams', 'targets', 'callers', 'acp'],
    run: (ports, { action, caller_pid, member, ...selection }, call) => {
      const { teams, callers } = ports;
      const { bundle, group, autostart = false } = selection;
      if (bundle === undefined && (member !== undefined || (group === undefined && !autostart))) {
        return refuse('E_INPUT_INVALID', 'name a bundle or a group');
      }
      // What is to be ended need not be valid any more.
      const fresh = teams.fresh();
      const files = action === 'down' ? { team: teams.team(), problems: [] } : fresh;
      const wrong = wrongFiles(files.problems, selection.bundle);
      if (wrong) return wrong;
      const bundles = selectBundles(files.team, selection);
      if (!bundles.ok) return bundles;
      const witness = witnessOf(call.actor, caller_pid);
      const plans: BundlePlan[] = [];
      for (const each of bundles.value) {
        const denied = callers.refuseStart(witness, { bundle: each.name, member });
        if (denied) return denied;
        const plan = planOf(ports, each, member);
        if (!plan.ok) return plan;
        plans.push(plan.value);
      }
      for (const each of bundles.value) {
        beginPlan(teams, each, action !== 'up');
      }
      return ok({ ...header(call.nowMs()), action, bundles: plans });
    },
  }),
  operation('bundle_outcome', {
    summary: 'What came of a plan: waits until members are ready or failed, and remembers it.',
    scope: 'control',
    actors: ['user', 'agent'],
    deadlineMs: OUTCOME_MS,
    ports: ['panes', 'teams', 'callers', 'acp'],
    run: async (ports, input, call) => {
      const { teams, callers } = ports;
      const bundle = teams.team().bundles.get(input.bundle);
      if (!bundle) return refuse('E_BUNDLE_UNKNOWN', `no bundle is called "${input.bundle}"`);
      const witness = witnessOf(call.actor, input.caller_pid);
      const at = teams.serverOf(bundle);
      // What was started was, also where it is not permitted any more.
      if (at) noteCreated(ports, at, input.created_sessions, witness);
      const { bundle: name, member } = input;
      const denied = callers.refuseStart(witness, { bundle: name, member });
      if (denied) return denied;
      try {
        return ok(await bundleOutcome(ports, bundle, input, { ...call, witness }));
      } finally {
        teams.hold(bundle.name, 0);
        if (at) teams.expectEnd(at, input.killed_tmux_server ? END_SEEN_MS : 0);
      }
    },
  }),
];

function beginPlan(teams: TeamsPort, bundle: Bundle, endsSessions: boolean): void {
  teams.watch(bundle, true);
  teams.hold(bundle.name, HOLD_MS);
  const at = teams.serverOf(bundle);
  if (at && endsSessions) teams.expectEnd(at, HOLD_MS);
}

/** What is wrong with a bundle, or with the files that all share. Other bundles do not matter. */
function wrongFiles(
  problems: readonly TeamProblem[],
  bundle: string | undefined,
): Outcome<never> | null {
  const isOther = ({ file }: TeamProblem): boolean =>
    bundle !== undefined && /\/bundles\/[^/]+$/.test(file) && !file.endsWith(`/${bundle}.toml`);
  const wrong = problems.filter((each) => !isOther(each));
  const [first] = wrong;
  if (!first) return null;
  const { file, line, key, message } = first;
  const more = wrong.length > 1 ? ` (and ${wrong.length - 1} more)` : '';
  const place = [file, line, key].filter((each) => each !== '').join(':');
  return refuse('E_BUNDLE_INVALID', `${place}: ${message}${more}`);
}

function planOf(
  ports: PlanPorts & Pick<Ports, 'acp'>,
  bundle: Bundle,
  only: string | undefined,
): Outcome<BundlePlan> {
  const { name, target, server, members } = bundle;
  const { teams } = ports;
  const missing = only !== undefined && !members.some(({ id }) => id === only);
  if (missing) return refuse('E_BUNDLE_UNKNOWN', `bundle ${name} has no member "${only}"`);
  const at = serverPlan(ports, { name, target, server });
  if (!at.ok) return at;
  return ok({
    ...at.value,
    bundle: name,
    is_private: server === 'private',
    owner: teams.ownerOf(name),
    acp_members: acpPlan(ports, bundle, only),
    members: members.flatMap(({ id, directory, transport }) =>
      transport.kind === 'tmux' && (only ?? id) === id
        ? [{ id, directory, command: transport.command }]
        : [],
    ),
  });
}
