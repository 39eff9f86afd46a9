// Which runs the flags of the lab choose.

import { describe, expect, it } from 'vitest';
import { recipes } from '../../lab/agents/all.ts';
import { agentsOf, type Choice, planOf } from '../../lab/plan.ts';
import { scenarios } from '../../lab/scenarios/all.ts';

/** The runs as `mode: scenario`. */
function runsOf(agent: string, choice: Partial<Choice> = {}): readonly string[] {
  const recipe = recipes.find(({ name }) => name === agent);
  if (recipe === undefined) throw new Error(`no recipe of ${agent}`);
  const plan = planOf(recipe, scenarios, { quick: false, ...choice });
  return plan.map(({ mode, scenario }) => `${mode}: ${scenario.name}`);
}

describe('the plan of the lab', () => {
  it.each(['claude', 'codex', 'gemini', 'copilot', 'opencode'])(
    'runs every scenario of %s in the three ways in which its processes can be seen',
    (agent) => {
      const runs = runsOf(agent);
      for (const mode of ['without hooks', 'with hooks', 'over ssh']) {
        expect(runs.filter((run) => run.startsWith(`${mode}:`))).toHaveLength(scenarios.length);
      }
    },
  );

  it('runs the tour and the restarts where only the screen shows the agent', () => {
    const opaque = runsOf('gemini').filter((run) => /nested|inside/.test(run));
    expect(opaque).toEqual([
      'in nested tmux: tour',
      'in nested tmux: restarts',
      'inside ssh: tour',
      'inside ssh: restarts',
    ]);
  });

  it('runs the refusals of agents that are siblings of others', () => {
    expect(agentsOf({ quick: false })).toContain('kilo');
    expect(runsOf('qwen')).toEqual(['without hooks: denials']);
    expect(runsOf('qwen', { mode: 'plain', scenario: 'life' })).toEqual(['without hooks: life']);
  });

  it('runs one scenario of the main agents with and without hooks when it is quick', () => {
    expect(agentsOf({ quick: true })).not.toContain('kilo');
    expect(runsOf('copilot', { quick: true })).toEqual(['without hooks: tour', 'with hooks: tour']);
  });

  it('takes the modes that are named and refuses a word that is none', () => {
    expect(runsOf('codex', { mode: 'ssh,nested', scenario: 'tour' })).toEqual([
      'over ssh: tour',
      'in nested tmux: tour',
    ]);
    expect(() => runsOf('codex', { mode: 'sideways' })).toThrow('--mode sideways');
  });

  it('leaves out dialogs for an agent that never asks', () => {
    expect(runsOf('pi', { mode: 'plain', scenario: 'denials' })).toEqual([]);
  });
});
