// A bundle as it is listed: what is declared, and how its members are now. Also which bundles a
// caller means.

import type { PaneRecord } from '../../core/world.ts';
import { type Outcome, ok, refuse } from '../../schema/outcome.ts';
import type { AcpMemberItem } from '../../schema/relay/acp-api.ts';
import type { BundleItem, TeamMemberItem } from '../../schema/relay/bundle-api.ts';
import { type Bundle, bundlesOfGroup, type Member, type Team } from '../../schema/relay/team.ts';
import { nearest } from '../../text/nearest-word.ts';
import { crowdedTargets, refOf } from '../answer/pane-item.ts';
import type { Ports } from '../ports/ports.ts';
import { acpItemOf } from './acp-members.ts';

export type TeamPorts = Pick<Ports, 'panes' | 'teams' | 'acp'>;

const FAILURES_SHOWN_MAX = 10;

export interface Selection {
  readonly bundle?: string | undefined;
  readonly group?: string | undefined;
  /** Those that are marked with `autostart`. */
  readonly autostart?: boolean | undefined;
}

/** The bundles that are meant, in the order of their names; all, where none is named. */
export function selectBundles(
  team: Team,
  { bundle, group, autostart }: Selection,
): Outcome<readonly Bundle[]> {
  if ([bundle, group, autostart || undefined].filter((each) => each !== undefined).length > 1) {
    return refuse('E_INPUT_INVALID', 'give one of a bundle, a group and autostart');
  }
  if (autostart) return ok([...team.bundles.values()].filter((each) => each.autostart));
  if (group !== undefined) {
    const found = bundlesOfGroup(team, group);
    return found ? ok(found) : refuse('E_BUNDLE_UNKNOWN', `no bundle is in the group "${group}"`);
  }
  if (bundle === undefined) return ok([...team.bundles.values()]);
  const found = team.bundles.get(bundle);
  if (found) return ok([found]);
  const near = nearest(bundle, [...team.bundles.keys()]);
  const hint = near === undefined ? {} : { hint: `Did you mean "${near}"?` };
  return refuse('E_BUNDLE_UNKNOWN', `no bundle is called "${bundle}"`, hint);
}

/** Whether a member works: its agent is not in error, or a program without a state runs. */
function isReady({ acp }: TeamPorts, bundle: Bundle, member: TeamMemberItem): boolean {
  const { id, transport, presence, state } = member;
  if (transport === 'acp' && acpItemOf(acp, bundle.name, id)?.status !== 'ready') return false;
  return presence === 'live' && state !== 'error';
}

export function bundleItem(ports: TeamPorts, bundle: Bundle): BundleItem {
  const { teams } = ports;
  const sessions = bundle.members.map((member) => memberItem(ports, bundle, member));
  const ready = sessions.filter((each) => isReady(ports, bundle, each)).length;
  const isUp = sessions.some(({ presence }) => presence === 'live');
  const { count, recent } = teams.failures(bundle.name, FAILURES_SHOWN_MAX);
  const { name, file, target, autostart, groups, restart } = bundle;
  return {
    ...{ id: name, file, target, autostart, groups: [...groups], restart: restart.when },
    server: teams.serverOf(bundle)?.server ?? null,
    state: isUp ? 'up' : 'down',
    startup_health: isUp ? (ready === sessions.length ? 'healthy' : 'degraded') : null,
    ...reasonOf(ports, bundle, isUp),
    ready_session_count: ready,
    startup_failure_count: count,
    recent_startup_failures: [...recent],
    sessions,
  };
}

function reasonOf(
  { teams }: TeamPorts,
  { name, target }: Bundle,
  isUp: boolean,
): Pick<BundleItem, 'state_reason_code' | 'state_reason'> {
  if (isUp) return { state_reason_code: null, state_reason: null };
  if (!teams.isWanted(name)) {
    const state_reason = `it is down; agtmux bundle up ${name} starts it`;
    return { state_reason_code: 'not_started', state_reason };
  }
  const where = target === 'local' ? '' : ` on ${target}`;
  const state_reason = `no member runs${where}, though it was brought up`;
  return { state_reason_code: 'runtime_startup_failed', state_reason };
}

function memberItem(
  { teams, panes, acp }: TeamPorts,
  bundle: Bundle,
  member: Member,
): TeamMemberItem {
  const { id, name, coder, policy, directory, transport } = member;
  const pane = teams.paneOf(bundle, id);
  const item = transport.kind === 'acp' ? acpItemOf(acp, bundle.name, id) : null;
  const isManaged = pane?.row.presence === 'managed';
  return {
    ...{ id, name, transport: transport.kind, coder, policy, directory },
    state: isManaged ? pane.row.state : null,
    reason_code: isManaged ? pane.row.reasonCode : null,
    agent: isManaged ? pane.row.agent : null,
    presence: transport.kind === 'acp' ? acpPresenceOf(item) : presenceOf(pane),
    restarts: item?.restarts ?? teams.restartsOf(bundle.name, id),
    pane_id: pane?.facts?.paneId ?? null,
    ref: pane && refOf(pane, pane.facts?.locations[0], crowdedTargets(panes.world())),
  };
}

/** Dead while it waits to be started again, and where it is not any more. */
function acpPresenceOf(item: AcpMemberItem | null): TeamMemberItem['presence'] {
  if (item === null || item.status === 'stopped') return 'absent';
  return item.status === 'waiting' || item.status === 'failed' ? 'dead' : 'live';
}

function presenceOf(pane: PaneRecord | null): TeamMemberItem['presence'] {
  if (pane === null) return 'absent';
  return pane.facts?.dead ? 'dead' : 'live';
}
