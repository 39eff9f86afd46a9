// A scenario: what a driver does with one agent in a new world, step by step with its truth. The
// steps themselves are lab/scenarios.

import type { AgentRecipe } from './agent.ts';
import type { Drive } from './drive.ts';

export interface Scenario {
  readonly name: string;
  /** Part of the quick run. */
  readonly isQuick: boolean;
  /** Also played in a nested tmux and inside ssh, where only the screen shows the agent. */
  readonly isOpaqueToo: boolean;
  /** Whether the agent has what it takes. */
  fits(recipe: AgentRecipe): boolean;
  /** Opens more panes by `another`. */
  run(drive: Drive, another: (name: string) => Promise<Drive>): Promise<void>;
}
