// A machine of the demo: a tmux server and its agents.

import type { Role } from './cast.ts';
import type { Stage } from './stage.ts';

export interface Machine {
  readonly stage: Stage;
  readonly tmuxSocket: string;
  readonly roles: readonly Role[];
}

/** Runs one tmux command line on its server and returns what it printed. */
export const tmux = ({ stage, tmuxSocket }: Machine, ...args: readonly string[]): Promise<string> =>
  stage.tmux(tmuxSocket, args);
