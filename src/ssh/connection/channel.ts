// A channel to a host as launch data that any thread can start, and the release of its lease on the
// connection.

import type { Opening } from '../../tmux/host.ts';
import { channelArguments } from './arguments.ts';
import type { ChannelLease } from './masters.ts';
import { newMarker, tmuxScript } from './start-script.ts';

/** A channel that runs a script in a POSIX shell. It ends with its connection, so no tether. */
export function scriptChannel(
  lease: ChannelLease,
  env: NodeJS.ProcessEnv | undefined,
  script: (marker: string) => string,
): Opening {
  const marker = newMarker();
  const launch = {
    command: 'ssh',
    args: channelArguments(lease.address),
    ...(env && { env }),
    isTethered: false,
    input: script(marker),
    marker,
  };
  return { launch, release: (stderr) => lease.release(stderr) };
}

/** A channel that becomes tmux with these arguments. */
export function tmuxChannel(
  lease: ChannelLease,
  env: NodeJS.ProcessEnv | undefined,
  tmuxArguments: readonly string[],
): Opening {
  return scriptChannel(lease, env, (marker) => tmuxScript(marker, tmuxArguments));
}
