// What a run of the lab plays: which agents, in which modes and scenarios. Pure.

import type { AgentRecipe } from './agent.ts';
import { isOpaque, type Mode, modeOf, modes } from './mode.ts';
import type { Scenario } from './scenario.ts';

/** The agents that go through every scenario in every mode. */
export const mainAgents: readonly string[] = ['claude', 'codex', 'gemini', 'copilot', 'opencode'];
/** Siblings of them: a full run plays what differs, the refusals, without hooks. */
export const siblingAgents: readonly string[] = ['qwen', 'kilo'];
const SIBLING_SCENARIOS: readonly string[] = ['denials'];

/** The flags of a run, as typed. */
export interface Choice {
  readonly agent?: string | undefined;
  readonly mode?: string | undefined;
  readonly scenario?: string | undefined;
  readonly quick: boolean;
}

export interface PlannedRun {
  readonly recipe: AgentRecipe;
  readonly mode: Mode;
  readonly scenario: Scenario;
}

/** The names that --agent has; without it those of a full or a quick run. */
export function agentsOf({ agent, quick }: Choice): readonly string[] {
  if (agent !== undefined) return agent.split(',');
  return quick ? mainAgents : [...mainAgents, ...siblingAgents];
}

/** The runs of one agent, mode by mode. */
export function planOf(
  recipe: AgentRecipe,
  scenarios: readonly Scenario[],
  choice: Choice,
): readonly PlannedRun[] {
  return modesFor(recipe, choice).flatMap((mode) =>
    scenarios
      .filter((scenario) => isWanted(scenario, recipe, choice))
      .filter(({ fits, isOpaqueToo }) => fits(recipe) && (isOpaqueToo || !isOpaque(mode)))
      .map((scenario) => ({ recipe, mode, scenario })),
  );
}

function modesFor({ name }: AgentRecipe, { mode, quick }: Choice): readonly Mode[] {
  if (mode !== undefined) return mode.split(',').map(modeOf);
  if (quick) return ['without hooks', 'with hooks'];
  return siblingAgents.includes(name) ? ['without hooks'] : modes;
}

function isWanted(scenario: Scenario, { name }: AgentRecipe, choice: Choice): boolean {
  if (choice.scenario !== undefined) return choice.scenario.split(',').includes(scenario.name);
  if (choice.quick) return scenario.isQuick;
  return !siblingAgents.includes(name) || SIBLING_SCENARIOS.includes(scenario.name);
}
