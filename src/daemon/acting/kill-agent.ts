// Ends an agent by a signal, on whatever machine it runs, and takes away what a dead program left
// of its screen: the alternate screen and the mouse mode would make the shell behind it useless.

import { type ActionResult, type Commit, refused } from '../../acting/action-result.ts';
import { type EndSignal, endAgent } from '../../acting/end-agent.ts';
import type { PaneControl } from '../../acting/pane-control.ts';
import type { Adapter } from '../../agents/adapter.ts';
import { isSharedService } from '../../agents/identify/match.ts';
import type { RuntimeRecord } from '../../core/world.ts';
import { Fault } from '../../platform/fault.ts';
import type { LocalProcess } from '../../platform/process/processes.ts';
import type { RuntimeId, TargetId } from '../../schema/ids.ts';
import type { PaneFacts } from '../../schema/pane.ts';
import type { HostProcesses } from '../../tmux/host.ts';
import type { TmuxLink } from '../../tmux/link.ts';
import { LOCAL } from '../daemon-core.ts';
import type { Loop } from '../engine/loop.ts';

export interface KillScene {
  readonly facts: PaneFacts;
  readonly runtime: RuntimeRecord | null;
  readonly adapter: Adapter;
  readonly processes: HostProcesses | null;
  readonly link: Pick<TmuxLink, 'run'>;
  readonly control: PaneControl;
  readonly signal: EndSignal;
  readonly commandTimeoutMs: number;
  readonly commit: Commit;
  readonly loop: Pick<Loop, 'submit'>;
  readonly nowMs: () => number;
}

export async function killAgent(scene: KillScene): Promise<ActionResult> {
  const { facts, runtime, adapter, processes, control, signal } = scene;
  if (!runtime?.pid || !processes) {
    return refused('E_AGENT_UNSUPPORTED', 'the process of the agent cannot be seen from here');
  }
  const { pid, startedAtMs, runtimeId } = runtime;
  const commit = (): boolean => {
    const isMeant = scene.commit();
    if (isMeant) noteKill(scene, runtimeId);
    return isMeant;
  };
  const result = await endAgent({
    ...{ pid, startedAtMs, signal, processes, commit },
    isShared: (each) => isSharedService(adapter.identify, each) || isDaemon(each, facts.targetId),
    send: facts.targetId === LOCAL ? signalHere : signalThere(scene),
    pause: (ms) => control.pause(ms),
  });
  if (result.result === 'delivered') await clearScreen(scene, processes);
  return result;
}

/** A daemon that a command of the agent started: this one, or one that began in that way. */
const isDaemon = ({ pid, argv }: LocalProcess, targetId: TargetId): boolean =>
  (targetId === LOCAL && pid === process.pid) ||
  `\n${argv.join('\n')}\n`.includes('\ndaemon\nrun\n--socket-path\n');

/** An end that follows is no crash. */
function noteKill({ loop, nowMs }: KillScene, runtimeId: RuntimeId): void {
  try {
    const fact = { type: 'runtime.killed', atMs: nowMs(), runtimeId } as const;
    loop.submit([{ kind: 'fact', fact }]);
  } catch (error) {
    // It could not be stored. The agent is ended all the same.
    if (!(error instanceof Fault)) throw error;
  }
}

async function signalHere(pids: readonly number[], signal: EndSignal): Promise<void> {
  for (const pid of pids) {
    try {
      process.kill(pid, `SIG${signal}`);
    } catch {
      // It ended with its parent.
    }
  }
}

/** On the machine of the tmux server, which runs it. */
const signalThere =
  ({ link, commandTimeoutMs: deadlineMs }: KillScene) =>
  async (pids: readonly number[], signal: EndSignal): Promise<void> => {
    await link.run([['run-shell', '-b', signalLine(pids, signal)]], { deadlineMs });
  };

/**
 * Numbers and a fixed word. tmux opens a view over a pane for what the line prints and for its
 * failure, as where a process has ended with its parent: it does neither.
 */
export const signalLine = (pids: readonly number[], signal: EndSignal): string =>
  `for pid in ${pids.map(Number).join(' ')}; do kill -s ${signal} "$pid" 2>/dev/null; done; :`;

/** Only over the shell of the pane: a program that began meanwhile draws its own screen. */
async function clearScreen(scene: KillScene, processes: HostProcesses): Promise<void> {
  const { control, facts } = scene;
  const shell = processes.tree(facts.birth.pid)?.[0]?.comm;
  try {
    const look = await control.look();
    if (look?.screen.alternateOn && look.command === shell) await control.leaveScreen(look);
  } catch (error) {
    // The agent has ended all the same.
    if (!(error instanceof Fault)) throw error;
  }
}
