// Which agent this server works for: the daemon finds it by our process, by the pane that we were
// started in, or by the session that a call names (Codex's daemon runs many threads, and none of
// them is an ancestor of ours).

import type { OperationMap } from '../schema/api/operations.ts';

export type AgentHelloParams = OperationMap['agent_hello']['input'];

/** The agent session that a call of Codex names; hostile text until the daemon knows it. */
export function sessionOf(meta: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const threadId = meta?.['threadId'];
  const isUsable = typeof threadId === 'string' && threadId !== '' && threadId.length <= 512;
  return isUsable ? threadId : undefined;
}

export function agentHelloOf(
  env: Readonly<Record<string, string | undefined>>,
  pid: number,
  sessionKey: string | undefined,
): AgentHelloParams {
  const { TMUX: tmux, TMUX_PANE: pane, AGTMUX_SESSION: given } = env;
  const socket = tmux?.split(',')[0];
  const session = sessionKey ?? given;
  return {
    caller_pid: pid,
    ...(session ? { session_key: session } : {}),
    ...(pane && /^%\d+$/.test(pane) ? { tmux_pane: pane } : {}),
    ...(socket?.startsWith('/') ? { tmux_socket: socket } : {}),
  };
}
