// Which agent a connection acts for. From then on its calls are those of the agent: it may do less
// than the user, and nothing that it asks for itself is approved by it.

import { ok } from '../../schema/outcome.ts';
import { header } from '../answer/pane-item.ts';
import { agentActor, type Operation, operation } from '../ports/operation.ts';

const agentHello = operation('agent_hello', {
  summary: 'Names the agent that the connection acts for; it acts as that agent from then on.',
  scope: 'read',
  actors: ['user', 'agent'],
  ports: ['callers'],
  run: ({ callers }, input, call) => {
    const found = callers.find(input);
    const grants = callers.grants(found?.runtimeId ?? null);
    const { proven } = call.actor;
    // What was proven before goes on to hold.
    call.actAs({ ...agentActor(found?.runtimeId ?? null, grants), ...(proven ? { proven } : {}) });
    return ok({
      ...header(call.nowMs()),
      runtime_id: found?.runtimeId ?? null,
      by: found?.by ?? null,
      grants,
    });
  },
});

export const callerOperations: readonly Operation[] = [agentHello];
