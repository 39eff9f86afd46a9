// Brings the sessions of a bundle to what its plan says, or ends them. What is gone from the plan
// goes first; the first missing member comes alone, because it may have to start the server; the
// others follow side by side, in the order of their ids. One that fails stops no other.

import type {
  BundleOutcomeInput,
  BundlePlan,
  PlannedMember,
} from '../../schema/relay/bundle-api.ts';
import { CREATE_ATTEMPTS_MAX, createDelayMs, isTransientTmuxError } from './create-retry.ts';
import type { ListedSession } from './session-scripts.ts';
import type { CreateResult, TmuxThere } from './tmux-there.ts';

/** Each is a process, or a login over ssh. */
const CREATED_AT_ONCE_MAX = 8;

type Outcome = Omit<BundleOutcomeInput, 'bundle' | 'action'>;
type Failure = Outcome['failures'][number];

/** A session that is to be ended although somebody may miss it. */
export interface SessionAtRisk {
  readonly name: string;
  /** The agent works, or waits for a person. */
  readonly agents: readonly string[];
  readonly isAttended: boolean;
}

export interface ReconcileParts {
  readonly plan: BundlePlan;
  readonly tmux: TmuxThere;
  /** Asks before sessions are ended; false ends nothing and leaves all as it is. */
  readonly confirm: (atRisk: readonly SessionAtRisk[]) => Promise<boolean>;
  readonly sleep: (ms: number) => Promise<void>;
  /** Only this session is meant; null: all of the plan. */
  readonly only: string | null;
}

/** `declined`: the person said no, and nothing was touched. */
export type Reconciled =
  | { readonly kind: 'done'; readonly outcome: Outcome }
  | { readonly kind: 'declined' }
  | { readonly kind: 'unreachable'; readonly problem: string };

const nothing: Outcome = {
  bootstrap_session: null,
  created_sessions: [],
  pruned_sessions: [],
  killed_tmux_server: false,
  failures: [],
};

const UNREACHABLE = { kind: 'unreachable', problem: 'tmux could not be asked there' } as const;

export async function bringUp(parts: ReconcileParts): Promise<Reconciled> {
  const { plan, tmux } = parts;
  const listing = await tmux.list();
  if (listing === null) return UNREACHABLE;
  const configured = new Set(plan.members.map(({ id }) => id));
  const own = ownSessions(listing.sessions);
  const isWhole = parts.only === null;
  const stale = isWhole ? own.filter(({ name }) => !configured.has(name)) : [];
  const undeclared = parts.plan.acp_members.filter((each) => isWhole && !each.is_declared);
  if (!(await mayEnd(parts, stale, undeclared))) return { kind: 'declined' };
  const pruned = await endSessions(tmux, stale, false);
  // What is left of a program that has ended keeps the place of its member.
  await endSessions(
    tmux,
    own.filter(({ name, isDead }) => isDead && configured.has(name)),
    true,
  );
  const left = (await tmux.list()) ?? listing;
  const kept = new Set(left.sessions.map(({ name }) => name));
  const missing = plan.members.filter(({ id }) => !kept.has(id));
  const created = await createMembers(parts, missing);
  // tmux itself ends an empty server, unless it was set not to.
  const isEmpty = pruned.length > 0 && left.sessions.length === 0;
  const isOver = isEmpty && created.created_sessions.length === 0 && plan.is_private;
  const killed_tmux_server = isOver && (await tmux.endServer());
  const pruned_sessions = [...pruned];
  return { kind: 'done', outcome: { ...nothing, ...created, pruned_sessions, killed_tmux_server } };
}

export async function bringDown(parts: ReconcileParts): Promise<Reconciled> {
  const { tmux, plan, only } = parts;
  const listing = await tmux.list();
  if (listing === null) return UNREACHABLE;
  const all = ownSessions(listing.sessions);
  const own = only === null ? all : all.filter(({ name }) => name === only);
  const withoutPane = plan.acp_members.filter(({ id }) => (only ?? id) === id);
  if (!(await mayEnd(parts, own, withoutPane))) return { kind: 'declined' };
  const pruned = await endSessions(tmux, own, false);
  const wasThere = listing.isServerThere && plan.is_private;
  const killed = wasThere && (await tmux.endServer());
  const outcome = { ...nothing, pruned_sessions: [...pruned], killed_tmux_server: killed };
  return { kind: 'done', outcome };
}

const ownSessions = (sessions: readonly ListedSession[]): readonly ListedSession[] =>
  sessions
    .filter(({ whose }) => whose === 'own')
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));

const AT_WORK = ['running', 'waiting_approval', 'waiting_input'] as const;

async function mayEnd(
  { plan, confirm }: ReconcileParts,
  sessions: readonly ListedSession[],
  acpMembers: BundlePlan['acp_members'],
): Promise<boolean> {
  const members = acpMembers.flatMap(({ id, agent, state, is_up }): readonly SessionAtRisk[] =>
    is_up && AT_WORK.some((each) => each === state)
      ? [{ name: id, agents: [`${agent} ${state}`], isAttended: false }]
      : [],
  );
  const atRisk = sessions.flatMap(({ name, isAttended }): readonly SessionAtRisk[] => {
    const agents = plan.agents
      .filter(({ session, state }) => session === name && AT_WORK.some((each) => each === state))
      .map(({ agent, state }) => `${agent} ${state}`);
    return agents.length > 0 || isAttended ? [{ name, agents, isAttended }] : [];
  });
  const all = [...atRisk, ...members];
  return all.length === 0 || confirm(all);
}

/** The names of those that were ended. */
async function endSessions(
  tmux: TmuxThere,
  sessions: readonly ListedSession[],
  onlyIfDead: boolean,
): Promise<readonly string[]> {
  const names: string[] = [];
  for (const session of sessions) {
    if (await tmux.kill(session, onlyIfDead)) names.push(session.name);
  }
  return names;
}

async function createMembers(
  parts: ReconcileParts,
  members: readonly PlannedMember[],
): Promise<Pick<Outcome, 'bootstrap_session' | 'created_sessions' | 'failures'>> {
  const created: Outcome['created_sessions'] = [];
  const failures: Failure[] = [];
  const create = async (member: PlannedMember): Promise<boolean> => {
    const result = await createWithRetry(parts, member);
    if (result.ok) {
      const { paneId: pane_id, serverPid: server_pid } = result.created;
      created.push({ id: member.id, pane_id, server_pid });
    }
    if (!result.ok) failures.push(failureOf(member, result));
    return result.ok;
  };
  const waiting = [...members];
  let bootstrap: string | null = null;
  while (bootstrap === null && waiting.length > 0) {
    const member = waiting.shift() as PlannedMember;
    if (await create(member)) bootstrap = member.id;
  }
  const worker = async (): Promise<void> => {
    for (let member = waiting.shift(); member; member = waiting.shift()) await create(member);
  };
  await Promise.all(Array.from({ length: CREATED_AT_ONCE_MAX }, worker));
  created.sort((one, other) => (one.id < other.id ? -1 : 1));
  failures.sort((one, other) => (one.session_id < other.session_id ? -1 : 1));
  return { bootstrap_session: bootstrap, created_sessions: created, failures };
}

export async function createWithRetry(
  { tmux, sleep }: Pick<ReconcileParts, 'tmux' | 'sleep'>,
  member: PlannedMember,
): Promise<CreateResult> {
  for (let attempt = 1; ; attempt += 1) {
    const result = await tmux.create(member);
    const isFinal = result.ok || result.isFolder || !isTransientTmuxError(result.problem);
    if (isFinal || attempt === CREATE_ATTEMPTS_MAX) return result;
    await sleep(createDelayMs(member.id, attempt));
  }
}

function failureOf(
  { id, directory }: PlannedMember,
  result: Extract<CreateResult, { ok: false }>,
): Failure {
  const reason = result.isFolder
    ? `its directory ${directory} cannot be entered`
    : 'failed to create tmux session during startup';
  const code = 'runtime_startup_failed';
  // As in reconciliation alone, where no member is waited for.
  const error_code = 'internal_unexpected_failure';
  const details = { session_name: id, session_id: id, cause: result.problem, error_code };
  return { session_id: id, code, reason: reason.slice(0, 1_000), details };
}
