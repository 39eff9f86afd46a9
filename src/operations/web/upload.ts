// A file that a person gives to an agent.

import { refuse } from '../../schema/outcome.ts';
import { livePaneOf } from '../answer/live-pane.ts';
import { type Operation, operation } from '../ports/operation.ts';

/** The paste waits for a prompt that is being typed into the same pane. */
const UPLOAD_MS = 60_000;

export const uploadOperations: readonly Operation[] = [
  operation('upload_file', {
    summary: 'Keeps a file beside the work of an agent, and pastes it or its path.',
    scope: 'control',
    actors: ['user'],
    deadlineMs: UPLOAD_MS,
    ports: ['panes', 'actions'],
    run: ({ panes, actions }, input, call) => {
      const pane = livePaneOf(panes.world(), input.runtime_id);
      if (pane === null) return refuse('E_RUNTIME_STALE', 'the agent has ended');
      const { signal, commit, actor } = call;
      return actions.upload(pane, input, {
        ...{ signal, commit, actor: `${actor.kind}:${actor.id}` },
      });
    },
  }),
];
