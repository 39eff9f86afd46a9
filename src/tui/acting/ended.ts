// The page of agents that have ended: one is chosen, and started again with its own session. Pure.

import type { EndedAgentItem } from '../../schema/api/actions.ts';
import type { Key } from '../keys.ts';
import type { DaemonReply, UpdateResult } from '../message.ts';
import type { Model } from '../model.ts';
import { focusedPane } from '../rows/selection.ts';
import { closePage, just, withNotice } from '../steps.ts';

/** As long as its outcome may take. */
const START_MS = 70_000;

/** Asks the daemon which agents have ended. */
export const openEnded = (model: Model): UpdateResult<Model> =>
  just(
    { ...model, ended: { agents: null, problem: null, index: 0 }, page: { kind: 'ended' } },
    { kind: 'list-ended' },
  );

/** Those that can be started come first; the one of the selected pane is chosen. */
export function showEnded(model: Model, answer: DaemonReply<readonly EndedAgentItem[]>): Model {
  if (model.ended === null) return model;
  if (!answer.ok) return { ...model, ended: { ...model.ended, problem: answer.problem } };
  const canStart = ({ blocker }: EndedAgentItem): boolean => blocker === null;
  const first = answer.value.filter(canStart);
  const agents = [...first, ...answer.value.filter((each) => !canStart(each))];
  const paneKey = focusedPane(model)?.pane_key;
  const index = Math.max(
    0,
    first.findIndex(({ pane_key }) => pane_key === paneKey),
  );
  return { ...model, ended: { agents, problem: null, index } };
}

const moves: Readonly<Record<string, number>> = { up: -1, k: -1, down: 1, j: 1 };
const closing = ['escape', 'q', 'R', 'left'];

/** A key on the page; `word` is its name in the table of keys. */
export function updateOnEndedKey(model: Model, key: Key, word: string): UpdateResult<Model> {
  const { ended } = model;
  if (ended === null || closing.includes(word)) return just(closePage({ ...model, ended: null }));
  const by = moves[word];
  const agents = ended.agents ?? [];
  if (by !== undefined) {
    const index = Math.max(0, Math.min(agents.length - 1, ended.index + by));
    return just({ ...model, ended: { ...ended, index } });
  }
  const agent = agents[ended.index];
  if (key.kind !== 'named' || key.name !== 'enter' || !agent) return just(model);
  if (agent.blocker !== null) return just(withNotice(model, agent.blocker, true));
  const back = closePage({ ...model, ended: null });
  const text = `Starting ${agent.agent} with its session.`;
  const notice = { text, isProblem: false, untilMs: model.nowMs + START_MS };
  return just({ ...back, notice }, { kind: 'resume', agent });
}
