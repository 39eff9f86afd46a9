// The hooks of agents on the machines that are watched. What is done with files is hooks/.

import { refuse } from '../schema/outcome.ts';
import { noTarget } from './answer/known-names.ts';
import { type Operation, operation } from './ports/operation.ts';

const hooks = operation('hooks', {
  summary: 'Installs, removes or shows the hooks by which agents report their events.',
  scope: 'admin',
  actors: ['user', 'agent'],
  // Each file is read and written over ssh.
  deadlineMs: 120_000,
  ports: ['panes', 'hooks'],
  run: async ({ panes, hooks: port }, input, call) => {
    const { target: name = 'local', scope, project } = input;
    const target = [...panes.world().targets.values()].find((each) => each.name === name);
    if (target === undefined) return noTarget(panes.world(), name);
    if (scope === 'project' && project === undefined) {
      return refuse('E_INPUT_INVALID', 'the scope project needs the folder of the project');
    }
    return port.run(target.targetId, input, call);
  },
});

export const hookOperations: readonly Operation[] = [hooks];
