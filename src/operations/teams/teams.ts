// Teams: which bundles there are and how their members do, and the plan to bring one up or down.
// The caller carries it out, in its own environment: agents are no children of the daemon.

import { type Outcome, ok, refuse } from '../../schema/outcome.ts';
import type { BundlePlan } from '../../schema/relay/bundle-api.ts';
import type { Bundle, TeamProblem } from '../../schema/relay/team.ts';
import { header } from '../answer/pane-item.ts';
import { type Operation, operation } from '../ports/operation.ts';
import type { Ports } from '../ports/ports.ts';
import { bundleItem, selectBundles } from './bundle-item.ts';
import { bundleOutcome } from './bundle-outcome.ts';

/** Members may take half a minute until they are ready. */
const OUTCOME_MS = 60_000;
const AGENTS_MAX = 500;
/** From the plan to its outcome. */
const HOLD_MS = 120_000;

type PlanPorts = Pick<Ports, 'panes' | 'teams' | 'targets'>;

export const teamOperations: readonly Operation[] = [
  operation('list_bundles', {
    summary: 'The bundles that are declared, with the state of each member and recent failures.',
    scope: 'read',
    ports: ['panes', 'teams'],
    run: (ports, selection, call) => {
      const bundles = selectBundles(ports.teams.team(), selection);
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
    actors: ['user'],
    ports: ['panes', 'teams', 'targets'],
    run: (ports, { action, caller_pid, ...selection }, call) => {
      const { teams } = ports;
      if (caller_pid !== undefined && teams.isCalledByAgent(caller_pid)) {
        return refuse('E_NOT_PERMITTED', 'a command that an agent runs may not start or end teams');
      }
      const { bundle, group, autostart = false } = selection;
      if (bundle === undefined && group === undefined && !autostart) {
        return refuse('E_INPUT_INVALID', 'name a bundle or a group');
      }
      // What is to be ended need not be valid any more.
      const fresh = teams.fresh();
      const files = action === 'down' ? { team: teams.team(), problems: [] } : fresh;
      const wrong = wrongFiles(files.problems, selection.bundle);
      if (wrong) return wrong;
      const bundles = selectBundles(files.team, selection);
      if (!bundles.ok) return bundles;
      const plans: BundlePlan[] = [];
      for (const bundle of bundles.value) {
        const plan = planOf(ports, bundle);
        if (!plan.ok) return plan;
        plans.push(plan.value);
      }
      for (const each of bundles.value) {
        teams.watch(each, true);
        teams.hold(each.name, HOLD_MS);
      }
      return ok({ ...header(call.nowMs()), action, bundles: plans });
    },
  }),
  operation('bundle_outcome', {
    summary: 'What came of a plan: waits until members are ready or failed, and remembers it.',
    scope: 'control',
    actors: ['user'],
    deadlineMs: OUTCOME_MS,
    ports: ['panes', 'teams'],
    run: async (ports, input, call) => {
      const bundle = ports.teams.team().bundles.get(input.bundle);
      if (!bundle) return refuse('E_BUNDLE_UNKNOWN', `no bundle is called "${input.bundle}"`);
      try {
        return ok(await bundleOutcome(ports, bundle, input, call));
      } finally {
        ports.teams.hold(bundle.name, 0);
      }
    },
  }),
];

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

function planOf({ panes, teams, targets }: PlanPorts, bundle: Bundle): Outcome<BundlePlan> {
  const { name, target: targetName, server, members } = bundle;
  const at = teams.serverOf(bundle);
  const world = panes.world();
  const target = [...world.targets.values()].find((each) => each.name === targetName);
  if (!target) return refuse('E_TARGET_UNKNOWN', `bundle ${name} is on "${targetName}"`);
  const login = targets.loginOf(target.targetId);
  const isReached = target.kind === 'local' || (login !== null && target.health !== 'down');
  if (!at || !isReached) {
    return refuse('E_TARGET_UNREACHABLE', `target ${targetName} of bundle ${name} does not answer`);
  }
  const agents = [...world.panes.values()].flatMap(({ facts, row, goneAtMs }) => {
    const isThere = facts?.server === at.server && facts.targetId === at.targetId;
    if (!isThere || goneAtMs !== null || row.agent === null) return [];
    const { agent, state } = row;
    return facts.locations.map(({ sessionName }) => ({ session: sessionName, agent, state }));
  });
  return ok({
    bundle: name,
    target: targetName,
    target_kind: target.kind,
    login: login && {
      destination: login.destination,
      config_file: login.configFile,
      tmux_path: login.tmuxPath,
    },
    server: at.server,
    is_private: server === 'private',
    owner: teams.ownerOf(name),
    members: members.flatMap(({ id, directory, transport }) =>
      transport.kind === 'tmux' ? [{ id, directory, command: transport.command }] : [],
    ),
    agents: agents.slice(0, AGENTS_MAX),
  });
}
