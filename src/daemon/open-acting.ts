// Parts of acting and of messages, built over the core of the daemon and what it watches.

import { join } from 'node:path';
import type { PaneLocks } from '../acting/pane-locks.ts';
import { liveRuntime } from '../core/world.ts';
import type { TeamsPort } from '../operations/ports/teams-port.ts';
import { userName } from '../platform/user-name.ts';
import type { EndedAgent } from '../schema/history.ts';
import { AcpMembers } from './acp/acp-members.ts';
import { DeliveryQueue, type DeliveryQueueParts } from './acting/delivery-queue.ts';
import { ResumeRunner } from './acting/resume-runner.ts';
import { Typing } from './acting/typing.ts';
import { AgentStarts } from './callers/agent-starts.ts';
import { CallerRights } from './callers/caller-rights.ts';
import type { DaemonCore } from './daemon-core.ts';
import { callerOfProcess } from './messaging/identity/caller-of-process.ts';
import { Messaging, type MessagingParts } from './messaging/messaging.ts';
import { teamRoster } from './messaging/team-roster.ts';
import type { Collectors } from './watching/collectors.ts';

/** What callers may do. `messaging` knows who is who; it is there when somebody calls. */
export function openCallerRights(
  core: DaemonCore,
  { processes }: Collectors,
  messaging: () => Messaging,
): CallerRights {
  const { nowMs, store } = core;
  const parties = () => messaging().parties;
  const starts = new AgentStarts({
    ...{ processes, table: store.startedAgents },
    world: () => core.engine.world,
    partyOf: (runtimeId) => parties().ofRuntime(runtimeId),
  });
  return new CallerRights({
    ...{ nowMs, parties, starts, table: store.startedAgents },
    ofProcess: (pid) => callerOfProcess(messaging().ofProcess, pid),
    isOfLostBundle: (pane) => messaging().ofProcess.isOfLostBundle(pane),
    isLive: (runtimeId) => liveRuntime(core.engine.world, runtimeId) !== null,
    agentsMayAnswer: () => core.config.acting.agentsMayAnswer,
  });
}

export function openResumes(
  core: DaemonCore,
  collectors: Collectors,
  { teams, callers }: { readonly teams: TeamsPort; readonly callers: CallerRights },
): ResumeRunner {
  const { nowMs, store, adapters } = core;
  return new ResumeRunner({
    nowMs,
    world: () => core.shownWorld(),
    onChange: (listener) => core.loop.onApplied(listener),
    registry: () => adapters.registry,
    endedAgents: (query) => store.endedAgents(query),
    actions: store.actions,
    loginOf: (targetId) => collectors.targets.loginOf(targetId),
    bundleOf: (agent) => bundleOf(teams, agent),
    callers,
    log: (fault) => core.fault(fault, 'actions'),
  });
}

export function openTyping(core: DaemonCore, { watchers }: Collectors, locks: PaneLocks): Typing {
  const { nowMs, store } = core;
  return new Typing({
    ...{ nowMs, locks, actions: store.actions },
    world: () => core.shownWorld(),
    linkAt: (facts) => watchers.linkAt(facts),
    processesAt: (facts) => watchers.processesAt(facts),
    commandTimeoutMs: () => core.config.tmux.commandTimeoutMs,
    log: (fault) => core.fault(fault, 'actions'),
  });
}

export function openDeliveries(
  core: DaemonCore,
  parts: Pick<DeliveryQueueParts, 'type' | 'onDefect'>,
): DeliveryQueue {
  const { nowMs, store, adapters } = core;
  return new DeliveryQueue({
    ...{ ...parts, nowMs, table: store.deliveries },
    world: () => core.shownWorld(),
    registry: () => adapters.registry,
    expiryMs: () => core.config.acting.queuedSendMs,
    log: (fault) => core.fault(fault, 'actions'),
  });
}

export function openMessaging(
  core: DaemonCore,
  teams: TeamsPort,
  acp: AcpMembers,
  parts: Pick<
    MessagingParts,
    'processes' | 'capture' | 'perform' | 'mayAnswer' | 'type' | 'onDefect'
  >,
): Messaging {
  const { nowMs, store, adapters, place } = core;
  return new Messaging({
    ...{ ...parts, nowMs, store, userName: userName() || 'user' },
    world: () => core.shownWorld(),
    registry: () => adapters.registry,
    limits: () => core.config.messages,
    fault: (error) => core.fault(error, 'messages'),
    onApplied: (listener) => core.loop.onApplied(listener),
    folder: join(place.paths.stateDir, 'proofs'),
    roster: teamRoster({
      teams,
      transportOf: (bundle, member) => acp.transportOfMember(`${bundle}/${member}`),
    }),
    transportOf: (pane) => acp.transportOf(pane),
  });
}

export function openAcpMembers(
  core: DaemonCore,
  { processes, transcripts }: Collectors,
  onDefect: (error: unknown) => void,
): AcpMembers {
  const { nowMs, nextEventId, store, loop, place } = core;
  const world = () => core.engine.world;
  return new AcpMembers({
    ...{ nowMs, nextEventId, world, onDefect, table: store.acpMembers },
    submit: (observations) => void loop.submit(observations),
    startedAtMs: (pid) => processes.startedAtMs(pid),
    onFault: (fault) => core.fault(fault, 'ACP members'),
    announce: transcripts.announce,
    toolsProgram: [
      ...[process.execPath, process.argv[1] ?? '', 'mcp'],
      ...['--socket-path', place.socketPath],
    ],
    env: process.env,
  });
}

function bundleOf(teams: TeamsPort, { targetId, server, sessionName }: EndedAgent): string | null {
  const found = [...teams.team().bundles.values()].find((bundle) => {
    const at = teams.serverOf(bundle);
    const isThere = at?.targetId === targetId && at.server === server;
    return isThere && bundle.members.some(({ id }) => id === sessionName);
  });
  return found?.name ?? null;
}
