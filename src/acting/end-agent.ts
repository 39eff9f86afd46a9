// Signals an agent and everything it started, and says who ended and who lives. The shell of the
// pane is not among its descendants; a tmux server or a daemon of agtmux that it started and a
// service that other panes use get no signal, nor does what runs below them. A stronger signal is
// sent only on request.

import type { LocalProcess } from '../platform/process/processes.ts';
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
/** As Linux names it, and cuts it. */
const TMUX_SERVER = 'tmux: server';

export type EndSignal = 'INT' | 'TERM' | 'KILL';

export interface EndRequest {
  readonly pid: number;
  readonly startedAtMs: number;
  readonly signal: EndSignal;
  readonly processes: HostProcesses;
  /** Whether a process of the agent is a service that other panes use too. */
  readonly isShared: (process: LocalProcess) => boolean;
  /** Sends the signal to processes of the host. Rejects with a Fault. */
  readonly send: (pids: readonly number[], signal: EndSignal) => Promise<void>;
  readonly pause: (ms: number) => Promise<void>;
  readonly commit: Commit;
}

export async function endAgent(request: EndRequest): Promise<ActionResult> {
  const { pid, startedAtMs, processes, signal } = request;
  await processes.refresh?.([pid]);
  if (processes.startedAtMs(pid) !== startedAtMs) {
    return refused('E_RUNTIME_STALE', 'the process of the agent has ended');
  }
  const { own, shared } = divide(processes.tree(pid) ?? [], request.isShared);
  if (own.length === 0) return refused('E_RUNTIME_STALE', 'the process of the agent has ended');
  const spared = shared.length === 0 ? '' : `; left alone: ${namesOf(shared)}`;
  if (!request.commit()) return wouldDo(`would send SIG${signal} to ${namesOf(own)}${spared}`);
  // Storing it takes time, in which another program may get the number of one that has ended.
  const still = own.filter((each) => processes.startedAtMs(each.pid) === each.startedAtMs);
  await request.send(
    still.map((each) => each.pid),
    signal,
  );
  return report(own, await untilEnded(request, own), spared);
}

/** What is the agent's own, and what others use too. Parents come first. */
export function divide(
  tree: readonly LocalProcess[],
  isShared: EndRequest['isShared'],
): { readonly own: readonly LocalProcess[]; readonly shared: readonly LocalProcess[] } {
  const shared = new Map<number, LocalProcess>();
  for (const [index, process] of tree.entries()) {
    const isBelow = shared.has(process.ppid);
    const isService = process.comm === TMUX_SERVER || isShared(process);
    if (index > 0 && (isBelow || isService)) shared.set(process.pid, process);
  }
  return { own: tree.filter(({ pid }) => !shared.has(pid)), shared: [...shared.values()] };
}

/** Those that are still there when all have ended or the time is over. */
async function untilEnded(
  { processes, pause }: EndRequest,
  listed: readonly LocalProcess[],
): Promise<readonly LocalProcess[]> {
  const deadline = performance.now() + PROOF_DEADLINE_MS;
  for (;;) {
    await pause(LOOK_EVERY_MS);
    await processes.refresh?.(listed.map(({ pid }) => pid));
    const alive = listed.filter((each) => isAlive(processes, each));
    if (alive.length === 0 || performance.now() > deadline) return alive;
  }
}

/** A defunct process has ended; its parent has not read that yet. */
function isAlive(processes: HostProcesses, { pid, startedAtMs }: LocalProcess): boolean {
  if (processes.startedAtMs(pid) !== startedAtMs) return false;
  return !processes.tree(pid)?.[0]?.stat.startsWith('Z');
}

function report(
  own: readonly LocalProcess[],
  alive: readonly LocalProcess[],
  spared: string,
): ActionResult {
  const [agent] = own;
  if (alive.length === 0) return delivered(`ended ${namesOf(own)}${spared}`);
  const isAgentAlive = alive.some(({ pid }) => pid === agent?.pid);
  const ended = own.filter((each) => !alive.includes(each));
  const others = ended.length === 0 ? '' : `; ended ${namesOf(ended)}`;
  const what = isAgentAlive ? 'the agent is still alive' : 'still alive';
  return unconfirmed(`${what}: ${namesOf(alive)}${others}${spared}`);
}

const namesOf = (listed: readonly LocalProcess[]): string =>
  listed.map(({ comm, pid }) => `${comm} (${pid})`).join(', ');
