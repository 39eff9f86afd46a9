// One scan of the processes of a pane: is an agent there, is it the same one as before? The process
// tree decides where it can be read. Agents that only declared themselves (by an OSC, an option, an
// event) live as long as the program that was in the foreground then.

import { createHash } from 'node:crypto';
import { isShell, isViewer } from '../../agents/identify/command.ts';
import { type Identity, identifyPane } from '../../agents/identify/identify-pane.ts';
import { isOneShot } from '../../agents/identify/match.ts';
import { isDefunct, isForeground, isStopped } from '../../agents/identify/process-tree.ts';
import { findWrappedProgram, isWithin } from '../../agents/identify/wrapped-program.ts';
import { adapterOf, type Registry } from '../../agents/registry.ts';
import { foreignBottom } from '../../agents/screen/live-bottom.ts';
import { judgeScreen } from '../../agents/screen/rules.ts';
import type { ScreenView } from '../../agents/screen/screen-view.ts';
import { viewScreen } from '../../agents/screen/screen-view.ts';
import type { FoundAgent, ProcessScan } from '../../core/identity/presence.ts';
import type { Observation } from '../../core/ingest.ts';
import type { LocalProcess } from '../../platform/process/processes.ts';
import type { EventOf } from '../../schema/event.ts';
import { type AgentName, id, type RuntimeId, runtimeSeedOf } from '../../schema/ids.ts';
import type { SignatureInputs } from '../../schema/pane.ts';
import type { KnownPane } from '../known-pane.ts';

/** 96 bits of a hash: no two processes of one user ever share an id. */
const ID_DIGITS = 24;

export interface PaneScanInput {
  readonly pane: KnownPane;
  /** Null: it cannot be read. Empty: the pane's process has ended. */
  readonly tree: readonly LocalProcess[] | null;
  /** The last screen, where one was captured; it counts only where the tree cannot see. */
  readonly screen: ScreenView | null;
  readonly tagged: string | undefined;
  /** Whether the process of the known runtime lives, whatever the tree shows. */
  readonly isRuntimeAlive: boolean;
  /** Exit status of a dead pane's own process. */
  readonly exitCode: number | null;
  /** Since when an opaque pane shows that its agent is gone, and after how long that counts. */
  readonly leftSinceMs?: number | null;
  readonly leftMs?: number;
  /** A tagged agent that has left an opaque pane is not there again before the shell is gone. */
  readonly hasLeft?: boolean;
  /** The known agent was found a moment ago, and it exits at its prompt alone. */
  readonly isInteractive?: boolean;
  readonly nowMs: number;
}

export interface PaneScan {
  readonly observations: readonly Observation[];
  readonly opaque: boolean;
  /** An agent that waits at a prompt was found: it does not exit in the middle of a turn. */
  readonly interactive: RuntimeId | null;
  /** The program of `agtmux run`, where it is the agent of the pane. */
  readonly wrapped: FoundAgent | null;
  /** An opaque pane whose screen shows no agent. */
  readonly showsNone?: boolean;
}

export function scanProcesses(input: PaneScanInput, registry: Registry): PaneScan {
  const { pane, tree } = input;
  if (tree?.length === 0) return none([scanOf(input, null)], false);
  const screen = input.screen ?? blankScreen(pane.facts.title);
  const { command } = pane.facts;
  const identity = identifyPane(
    { processes: tree, command, screen, tagged: input.tagged },
    registry.adapters,
  );
  const { opaque, adapter } = identity;
  const showsNone = opaque && showsNoAgent(input, identity, registry);
  if (showsNone) return { ...none(leftObservations(input, screen), opaque), showsNone };
  // A tree that cannot be read says nothing of a pane that could be: it may just be ending.
  if (tree === null && !opaque) return none([], opaque);
  const isLocalAgentGone = pane.runtime !== null && pane.runtime.pid !== null && !isInTree(input);
  if (identity.process === null && adapter !== null && !isLocalAgentGone) {
    return none(unseen(input, identity), opaque);
  }
  if (tree === null) return none([], opaque);
  const wrapped = wrappedAgent(input, identity, tree);
  const agent = wrapped ? null : agentOf(input, identity, tree);
  const observations = [scanOf(input, wrapped ?? agent ?? selfDeclared(input, tree))];
  const interactive = agent && isInteractive(identity) ? agent.runtimeId : null;
  return { observations, opaque, interactive, wrapped };
}

const none = (observations: readonly Observation[], opaque: boolean): PaneScan => ({
  observations,
  opaque,
  interactive: null,
  wrapped: null,
});

const isInteractive = ({ adapter, process }: Identity): boolean =>
  adapter !== null && process !== null && !isOneShot(adapter.identify, process);

/**
 * Whether a screen that can be read shows no agent: a shell at its live end, or for an agent that
 * was known by its screen alone, nothing of its own any more.
 */
function showsNoAgent(
  { pane: { runtime }, screen, hasLeft }: PaneScanInput,
  { adapter, basis }: Identity,
  registry: Registry,
): boolean {
  if (screen === null || (runtime === null ? !hasLeft : runtime.pid !== null)) return false;
  if (foreignBottom(screen) === 'shell') return true;
  if (runtime?.basis !== 'screen' || (adapter !== null && basis !== 'screen')) return false;
  const own = adapterOf(registry, runtime.agent);
  return adapter === null && own !== undefined && judgeScreen(own.screen, screen) === null;
}

function leftObservations(input: PaneScanInput, screen: ScreenView): readonly Observation[] {
  const { pane, leftSinceMs = null, leftMs = 0, nowMs } = input;
  if (pane.runtime === null) return [];
  const leftOpaque = leftSinceMs !== null && nowMs - leftSinceMs >= leftMs;
  const isShellInFront = foreignBottom(screen) === 'shell';
  return leftOpaque || isShellInFront ? [opaqueScan(input, { leftOpaque, isShellInFront })] : [];
}

function opaqueScan(
  { pane, nowMs }: PaneScanInput,
  shown: { readonly leftOpaque: boolean; readonly isShellInFront: boolean },
): Observation {
  const tree = { found: null, pidGone: false, exitCode: null, crashed: false, ...shown };
  return { kind: 'scan', scan: { paneKey: pane.paneKey, atMs: nowMs, tree } };
}

function scanOf(input: PaneScanInput, found: FoundAgent | null): Observation {
  const { pane, tree, nowMs, exitCode, isRuntimeAlive } = input;
  const hasPid = pane.runtime !== null && pane.runtime.pid !== null;
  const scan: ProcessScan = {
    paneKey: pane.paneKey,
    atMs: nowMs,
    tree: {
      found,
      pidGone: tree?.length === 0 || (hasPid && !isRuntimeAlive),
      exitCode,
      crashed: exitCode !== null && exitCode !== 0,
      ...(input.isInteractive ? { isInteractive: true } : {}),
    },
  };
  return { kind: 'scan', scan };
}

const isInTree = ({ pane, tree }: PaneScanInput): boolean =>
  (tree ?? []).some(({ pid }) => pid === pane.runtime?.pid);

function agentOf(
  { pane }: PaneScanInput,
  { adapter, process, inputs }: Identity,
  tree: readonly LocalProcess[],
): FoundAgent | null {
  const own = tree.find((each) => each.pid === process?.pid);
  if (adapter === null || own === undefined) return null;
  return found(pane, adapter.agent, own, inputs);
}

/**
 * The program under `agtmux run`, where a person gave it another name than the adapters do, or they
 * have none for it. An agent that runs a wrapper as a tool stays the agent.
 */
function wrappedAgent(
  { pane }: PaneScanInput,
  identity: Identity,
  tree: readonly LocalProcess[],
): FoundAgent | null {
  const wrapped = findWrappedProgram(tree);
  const own = tree.find(({ pid }) => pid === wrapped?.process.pid);
  if (wrapped === null || own === undefined) return null;
  const { adapter, process } = identity;
  if (adapter !== null && process !== null) {
    const isOuter = !isWithin(process, own, tree);
    if (isOuter || wrapped.agent === null || wrapped.agent === adapter.agent) return null;
  }
  return found(pane, id<AgentName>(wrapped.agent ?? wrapped.name), own, selfDeclaredSignature);
}

/** The process of an agent that no adapter recognises and that declared itself. */
function selfDeclared({ pane }: PaneScanInput, tree: readonly LocalProcess[]): FoundAgent | null {
  const { runtime } = pane;
  if (runtime === null || runtime.basis === 'process') return null;
  const own = tree.find(
    (each) =>
      each.pid === runtime.pid && each.startedAtMs === runtime.startedAtMs && !isDefunct(each),
  );
  return own === undefined ? null : found(pane, runtime.agent, own, selfDeclaredSignature);
}

function found(
  pane: KnownPane,
  agent: AgentName,
  process: LocalProcess,
  signature: SignatureInputs,
): FoundAgent {
  const { pid, startedAtMs } = process;
  return {
    runtimeId: runtimeIdOf(pane, agent, { pid, startedAtMs }),
    agent,
    pid,
    startedAtMs,
    suspended: isStopped(process),
    signature,
  };
}

/** An agent where no process can be seen: it starts once and ends when the pane can be read. */
function unseen(input: PaneScanInput, identity: Identity): readonly Observation[] {
  const { pane, nowMs } = input;
  const { adapter, basis, inputs } = identity;
  if (adapter === null) return [];
  if (pane.runtime?.agent === adapter.agent)
    return [opaqueScan(input, { leftOpaque: false, isShellInFront: false })];
  // An agent that declared itself is not overruled by a screen that looks like another's.
  const hasBetterBasis = pane.runtime !== null && pane.runtime.basis !== 'screen';
  if (hasBetterBasis && basis === 'screen') return [];
  const how = basis === 'tag' || basis === 'command' ? basis : 'screen';
  const start = {
    agent: adapter.agent,
    basis: how,
    process: null,
    // A tag is a hint at the provider, as a process is.
    signature: how === 'tag' ? selfDeclaredSignature : inputs,
    nowMs,
  } as const;
  return [{ kind: 'fact', fact: startOf(pane, start) }];
}

export interface Start {
  readonly agent: AgentName;
  readonly basis: 'event' | 'osc' | 'option' | 'tag' | 'command' | 'screen';
  readonly process: Pick<LocalProcess, 'pid' | 'startedAtMs'> | null;
  readonly signature: SignatureInputs;
  readonly nowMs: number;
}

/** The start of a runtime that was not found by its process. */
export function startOf(
  pane: KnownPane,
  start: Start,
): Omit<EventOf<'runtime.started'>, 'eventId'> {
  const { agent, basis, process, signature, nowMs } = start;
  const seen = process && { pid: process.pid, startedAtMs: process.startedAtMs };
  return {
    type: 'runtime.started',
    atMs: nowMs,
    runtimeId: runtimeIdOf(pane, agent, seen),
    paneKey: pane.paneKey,
    agent,
    pid: seen?.pid ?? null,
    startedAtMs: seen?.startedAtMs ?? nowMs,
    basis,
    signature,
  };
}

/** The signature of an agent that declared itself. */
export const selfDeclaredSignature: SignatureInputs = {
  providerHint: true,
  cmdMatch: false,
  pollerMatch: false,
  titleMatch: false,
};

/**
 * The program that a signal out of a pane may stand for: what runs in its foreground. A shell, a
 * pager or an editor shows what others wrote, and stands for nothing.
 */
export function speakerIn(tree: readonly LocalProcess[]): LocalProcess | null {
  const [root] = tree;
  const own = tree.find((each) => each !== root && isForeground(each) && !isPlainProgram(each));
  if (own !== undefined) return own;
  return root !== undefined && !isPlainProgram(root) ? root : null;
}

function isPlainProgram({ argv, comm }: LocalProcess): boolean {
  const [program = comm, script] = argv;
  // A shell that runs a script is the script.
  const isScript = script !== undefined && !script.startsWith('-');
  return (isShell(program) && !isScript) || isViewer(program);
}

/** The id of one life of one agent: the same after a restart of the daemon. */
export function runtimeIdOf(
  pane: Pick<KnownPane, 'paneKey' | 'nextEpoch'>,
  agent: AgentName,
  process: { readonly pid: number; readonly startedAtMs: number } | null,
): RuntimeId {
  const seed = runtimeSeedOf({
    paneKey: pane.paneKey,
    agent,
    process,
    paneEpoch: pane.nextEpoch,
  });
  return id<RuntimeId>(createHash('sha256').update(seed).digest('hex').slice(0, ID_DIGITS));
}

const blankScreen = (title: string): ScreenView =>
  viewScreen({ lines: [], title, cols: 80, rows: 24 });
