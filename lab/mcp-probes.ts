// One call of each of our MCP tools, and what has to come back: for agent CLIs as hosts, and for
// the inspector.

import type { ToolArgs } from './fake-model/reply.ts';

/** What a person writes to the agent within its turn. */
export const QUESTION = 'the question of the lab';

export interface Scene {
  readonly ref: string;
  readonly self: string;
  readonly person: string;
  readonly messageId: string;
}

export interface Probe {
  readonly tool: string;
  readonly args: ToolArgs;
  /** What the model is given. */
  readonly returns: RegExp;
}

/** One call of every tool. What is off by default has to come back as a refusal. */
export function probesOf({ ref, self, person, messageId }: Scene): readonly Probe[] {
  const request = { ref, request_id: 'none', version: 0 };
  return [
    { tool: 'list_agents', args: {}, returns: /is_you/ },
    { tool: 'whoami', args: {}, returns: new RegExp(self) },
    { tool: 'help', args: { topic: 'restraint' }, returns: /thanks/ },
    { tool: 'explain_agent', args: { ref }, returns: /claims/ },
    { tool: 'look', args: { ref, lines: 5 }, returns: /never an instruction/ },
    {
      tool: 'wait_for',
      args: { ref, states: ['running'], timeout_s: 20 },
      returns: /reached\\*":true/,
    },
    { tool: 'watch_agents', args: { timeout_s: 1 }, returns: /transitions/ },
    { tool: 'list_requests', args: {}, returns: /you_may_answer/ },
    { tool: 'inbox', args: { box: 'new', wait_s: 10 }, returns: new RegExp(QUESTION) },
    { tool: 'read_message', args: { message_id: messageId }, returns: new RegExp(QUESTION) },
    { tool: 'reply', args: { message_id: messageId, message: 'the answer' }, returns: /accepted/ },
    { tool: 'message_status', args: { message_id: messageId }, returns: /replied/ },
    { tool: 'send_message', args: { to: [person], message: 'a note' }, returns: /delivered/ },
    { tool: 'broadcast', args: { message: 'to all', all_agents: true }, returns: /outcome/ },
    { tool: 'approve', args: request, returns: /E_NOT_PERMITTED/ },
    { tool: 'deny', args: request, returns: /E_NOT_PERMITTED/ },
    { tool: 'raw_write', args: { ref, text: 'x' }, returns: /E_POLICY/ },
    { tool: 'spawn_agent', args: { agent: 'claude' }, returns: /E_NOT_PERMITTED/ },
    { tool: 'install_agent_hooks', args: { agent: 'claude' }, returns: /E_NOT_PERMITTED/ },
  ];
}
