// The port of ACP members, of a daemon without any. Real ones are in tests/acp.

import type { AcpPort } from '../../src/operations/ports/acp-port.ts';
import { refuse } from '../../src/schema/outcome.ts';

const none = refuse('E_REF_NOT_FOUND', 'there are no ACP members');

export const noAcpMembers: AcpPort = {
  list: () => [],
  startMember: () => refuse('E_PRECONDITION_FAILED', 'no members here'),
  start: () => none,
  stop: async () => none,
  updates: async () => none,
};
