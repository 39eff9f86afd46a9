// The members of a bundle that have no terminal: the daemon starts and ends them itself when the
// caller says what it has done in tmux, and waits with it until they are ready or have failed.

import { acpKeyOf, id as asId, type PaneKey, type TargetId } from '../../schema/ids.ts';
import type { AcpMemberItem } from '../../schema/relay/acp-api.ts';
import type {
  BundleOutcomeInput,
  BundlePlan,
  StartupFailure,
} from '../../schema/relay/bundle-api.ts';
import { type Bundle, type Member, memberKey } from '../../schema/relay/team.ts';
import type { CallerWitness } from '../ports/callers-port.ts';
import type { OperationCall } from '../ports/operation.ts';
import type { Ports } from '../ports/ports.ts';

type AcpPorts = Pick<Ports, 'acp' | 'panes' | 'callers'>;
export type NewFailure = Omit<StartupFailure, 'bundle_name' | 'timestamp' | 'sequence'>;

const READY_MS = 30_000;
const LOOK_EVERY_MS = 100;
const OUTPUT_LENGTH_MAX = 2_000;
const LOCAL = asId<TargetId>('local');

export interface AcpOutcome {
  readonly created: readonly string[];
  readonly ended: readonly string[];
  readonly failures: readonly NewFailure[];
}

export const acpMembersOf = ({ members }: Bundle): readonly Member[] =>
  members.filter(({ transport }) => transport.kind === 'acp');

/** As the daemon runs it; null: it was never started. */
export const acpItemOf = (
  acp: Ports['acp'],
  bundle: string,
  member: string,
): AcpMemberItem | null =>
  acp.list().find(({ name }) => name === memberKey(bundle, member)) ?? null;

/** Those that are declared, and those that run and are not declared any more. */
export function acpPlan(
  { acp, panes }: Pick<Ports, 'acp' | 'panes'>,
  bundle: Bundle,
  only: string | undefined,
): BundlePlan['acp_members'] {
  const running = ownIds(acp, bundle.name);
  const declared = acpMembersOf(bundle);
  const stale = running.filter((each) => !declared.some(({ id }) => id === each));
  const ids = [...declared.map(({ id }) => id), ...stale];
  return ids
    .filter((id) => (only ?? id) === id)
    .map((id) => {
      const item = acpItemOf(acp, bundle.name, id);
      const pane = panes.world().panes.get(acpKeyOf(LOCAL, memberKey(bundle.name, id)));
      const state = pane?.goneAtMs === null ? pane.row.state : null;
      const agent = item?.agent ?? 'agent';
      return { id, state, agent, is_up: running.includes(id), is_declared: !stale.includes(id) };
    });
}

/** Starts and ends what is meant, and says what came of it. */
export async function acpOutcome(
  ports: AcpPorts,
  bundle: Bundle,
  input: BundleOutcomeInput,
  call: OperationCall & { readonly witness: CallerWitness },
): Promise<AcpOutcome> {
  const { acp } = ports;
  const isMeant = (id: string): boolean => (input.member ?? id) === id;
  const declared = input.action === 'down' ? [] : acpMembersOf(bundle);
  const isKept = (id: string): boolean =>
    input.action === 'up' && declared.some((each) => each.id === id);
  const ended = ownIds(acp, bundle.name).filter((id) => isMeant(id) && !isKept(id));
  const isForgotten = (id: string): boolean => !acpMembersOf(bundle).some((each) => each.id === id);
  await Promise.all(ended.map((id) => acp.stop(memberKey(bundle.name, id), isForgotten(id))));
  const started = declared
    .filter(({ id }) => isMeant(id) && !runs(acpItemOf(acp, bundle.name, id)))
    .map((member) => ({ member, reply: acp.startMember(bundle, member, input.path) }));
  const places = started.flatMap(({ reply }) =>
    reply.ok ? [{ paneKey: asId<PaneKey>(reply.value.pane_key) }] : [],
  );
  ports.callers.noteStarted(ports.callers.starterOf(call.witness), places);
  const created = started.filter(({ reply }) => reply.ok).map(({ member }) => member.id);
  await untilStarted(acp, bundle.name, created, call);
  const failures = started.flatMap(({ member, reply }): readonly NewFailure[] => {
    if (!reply.ok) return [failureOf(member.id, reply.refusal.message, reply.refusal.message)];
    const item = acpItemOf(acp, bundle.name, member.id);
    return item ? failuresOfItem(member.id, item) : [];
  });
  return { created, ended, failures };
}

/** Those of the bundle that run, or are to: the name of their bundle goes before their own. */
function ownIds(acp: Ports['acp'], bundle: string): readonly string[] {
  const prefix = memberKey(bundle, '');
  return acp
    .list()
    .filter((item) => item.name.startsWith(prefix) && item.status !== 'stopped')
    .map(({ name }) => name.slice(prefix.length));
}

/** What has failed for good, or wants a login, is started anew. */
const runs = (item: AcpMemberItem | null): boolean =>
  item !== null && ['starting', 'ready', 'waiting'].includes(item.status);

async function untilStarted(
  acp: Ports['acp'],
  bundle: string,
  ids: readonly string[],
  { nowMs, signal }: Pick<OperationCall, 'nowMs' | 'signal'>,
): Promise<void> {
  const endsAtMs = nowMs() + READY_MS;
  const isStarting = (id: string): boolean => acpItemOf(acp, bundle, id)?.status === 'starting';
  while (ids.some(isStarting) && nowMs() < endsAtMs && !signal.aborted) {
    await new Promise<void>((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

function failuresOfItem(
  id: string,
  { status, detail, stderr }: AcpMemberItem,
): readonly NewFailure[] {
  if (status === 'ready' || status === 'starting') return [];
  const why = status === 'auth_required' ? 'it wants a login' : (detail ?? `it is ${status}`);
  const printed = stderr.trim() === '' ? (detail ?? why) : stderr.trim();
  return [failureOf(id, why, printed.slice(-OUTPUT_LENGTH_MAX))];
}

const failureOf = (id: string, why: string, cause: string): NewFailure => ({
  session_id: id,
  transport: 'acp',
  code: 'runtime_startup_failed',
  reason: `ACP member is not ready: ${why}`.slice(0, 1_000),
  details: { session_name: id, session_id: id, cause, error_code: null },
});
