// Messages over the inside of a daemon: everything real but the typing, which the test decides.

import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Registry } from '../../src/agents/registry.ts';
import { liveRuntime } from '../../src/core/world.ts';
import type { ActionRunner } from '../../src/daemon/acting/action-runner.ts';
import { AgentStarts } from '../../src/daemon/callers/agent-starts.ts';
import { CallerRights } from '../../src/daemon/callers/caller-rights.ts';
import { Messaging } from '../../src/daemon/messaging/messaging.ts';
import type { Roster } from '../../src/daemon/messaging/roster.ts';
import type { MessagesPort } from '../../src/operations/ports/messages-port.ts';
import { Fault } from '../../src/platform/fault.ts';
import { ok, refuse } from '../../src/schema/outcome.ts';
import type { Store } from '../../src/store/store.ts';
import type { MessageTable } from '../../src/store/tables/messages.ts';
import type { StartedAgentTable } from '../../src/store/teams/started-agents.ts';
import type { Inside } from './fixture.ts';

interface Parts {
  readonly store: Store;
  readonly registry: Registry;
  readonly typist: () => ActionRunner;
  readonly onApplied: (listener: () => void) => void;
}

export function openMessaging(inside: Inside, { typist, registry, ...parts }: Parts): Messaging {
  const keep = (error: unknown) => inside.defects.push(error);
  const messaging = new Messaging({
    ...{ ...parts, userName: 'ada', folder: join(inside.folder, 'proofs') },
    store: { ...parts.store, messages: failing(inside, parts.store.messages) },
    nowMs: () => inside.nowMs,
    world: () => inside.engine.world,
    registry: () => registry,
    limits: () => inside.messageLimits,
    fault: keep,
    onDefect: (error) => inside.defects.push(new Error('a defect', { cause: error })),
    roster: followed(() => inside.roster),
    processes: { read: (pid) => inside.processes.read(pid) },
    capture: async () => inside.screen,
    perform: (...action) => typist().perform(...action),
    mayAnswer: (...caller) => inside.rights.mayAnswer(...caller),
    type: (...action) => typist().deliver(...action),
    transportOf: () => null,
  });
  messaging.begin();
  onTestFinished(() => messaging[Symbol.dispose]());
  return messaging;
}

/** What callers may do, by the messages that are open then and the agent that the test names. */
export function callerRightsOf(inside: Inside, table: StartedAgentTable): CallerRights {
  const parties = () => inside.messaging.parties;
  const starts = new AgentStarts({
    ...{ table, world: () => inside.engine.world },
    processes: { read: (pid) => inside.processes.read(pid) },
    partyOf: (runtimeId) => parties().ofRuntime(runtimeId),
  });
  return new CallerRights({
    ...{ parties, starts, table, nowMs: () => inside.nowMs },
    ofProcess: () => {
      if (inside.isCallerLost) return refuse('E_IDENTITY_UNPROVEN', 'its bundle is not known now');
      const runtimeId = inside.callingAgent;
      return ok(runtimeId ? { kind: 'agent', runtimeId } : { kind: 'person' });
    },
    isOfLostBundle: (pane) => inside.messaging.ofProcess.isOfLostBundle(pane),
    isLive: (runtimeId) => liveRuntime(inside.engine.world, runtimeId) !== null,
    agentsMayAnswer: () => inside.agentsMayAnswer,
  });
}

/** The table of messages, as long as the test lets it answer. */
const failing = (inside: Inside, table: MessageTable): MessageTable =>
  new Proxy(table, {
    get: (_, key: keyof MessageTable) => {
      if (inside.messageFaults.has(key)) {
        return () => {
          throw new Fault('store_full', { about: 'agtmux.db' });
        };
      }
      return table[key];
    },
  });

/** The port of whatever messages are open now. */
export const currentPort = (messaging: () => Messaging): MessagesPort =>
  new Proxy({} as MessagesPort, { get: (_, key) => Reflect.get(messaging().port, key) });

/** A roster that may be another one at every call. */
const followed = (roster: () => Roster): Roster => ({
  members: () => roster().members(),
  operators: () => roster().operators(),
  defaultOperator: () => roster().defaultOperator(),
  defaultBundle: () => roster().defaultBundle(),
  policyProblem: () => roster().policyProblem(),
});
