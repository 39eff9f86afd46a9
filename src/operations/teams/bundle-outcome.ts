// What came of a plan that the caller carried out: waits until its members are ready or have
// failed, remembers the failures, and makes the report.

import type { MemberServer } from '../../core/view/member-pane.ts';
import type { PaneRecord } from '../../core/world.ts';
import type { BundleOutcomeInput, BundleReport } from '../../schema/relay/bundle-api.ts';
import type { Bundle } from '../../schema/relay/team.ts';
import { stripSequences } from '../../text/ansi.ts';
import type { CallerWitness } from '../ports/callers-port.ts';
import type { OperationCall } from '../ports/operation.ts';
import type { Ports } from '../ports/ports.ts';
import { type AcpOutcome, acpOutcome, type NewFailure } from './acp-members.ts';
import { bundleItem, type TeamPorts } from './bundle-item.ts';
import { memberReadiness, type Readiness } from './readiness.ts';

/** Of all that are waited for; each has its own limits below. */
const READY_MS = 30_000;
const LOOK_EVERY_MS = 250;
const OUTPUT_LINES_MAX = 20;
/** For the line with the exit code, which tmux writes last; a busy machine takes its time. */
const LAST_LINE_MS = 10_000;
const OUTPUT_LENGTH_MAX = 2_000;

type Created = BundleOutcomeInput['created_sessions'][number];

/** Remembers who has made these panes. */
export function noteCreated(
  { callers }: Pick<Ports, 'callers'>,
  { targetId, server }: MemberServer,
  created: readonly Created[],
  witness: CallerWitness,
): void {
  const place = ({ pane_id: paneId, server_pid: serverPid }: Created) => ({ paneId, serverPid });
  const places = created.map((each) => ({ targetId, server, ...place(each) }));
  callers.noteStarted(callers.starterOf(witness), places);
}

export async function bundleOutcome(
  ports: TeamPorts & Pick<Ports, 'callers'>,
  bundle: Bundle,
  input: BundleOutcomeInput,
  call: OperationCall & { readonly witness: CallerWitness },
): Promise<BundleReport> {
  const { teams } = ports;
  const isDown = input.action === 'down';
  // The caller may be gone before the last member is ready: all is remembered all the same.
  call.commit();
  if (input.member === undefined) {
    teams.want(bundle.name, !isDown);
    if (isDown) teams.watch(bundle, false);
  }
  const given = input.failures.map((each): NewFailure => ({ ...each, transport: 'tmux' }));
  const failed = [...teams.addFailures(bundle.name, given)];
  const at = teams.serverOf(bundle);
  const [notReady, acp] = await Promise.all([
    isDown ? [] : failuresOf(ports, at, input.created_sessions, call),
    acpOutcome(ports, bundle, input, call),
  ]);
  failed.push(...teams.addFailures(bundle.name, [...notReady, ...acp.failures]));
  const meant = bundle.members.filter(({ id }) => (input.member ?? id) === id);
  const ready = isDown ? 0 : bundleItem(ports, { ...bundle, members: meant }).ready_session_count;
  return {
    bundle_name: bundle.name,
    ...verdictOf(input, acp, { ready, members: meant.length }),
    bootstrap_session: input.bootstrap_session,
    created_sessions: [...input.created_sessions.map(({ id }) => id), ...acp.created].toSorted(),
    pruned_sessions: [...input.pruned_sessions, ...acp.ended],
    killed_tmux_server: input.killed_tmux_server,
    ready_session_count: ready,
    failed_startups: failed,
  };
}

type Verdict = Pick<BundleReport, 'outcome' | 'reason_code' | 'reason'>;

function verdictOf(
  input: BundleOutcomeInput,
  acp: AcpOutcome,
  { ready, members }: { readonly ready: number; readonly members: number },
): Verdict {
  const done = (outcome: BundleReport['outcome']): Verdict => ({
    outcome,
    reason_code: null,
    reason: null,
  });
  const counts = [input.created_sessions, input.pruned_sessions, acp.created, acp.ended];
  const changed = counts.some(({ length }) => length > 0);
  if (input.action === 'down') {
    if (changed || input.killed_tmux_server) return done('unhosted');
    return { outcome: 'skipped', reason_code: 'already_unhosted', reason: 'no session was there' };
  }
  if (ready === 0 && members > 0) {
    const reason = 'no member could be started';
    return { outcome: 'failed', reason_code: 'runtime_startup_failed', reason };
  }
  if (changed || input.failures.length > 0) return done('hosted');
  return { outcome: 'skipped', reason_code: 'already_hosted', reason: 'every session was there' };
}

/** Waits for all that were created, and says which of them are not there. */
export async function failuresOf(
  ports: Pick<TeamPorts, 'panes'>,
  at: MemberServer | null,
  created: readonly Created[],
  call: OperationCall,
): Promise<readonly NewFailure[]> {
  const startMs = call.nowMs();
  const judge = () => {
    const sinceMs = call.nowMs() - startMs;
    return created.map((each) => {
      const pane = paneOfCreated(ports, at, each);
      return { ...each, pane, readiness: memberReadiness(pane, sinceMs) };
    });
  };
  const isOver = (): boolean =>
    call.nowMs() - startMs > READY_MS ||
    judge().every(({ readiness }) => readiness.kind !== 'pending');
  while (!isOver()) {
    await nextLook(ports);
  }
  const failures: NewFailure[] = [];
  for (const { id, pane, readiness } of judge()) {
    if (readiness.kind !== 'failed') continue;
    const output = readiness.hasOutput && pane ? await outputOf(ports, pane, call) : null;
    failures.push(failureOf(id, readiness, output));
  }
  return failures;
}

/** The very pane that was made: an earlier session may have had the same name. */
export function paneOfCreated(
  { panes }: Pick<TeamPorts, 'panes'>,
  at: MemberServer | null,
  { pane_id, server_pid }: Created,
): PaneRecord | null {
  const found = [...panes.world().panes.values()].find(
    ({ facts }) =>
      facts?.paneId === pane_id &&
      facts.targetId === at?.targetId &&
      facts.server === at.server &&
      facts.generation.pid === server_pid,
  );
  return found ?? null;
}

/** Resolves after a change of the world, or a moment later. */
async function nextLook({ panes }: Pick<TeamPorts, 'panes'>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  using _listening = panes.onChange(() => resolve());
  const timer = setTimeout(resolve, LOOK_EVERY_MS);
  try {
    await promise;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * What the pane shows at its end, without a Fault where it is gone by then. tmux learns of the end
 * of the terminal before the exit code, and writes that one last.
 */
async function outputOf(
  ports: Pick<TeamPorts, 'panes'>,
  pane: PaneRecord,
  { nowMs, signal }: Pick<OperationCall, 'nowMs' | 'signal'>,
): Promise<string | null> {
  const untilMs = nowMs() + LAST_LINE_MS;
  for (;;) {
    // tmux scrolls what the program printed when it says that the pane is dead.
    const screen = await ports.panes.capture(pane, signal, OUTPUT_LINES_MAX).catch(() => null);
    if (screen === null) return null;
    const lines = stripSequences(screen.ansi)
      .split('\n')
      .map((line) => line.trimEnd())
      .filter((line) => line !== '');
    const isWhole = !pane.facts?.dead || lines.at(-1)?.includes('Pane is dead');
    if (isWhole || nowMs() >= untilMs) {
      return lines.slice(-OUTPUT_LINES_MAX).join('\n').slice(-OUTPUT_LENGTH_MAX);
    }
    await nextLook(ports);
  }
}

function failureOf(
  id: string,
  { cause }: Extract<Readiness, { kind: 'failed' }>,
  output: string | null,
): NewFailure {
  return {
    session_id: id,
    transport: 'tmux',
    code: 'runtime_startup_failed',
    reason: `tmux session is not ready: ${cause}`,
    details: { session_name: id, session_id: id, cause: output ?? cause, error_code: null },
  };
}
