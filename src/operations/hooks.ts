// The hooks of agents on the machines that are watched. What is done with files is hooks/.

import { refuse } from '../schema/outcome.ts';
import { type Operation, operation } from './operation.ts';
import { noTarget } from './panes.ts';

const hooks = operation('hooks', {
  summary: 'Installs, removes or shows the hooks by which agents tell their events.',
  access: 'admin',
  actor: 'user',
  run: async (context, input) => {
    const { target: name = 'local', scope, project } = input;
    const target = [...context.world().targets.values()].find((each) => each.name === name);
    if (target === undefined) return noTarget(name);
    if (scope === 'project' && project === undefined) {
      return refuse('E_INPUT_INVALID', 'the scope project needs the folder of the project');
    }
    return context.hooks(target.targetId, input);
  },
});

export const hookOperations: readonly Operation[] = [hooks];
