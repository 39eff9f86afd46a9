// Whether a tmux server listens at a socket of a host.

import type { ProbeClient } from '../probe/probe.ts';

const DEADLINE_MS = 5_000;

/** `silent`: the file of a server that has ended. `unclear`: nothing may be concluded. */
export type RemoteSocket = 'listens' | 'silent' | 'absent' | 'unclear';

/** Whether a tmux server listens at a socket; none is ever started. Throws an SshFault. */
export async function lookAtRemoteSocket(
  probe: ProbeClient,
  socketPath: string,
): Promise<RemoteSocket> {
  const request = { words: [socketPath], deadlineMs: DEADLINE_MS };
  const answer = (await probe.ask({ ...request, command: 'agtmux_socket' })).trim();
  return answer === 'listens' || answer === 'silent' || answer === 'absent' ? answer : 'unclear';
}
