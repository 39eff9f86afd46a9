// Keys of a person who watches the screen of an agent, typed as they come.

import { ok, refuse } from '../../schema/outcome.ts';
import { livePaneOf } from '../answer/live-pane.ts';
import { type Operation, operation } from '../ports/operation.ts';

/** They wait for a prompt that is being typed into the same pane. */
const TYPING_MS = 60_000;

export const typingOperations: readonly Operation[] = [
  operation('type_keys', {
    summary: 'Types keys into the pane of an agent as a terminal sends them, for who watches it.',
    scope: 'control',
    actors: ['user'],
    deadlineMs: TYPING_MS,
    ports: ['panes', 'actions'],
    run: async ({ panes, actions }, { runtime_id: runtimeId, parts }, call) => {
      const pane = livePaneOf(panes.world(), runtimeId);
      if (pane === null) return refuse('E_RUNTIME_STALE', 'the agent has ended');
      const { signal, commit, actor } = call;
      const typed = await actions.type(pane, parts, {
        ...{ signal, commit, actor: `${actor.kind}:${actor.id}` },
      });
      return typed.ok ? ok({ byte_count: typed.value }) : typed;
    },
  }),
];
