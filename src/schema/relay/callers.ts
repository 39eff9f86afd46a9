// Who calls for an agent: an MCP server says which agent it serves, and acts as that agent from
// then on. What it may do besides reading and typing is granted in config.toml.

import { z } from 'zod';
import { replyHeader } from '../shapes.ts';

/** What names the agent: its process and what that process was given. */
const agentHelloInputSchema = z.strictObject({
  /** A process that the agent has started. */
  caller_pid: z.number().int().positive().optional(),
  /** The agent session that calls: one daemon may run many, and its process names none. */
  session_key: z.string().min(1).max(512).optional(),
  /** `TMUX_PANE` of the process. It counts only where nothing better is known. */
  tmux_pane: z.string().max(64).optional(),
  /** The socket of the tmux server of that pane. */
  tmux_socket: z.string().max(4_096).optional(),
});
export type AgentHelloInput = z.output<typeof agentHelloInputSchema>;

const grantsSchema = z.object({
  /** `agents_may_answer` in [acting]: it may approve and deny what others ask. */
  answer: z.boolean(),
  /** `install_hooks` in [mcp]. */
  install_hooks: z.boolean(),
});
export type AgentGrants = z.infer<typeof grantsSchema>;

const agentHelloSchema = z.object({
  ...replyHeader,
  /** Null: nobody knows which agent it is. */
  runtime_id: z.string().nullable(),
  /** What it was recognised by. */
  by: z.enum(['session', 'process', 'pane']).nullable(),
  grants: grantsSchema,
});
export type AgentHello = z.infer<typeof agentHelloSchema>;

export const callerSchemas = {
  agent_hello: { input: agentHelloInputSchema, output: agentHelloSchema },
} as const;
