// The port of actions: what is done to one pane.

import type { ActionsPort } from '../../operations/ports/ports.ts';
import { untilAborted } from '../../platform/until-aborted.ts';
import type { EventDraft } from '../../schema/event.ts';
import { refuse } from '../../schema/outcome.ts';
import type { PaneFacts } from '../../schema/pane.ts';
import type { ServerWatch } from '../../sources/watch/server-watch.ts';
import type { ActionTable } from '../../store/tables/actions.ts';
import type { ActionRunner } from '../acting/action-runner.ts';
import type { Typing } from '../acting/typing.ts';
import { type UploadsParts, uploadFile } from '../acting/uploads.ts';
import type { Loop } from '../engine/loop.ts';

export interface ActionsPortParts {
  readonly nowMs: () => number;
  readonly runner: Pick<ActionRunner, 'perform' | 'earlier'>;
  readonly typing: Pick<Typing, 'type'>;
  readonly uploads: UploadsParts;
  readonly trail: Pick<ActionTable, 'list' | 'byRequestRef'>;
  readonly loop: Pick<Loop, 'submit' | 'world'>;
  readonly watchers: { at(pane: PaneFacts): Pick<ServerWatch, 'tag'> | null };
}

export function actionsPort(parts: ActionsPortParts): ActionsPort {
  const { nowMs, loop, watchers, runner, typing, trail } = parts;
  const submit = (fact: EventDraft): void => {
    loop.submit([{ kind: 'fact', fact }]);
  };
  return {
    perform: (pane, order, call) => runner.perform(pane, order, call),
    upload: (pane, input, call) => uploadFile(parts.uploads, pane, input, call),
    type: (pane, keys, call) => typing.type(pane, keys, call),
    earlier: (order, call) => runner.earlier(order, call),
    reports: ({ paneKey, requestRef, limit }) => {
      if (requestRef === null) return trail.list({ paneKey, limit });
      const found = trail.byRequestRef(requestRef);
      return found ? [found.report] : [];
    },
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
