// Signals an agent and everything it started, and says who ended and who lives. The shell of the
// pane and the tmux server are not among its descendants, so they never get a signal. A stronger
// signal is sent only on request.

import type { HostProcesses } from '../tmux/host.ts';
import {
  type ActionResult,
  type Commit,
  delivered,
  refused,
  unconfirmed,
  wouldDo,
} from './action-result.ts';

const LOOK_EVERY_MS = 100;
const PROOF_DEADLINE_MS = 3_000;

export type EndSignal = 'INT' | 'TERM' | 'KILL';

export interface EndRequest {
  readonly pid: number;
  readonly startedAtMs: number;
  readonly signal: EndSignal;
  readonly processes: HostProcesses;
  /** Sends the signal to processes of the host. Rejects with a Fault. */
  readonly send: (pids: readonly number[], signal: EndSignal) => Promise<void>;
  readonly pause: (ms: number) => Promise<void>;
  readonly commit: Commit;
}

interface Listed {
  readonly pid: number;
  readonly name: string;
  readonly startedAtMs: number;
}

export async function endAgent(request: EndRequest): Promise<ActionResult> {
  const { pid, startedAtMs, processes, signal } = request;
  await processes.refresh?.([pid]);
  if (processes.startedAtMs(pid) !== startedAtMs) {
    return refused('E_RUNTIME_STALE', 'the process of the agent has ended');
  }
  const listed = (processes.tree(pid) ?? []).map(
    (each): Listed => ({ pid: each.pid, name: each.comm, startedAtMs: each.startedAtMs }),
  );
  if (listed.length === 0) return refused('E_RUNTIME_STALE', 'the process of the agent has ended');
  if (!request.commit()) return wouldDo(`would send SIG${signal} to ${namesOf(listed)}`);
  await request.send(
    listed.map((each) => each.pid),
    signal,
  );
  return report(listed, await untilEnded(request, listed));
}

/** Those that are still there when all have ended or the time is over. */
async function untilEnded(
  { processes, pause }: EndRequest,
  listed: readonly Listed[],
): Promise<readonly Listed[]> {
  const deadline = performance.now() + PROOF_DEADLINE_MS;
  for (;;) {
    await pause(LOOK_EVERY_MS);
    await processes.refresh?.(listed.map(({ pid }) => pid));
    const alive = listed.filter((each) => isAlive(processes, each));
    if (alive.length === 0 || performance.now() > deadline) return alive;
  }
}

/** A defunct process has ended; its parent has not read that yet. */
function isAlive(processes: HostProcesses, { pid, startedAtMs }: Listed): boolean {
  if (processes.startedAtMs(pid) !== startedAtMs) return false;
  return !processes.tree(pid)?.[0]?.stat.startsWith('Z');
}

function report(listed: readonly Listed[], alive: readonly Listed[]): ActionResult {
  const [agent] = listed;
  if (alive.length === 0) return delivered(`ended ${namesOf(listed)}`);
  const isAgentAlive = alive.some(({ pid }) => pid === agent?.pid);
  const ended = listed.filter((each) => !alive.includes(each));
  const others = ended.length === 0 ? '' : `; ended ${namesOf(ended)}`;
  return unconfirmed(
    `${isAgentAlive ? 'the agent is still alive' : 'still alive'}: ${namesOf(alive)}${others}`,
  );
}

const namesOf = (listed: readonly Listed[]): string =>
  listed.map(({ name, pid }) => `${name} (${pid})`).join(', ');
