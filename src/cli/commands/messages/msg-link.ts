// Calls the daemon under a proven identity, as everything about messages needs it.

import type { DaemonClient } from '../../../client/client.ts';
import { proveIdentity } from '../../../client/prove-identity.ts';
import type { CallerIdentity } from '../../../schema/relay/message-schemas.ts';
import { type Call, textOf } from '../../command.ts';
import { withDaemon } from '../../daemon-link.ts';

/** Proves who this process speaks for, then asks. */
export const withIdentity = <T>(
  call: Call,
  ask: (client: DaemonClient, identity: CallerIdentity) => Promise<T>,
): Promise<T> => withDaemon(call, async (client) => ask(client, await proveIdentity(client)));

/** The person of tui.toml that `--as` names. */
export function asOf(call: Call): { as?: string } {
  const as = textOf(call.flags, 'as');
  return as === undefined ? {} : { as };
}
