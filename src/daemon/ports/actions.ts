// The port of actions: what is done to one pane.

import type { ActionsPort } from '../../operations/ports/ports.ts';
import { untilAborted } from '../../platform/until-aborted.ts';
import type { EventDraft } from '../../schema/event.ts';
import { refuse } from '../../schema/outcome.ts';
import type { PaneFacts } from '../../schema/pane.ts';
import type { ServerWatch } from '../../sources/watch/server-watch.ts';
import type { Loop } from '../engine/loop.ts';

export interface ActionsPortParts {
  readonly nowMs: () => number;
  readonly loop: Pick<Loop, 'submit' | 'world'>;
  readonly watchers: { at(pane: PaneFacts): Pick<ServerWatch, 'tag'> | null };
}

export function actionsPort({ nowMs, loop, watchers }: ActionsPortParts): ActionsPort {
  const submit = (fact: EventDraft): void => {
    loop.submit([{ kind: 'fact', fact }]);
  };
  return {
    tag: async (paneKey, agent, signal) => {
      const facts = loop.world.panes.get(paneKey)?.facts;
      const watch = facts && watchers.at(facts);
      if (!facts || !watch) return refuse('E_REF_NOT_FOUND', 'the pane is not watched any more');
      return untilAborted(watch.tag(facts.paneId, agent ?? undefined), signal);
    },
    rename: (paneKey, alias) => {
      loop.submit([{ kind: 'fact', fact: { type: 'pane.named', atMs: nowMs(), paneKey, alias } }]);
    },
    markSeen: (paneKey, requestIds) => {
      submit({ type: 'attention.seen', atMs: nowMs(), paneKey, requestIds: [...requestIds] });
    },
    snooze: (paneKey, untilMs) =>
      submit({ type: 'attention.snoozed', atMs: nowMs(), paneKey, untilMs }),
    unsnooze: (paneKey) => submit({ type: 'attention.woken', atMs: nowMs(), paneKey }),
  };
}
