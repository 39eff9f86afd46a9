// Proves to the daemon who this process speaks for: the agent or member in whose pane it runs, else
// a person. Call it once on each connection that writes messages.

import { closeSync, openSync } from 'node:fs';
import type { CallerIdentity } from '../schema/relay/message-schemas.ts';
import type { DaemonClient } from './client.ts';

/** Rejects with a DaemonError, or with the error of the system where the file cannot be opened. */
export async function proveIdentity(client: Pick<DaemonClient, 'call'>): Promise<CallerIdentity> {
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
