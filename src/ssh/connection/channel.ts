// A channel to a host as a recipe that any thread can start: plain data. The giving back of its
// place on the connection is kept here.

import type { Opening } from '../../tmux/host.ts';
import { channelArguments } from './arguments.ts';
import type { Place } from './masters.ts';
import { newMarker, tmuxScript } from './start-script.ts';

/**
 * A channel that runs a script in a POSIX shell. It needs no tether: it ends with its connection,
 * which has one.
 */
export function scriptChannel(
  place: Place,
  env: NodeJS.ProcessEnv | undefined,
  script: (marker: string) => string,
): Opening {
  const marker = newMarker();
  const recipe = {
    command: 'ssh',
    args: channelArguments(place.address),
    ...(env && { env }),
    isTethered: false,
    input: script(marker),
    marker,
  };
  return { recipe, release: (stderr) => place.release(stderr) };
}

/** A channel that becomes tmux with these arguments. */
export function tmuxChannel(
  place: Place,
  env: NodeJS.ProcessEnv | undefined,
  tmuxArguments: readonly string[],
): Opening {
  return scriptChannel(place, env, (marker) => tmuxScript(marker, tmuxArguments));
}
