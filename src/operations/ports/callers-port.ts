// The port of callers: which agent a connection acts for, and what agents are granted.

import type { RuntimeId } from '../../schema/ids.ts';
import type { AgentGrants, AgentHelloInput } from '../../schema/relay/callers.ts';

/** The agents that call. */
export interface CallersPort {
  /** The agent that started a process, and how that is known. */
  readonly find: (
    witnesses: AgentHelloInput,
  ) => { readonly runtimeId: RuntimeId; readonly by: 'session' | 'process' | 'pane' } | null;
  /** What agents may do beyond looking and typing, as of now. */
  readonly grants: () => AgentGrants;
}
