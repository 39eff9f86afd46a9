// Is an agent in this pane, and which? The process tree decides where it can be read; where it
// cannot, the agent's own command name, or a wrapper or an opaque command with a screen that proves
// the agent. A title alone never does: it outlives the agent that set it.

import type { SignatureInputs } from '../../schema/pane.ts';
import type { Adapter } from '../adapter.ts';
import { foreignBottom } from '../screen/live-bottom.ts';
import { hasOwnCursor, provesAgent } from '../screen/rules.ts';
import type { ScreenView } from '../screen/screen-view.ts';
import { commandName, isBareVersion, isOpaque, isShell, isViewer, isWrapper } from './command.ts';
import { matchesProcess } from './match.ts';
import { withoutOwnPrograms } from './own-program.ts';
import {
  ancestorsOf,
  isDefunct,
  isForeground,
  isStopped,
  type ProcessInfo,
} from './process-tree.ts';
import { isRunWrapper } from './wrapped-program.ts';

export interface PaneInput {
  /** Null where the tree was not or could not be read. */
  readonly processes: readonly ProcessInfo[] | null;
  readonly command: string;
  readonly screen: ScreenView;
  /** The agent that a person named (`agtmux tag`). A readable tree can deny it. */
  readonly tagged?: string | undefined;
  /** A screen that came without its command: then the screen is all there is. */
  readonly isRaw?: boolean | undefined;
}

export interface AgentProcess {
  readonly adapter: Adapter;
  readonly process: ProcessInfo;
}

export interface Identity {
  /** Null: no agent is there. */
  readonly adapter: Adapter | null;
  readonly basis: 'process' | 'command' | 'tag' | 'screen' | 'none';
  readonly process: ProcessInfo | null;
  /** Agents that the runtime itself started. */
  readonly children: readonly AgentProcess[];
  readonly suspended: boolean;
  readonly opaque: boolean;
  readonly inputs: SignatureInputs;
  /** Why, in one word for explain. */
  readonly reason: string;
}

/** The answer for one pane. `adapters` are tried in order of their priority. */
export function identifyPane(input: PaneInput, adapters: readonly Adapter[]): Identity {
  const ordered = adapters
    .filter((adapter) => adapter.health.status === 'ok')
    .sort((a, b) => a.identify.priority - b.identify.priority);
  if (input.processes === null || input.processes.length === 0) {
    return byCommand(input, ordered, isOpaquePane(input));
  }
  const processes = withoutOwnPrograms(input.processes);
  if (processes.length === 0) return identity(input, null, { reason: 'own_program' });
  return byTree(input, processes, ordered, isOpaquePane({ ...input, processes }));
}

function byTree(
  input: PaneInput,
  processes: readonly ProcessInfo[],
  adapters: readonly Adapter[],
  opaque: boolean,
): Identity {
  const [runtime, ...others] = agentsIn(processes, adapters);
  if (runtime !== undefined) {
    const children = childrenOf(runtime, others, processes);
    return identity(input, runtime.adapter, {
      basis: 'process',
      process: runtime.process,
      children,
      suspended: isStopped(runtime.process),
      reason: 'process_match',
    });
  }
  if (opaque) return byScreen(input, adapters, opaque);
  return identity(input, null, { reason: 'no_process_match' });
}

function byCommand(input: PaneInput, adapters: readonly Adapter[], opaque: boolean): Identity {
  const { command } = input;
  const named = adapters.find((adapter) => isCommandOf(adapter, command));
  if (named !== undefined) {
    return identity(input, named, { basis: 'command', opaque, reason: 'command_match' });
  }
  const isTagged = input.tagged !== undefined && command !== '';
  if (isShell(command) || (isViewer(command) && !isTagged)) {
    return identity(input, null, { reason: 'foreground_is_no_agent' });
  }
  const isBare = command === '' && input.isRaw === true;
  if (opaque || isTagged || isBare || isWrapper(command)) return byScreen(input, adapters, opaque);
  return identity(input, null, { reason: 'no_match' });
}

/** Agents that the runtime started. Processes of its own, one in the other, are the runtime. */
function childrenOf(
  runtime: AgentProcess,
  others: readonly AgentProcess[],
  processes: readonly ProcessInfo[],
): readonly AgentProcess[] {
  const byPid = new Map(processes.map((process) => [process.pid, process]));
  const own = new Set([runtime.process.pid]);
  return others.filter(({ adapter, process }) => {
    if (adapter.agent === runtime.adapter.agent && own.has(process.ppid)) {
      own.add(process.pid);
      return false;
    }
    return ancestorsOf(process, byPid).some(({ pid }) => pid === runtime.process.pid);
  });
}

/** Every agent among the processes: stopped ones last, else the outermost and foreground first. */
export function agentsIn(
  processes: readonly ProcessInfo[],
  adapters: readonly Adapter[],
): readonly AgentProcess[] {
  const byPid = new Map(processes.map((process) => [process.pid, process]));
  return processes
    .filter((process) => !isDefunct(process) && !isRunWrapper(process))
    .flatMap((process) => {
      const adapter = adapters.find((each) => matchesProcess(each.identify, process));
      return adapter ? [{ adapter, process, depth: ancestorsOf(process, byPid).length }] : [];
    })
    .sort(
      (a, b) =>
        Number(isStopped(a.process)) - Number(isStopped(b.process)) ||
        a.depth - b.depth ||
        Number(isForeground(b.process)) - Number(isForeground(a.process)),
    )
    .map(({ adapter, process }) => ({ adapter, process }));
}

/** The command's name alone says that it is the agent. */
export function isCommandOf(adapter: Adapter, command: string): boolean {
  const { executables, versionArgv0 } = adapter.identify;
  return executables.has(commandName(command)) || (versionArgv0 && isBareVersion(command));
}

// With a tree, what runs elsewhere is a leaf of it: `sudo ssh` shows sudo as the pane's command.
export function isOpaquePane({
  processes,
  command,
}: Pick<PaneInput, 'processes' | 'command'>): boolean {
  if (processes === null || processes.length === 0) return isOpaque(command);
  const parents = new Set(processes.map(({ ppid }) => ppid));
  return processes.some((process) => {
    const [program = process.comm, ...args] = process.argv;
    const isLeaf = !parents.has(process.pid) && !isDefunct(process);
    return isLeaf && isForeground(process) && isOpaque(program, args);
  });
}

function byScreen(input: PaneInput, adapters: readonly Adapter[], opaque: boolean): Identity {
  const tagged = adapters.find((adapter) => adapter.agent === input.tagged);
  if (tagged !== undefined) {
    return identity(input, tagged, { basis: 'tag', opaque, reason: 'tagged' });
  }
  const proven = adapters.find((adapter) => provesAgent(adapter.screen, input.screen));
  if (proven !== undefined && (!opaque || isLive(proven, input.screen))) {
    return identity(input, proven, { basis: 'screen', opaque, reason: 'screen_rule' });
  }
  const titled = adapters.some((adapter) => matchesTitle(adapter, input.screen.title));
  const reason = titled || proven ? 'signature_guard_rejected' : 'no_match';
  return identity(input, null, { opaque, reason });
}

/**
 * Whether a screen behind ssh or in a nested tmux is the agent's own, and not its picture: nothing
 * of a shell, a pager or an editor is at its live end, and its title or cursor is the agent's.
 */
const isLive = (adapter: Adapter, screen: ScreenView): boolean =>
  foreignBottom(screen) === null &&
  (matchesTitle(adapter, screen.title) || hasOwnCursor(adapter.screen, screen));

const matchesTitle = (adapter: Adapter, title: string): boolean =>
  adapter.identify.titles.some((pattern) => pattern.test(title));

function identity(input: PaneInput, adapter: Adapter | null, known: Partial<Identity>): Identity {
  const basis = known.basis ?? 'none';
  return {
    adapter,
    basis,
    process: null,
    children: [],
    suspended: false,
    opaque: false,
    reason: 'no_match',
    inputs: {
      providerHint: basis === 'process',
      cmdMatch: adapter !== null && isCommandOf(adapter, input.command),
      pollerMatch: basis === 'screen',
      titleMatch: adapter !== null && matchesTitle(adapter, input.screen.title),
    },
    ...known,
  };
}
