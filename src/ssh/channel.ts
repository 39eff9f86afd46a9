// A channel to a host as a recipe that any thread can start: plain data, with the giving back of its
// place on the connection kept here.

import type { Recipe } from '../platform/recipe.ts';
import type { StartRecipe } from '../tmux/host.ts';
import { channelArguments } from './arguments.ts';
import type { Place } from './masters.ts';
import { newMarker, tmuxScript } from './start-script.ts';

export interface Channel {
  readonly recipe: StartRecipe & Recipe;
  /** To be called when its program has ended, with what it said on stderr. */
  release(stderr?: string): void;
}

/**
 * A channel that runs a script in a POSIX shell. It needs no tether: it ends with its connection,
 * which has one.
 */
export function scriptChannel(
  place: Place,
  env: NodeJS.ProcessEnv | undefined,
  script: (marker: string) => string,
): Channel {
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
): Channel {
  return scriptChannel(place, env, (marker) => tmuxScript(marker, tmuxArguments));
}
