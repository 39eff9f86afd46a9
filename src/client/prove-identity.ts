// Proves to the daemon who this process speaks for: the agent or member in whose pane it runs, else
// a person. Call it once on each connection that writes messages.

import { closeSync, openSync, readFileSync } from 'node:fs';
import type { CallerIdentity } from '../schema/relay/message-schemas.ts';
import type { DaemonClient } from './client.ts';

/** Names a private file with the secret of a member, for the process of that member alone. */
export const SECRET_VARIABLE = 'AGTMUX_SECRET_FILE';

/** Rejects with a DaemonError, or with the error of the system where the secret cannot be read. */
export async function proveIdentity(
  client: Pick<DaemonClient, 'call'>,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<CallerIdentity> {
  const secretFile = env[SECRET_VARIABLE];
  if (secretFile !== undefined && secretFile !== '') {
    const secret = readFileSync(secretFile, 'utf8').trim();
    return client.call('prove_identity', { secret });
  }
  const { path } = await client.call('begin_proof', {});
  if (path === null) return client.call('prove_identity', { pid: process.pid });
  // Opened and never written: that it is open is the proof.
  const file = openSync(path, 'r+');
  try {
    return await client.call('prove_identity', { pid: process.pid });
  } finally {
    closeSync(file);
  }
}
