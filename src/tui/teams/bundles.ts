// The page of teams: bundles and their members, and the keys that bring a team up, end it, or write
// to it. Pure. What starts and ends sessions is `agtmux bundle`, which asks where members work.

import type { BundleAction, BundleList } from '../../schema/relay/bundle-api.ts';
import type { TeamsAction } from '../key-rows/team-keys.ts';
import { teamsActionOf } from '../key-table.ts';
import type { Key } from '../keys.ts';
import type { DaemonReply, UpdateResult } from '../message.ts';
import type { Model, TeamConfirmPage, TeamsState } from '../model.ts';
import { chosenTeamRow, teamRows } from '../rows/team-rows.ts';
import { closePage, jumpTo, just, withNotice } from '../steps.ts';
import { startMessageTo } from './write.ts';

const SHOWN_MS = 2_500;
const PAGE_ROWS = 10;

export const openTeams = (model: Model): UpdateResult<Model> =>
  just({
    ...model,
    teams: { list: null, problem: null, requestedAtMs: 0, isLoading: false, chosen: null },
    page: { kind: 'teams' },
  });

export function showTeams(model: Model, answer: DaemonReply<BundleList>): Model {
  const { teams } = model;
  if (teams === null) return model;
  if (!answer.ok) {
    return { ...model, teams: { ...teams, problem: answer.problem, isLoading: false } };
  }
  const next = { ...teams, list: answer.value, problem: null, isLoading: false };
  // From then on it is the same one, so that no other slips under a key.
  return { ...model, teams: { ...next, chosen: chosenTeamRow(next)?.key ?? null } };
}

export function requestTeams({ model, effects }: UpdateResult<Model>): UpdateResult<Model> {
  const { teams, nowMs, link } = model;
  if (teams === null || link.kind !== 'up') return { model, effects };
  if (teams.isLoading || nowMs - teams.requestedAtMs < SHOWN_MS) return { model, effects };
  return {
    model: { ...model, teams: { ...teams, requestedAtMs: nowMs, isLoading: true } },
    effects: [...effects, { kind: 'read-teams' }],
  };
}

type Act = (model: Model, teams: TeamsState) => UpdateResult<Model>;

const move =
  (by: number): Act =>
  (model, teams) => {
    const rows = teamRows(teams);
    const at = rows.findIndex(({ key }) => key === chosenTeamRow(teams)?.key);
    const to = Math.max(0, Math.min(rows.length - 1, at + by));
    return just({ ...model, teams: { ...teams, chosen: rows[to]?.key ?? null } });
  };

const jump: Act = (model, teams) => {
  const member = chosenTeamRow(teams)?.member;
  if (!member) return just(withNotice(model, 'Choose a member: Enter shows its pane.'));
  const pane = [...model.panes.values()].find(({ ref }) => ref === member.ref);
  if (member.ref === null || !pane) return just(withNotice(model, 'This member has no pane.'));
  return jumpTo(model, pane);
};

const message: Act = (model, teams) => {
  const row = chosenTeamRow(teams);
  if (row === null) return just(model);
  const { bundle, member } = row;
  if (member === null) {
    return startMessageTo(model, { id: bundle.id, isBundle: true, name: bundle.id });
  }
  const id = `member:${bundle.id}/${member.id}`;
  return startMessageTo(model, { id, isBundle: false, name: `${bundle.id}/${member.id}` });
};

const carryOut =
  (action: BundleAction): Act =>
  (model, teams) => {
    const bundle = chosenTeamRow(teams)?.bundle;
    if (!bundle) return just(model);
    if (model.link.kind !== 'up') {
      return just(withNotice(model, 'Nothing was done: the daemon does not answer.', true));
    }
    if (bundle.state === 'down' && action !== 'up') {
      return just(withNotice(model, `Team ${bundle.id} is down: u brings it up.`));
    }
    if (action === 'up') return just(model, { kind: 'run-bundle', bundle: bundle.id, action });
    return just({ ...model, page: { kind: 'team-confirm', bundle: bundle.id, action } });
  };

const actions: Readonly<Record<TeamsAction, Act>> = {
  up: move(-1),
  down: move(1),
  'page-up': move(-PAGE_ROWS),
  'page-down': move(PAGE_ROWS),
  jump,
  message,
  'bring-up': carryOut('up'),
  'take-down': carryOut('down'),
  restart: carryOut('restart'),
  'start-daemon': (model) =>
    model.link.kind === 'lost' ? just(model, { kind: 'start-daemon' }) : just(model),
  help: (model) => just({ ...model, page: { kind: 'help', top: 0 } }),
  close: (model) => just(closePage({ ...model, teams: null })),
};

/** A key on the page; `word` is its name in the table of keys. */
export function updateOnTeamsKey(model: Model, word: string): UpdateResult<Model> {
  const action = teamsActionOf(word);
  if (model.teams === null) return just(closePage(model));
  return action === null ? just(model) : actions[action](model, model.teams);
}

/** Enter does it, Escape goes back. */
export function updateOnTeamConfirmKey(
  model: Model,
  { bundle, action }: TeamConfirmPage,
  key: Key,
): UpdateResult<Model> {
  const isBack =
    key.kind === 'named' ? key.name === 'escape' : key.kind === 'text' && key.text === 'q';
  if (isBack) return just(closePage(model));
  if (key.kind !== 'named' || key.name !== 'enter') return just(model);
  return just(closePage(model), { kind: 'run-bundle', bundle, action });
}
