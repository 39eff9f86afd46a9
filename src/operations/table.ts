// The visible list of everything that can be asked of the daemon, with its scope and its actors.
// docs/reference/operations.md is generated from it; a door offers these and nothing else.

import { callerOperations } from './acting/callers.ts';
import { repeatRuleOperations } from './acting/repeat-rules.ts';
import { resumeOperations } from './acting/resume.ts';
import { actingOperations } from './acting.ts';
import { actionOperations } from './actions.ts';
import { doctorOperations } from './doctor.ts';
import { explainOperations } from './explain.ts';
import { healthOperations } from './health.ts';
import { hookOperations } from './hooks.ts';
import { notifyOperations } from './notify.ts';
import { paneOperations } from './panes.ts';
import type { Operation } from './ports/operation.ts';
import { previewOperations } from './preview.ts';
import { recordingOperations } from './recordings.ts';
import { acpOperations } from './relay/acp.ts';
import { messageOperations } from './relay/messages.ts';
import { sourceOperations } from './sources.ts';
import { streamOperations } from './streams.ts';
import { targetOperations } from './targets.ts';
import { singleAgentOperations } from './teams/single-agents.ts';
import { teamOperations } from './teams/teams.ts';
import { waitOperations } from './wait.ts';
import { conversationOperations } from './web/conversations.ts';
import { webOperations } from './web/open-web.ts';
import { outputOperations } from './web/output.ts';
import { pushOperations } from './web/push.ts';
import { shareOperations } from './web/shares.ts';
import { typingOperations } from './web/typing.ts';
import { uploadOperations } from './web/upload.ts';

export const operationTable: readonly Operation[] = [
  ...healthOperations,
  ...paneOperations,
  ...waitOperations,
  ...explainOperations,
  ...previewOperations,
  ...conversationOperations,
  ...doctorOperations,
  ...recordingOperations,
  ...actingOperations,
  ...repeatRuleOperations,
  ...actionOperations,
  ...callerOperations,
  ...resumeOperations,
  ...messageOperations,
  ...targetOperations,
  ...teamOperations,
  ...acpOperations,
  ...singleAgentOperations,
  ...hookOperations,
  ...notifyOperations,
  ...pushOperations,
  ...sourceOperations,
  ...streamOperations,
  ...webOperations,
  ...shareOperations,
  ...typingOperations,
  ...outputOperations,
  ...uploadOperations,
];

/** Dotted names, that follow the namespaces of the protocol. */
export const operationAliases: Readonly<Record<string, string>> = {
  'source.hello': 'source_hello',
  'source.push_events': 'source_push_events',
  'source.ack': 'source_ack',
  'source.heartbeat': 'source_heartbeat',
  'source.list': 'list_source_registry',
  'source.revoke': 'revoke_source',
};

const byName: ReadonlyMap<string, Operation> = new Map(
  operationTable.map((each) => [each.name, each]),
);

export function findOperation(name: string): Operation | undefined {
  const alias = Object.hasOwn(operationAliases, name) ? operationAliases[name] : undefined;
  return byName.get(alias ?? name);
}
