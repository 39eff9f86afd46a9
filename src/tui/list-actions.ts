// What each action of key-table.ts does on the list. Pure.

import { startApproval, startInterrupt, startKill } from './acting/confirm.ts';
import { openEnded } from './acting/ended.ts';
import { openInbox } from './acting/inbox-state.ts';
import { startNaming, startReply, startSnooze } from './acting/prompts.ts';
import type { ListAction } from './key-table.ts';
import type { UpdateResult } from './message.ts';
import type { Model } from './model.ts';
import {
  groupings,
  isSameFilter,
  limitPreferences,
  NO_FILTER,
  orders,
  type Preferences,
} from './preferences.ts';
import { listSections, type Section } from './rows/sections.ts';
import {
  followSelection,
  moveSelection,
  numberedRows,
  selectedRow,
  selectedStop,
  selectNextNeedingPerson,
} from './rows/selection.ts';
import { jumpTo, just, withNotice } from './steps.ts';
import { openTeams } from './teams/bundles.ts';
import { openMessages } from './teams/messages.ts';
import { startMessage } from './teams/write.ts';
import { scrollList } from './view/list-entries.ts';

export const PAGE_ROWS = 10;
export const WHEEL_ROWS = 3;

export type OnKey = (model: Model, key: string) => UpdateResult<Model>;

/** The model with changed preferences, and the effect that remembers them. */
function remembered(model: Model, change: Partial<Preferences>): UpdateResult<Model> {
  const preferences = limitPreferences({ ...model.preferences, ...change });
  const next = followSelection({ ...model, preferences }, model);
  return just(next, { kind: 'remember', change });
}

const withWords = ({ model, effects }: UpdateResult<Model>, text: string): UpdateResult<Model> => ({
  model: withNotice(model, text),
  effects,
});

const after = <T>(all: readonly T[], one: T): T => all[(all.indexOf(one) + 1) % all.length] ?? one;

const move =
  (by: number): OnKey =>
  (model) =>
    just(moveSelection(model, by));

/** The model with another filter. */
export const filtered = (model: Model, filter: Partial<Model['filter']>): Model =>
  followSelection({ ...model, filter: { ...model.filter, ...filter } }, model);

/** Collapses or expands a section; a section that needs a person stays open. */
export function fold(model: Model, section: Section, isCollapsed: boolean): UpdateResult<Model> {
  if (section.kind === 'needs' || section.isCollapsed === isCollapsed) return just(model);
  const others = model.preferences.collapsed.filter((key) => key !== section.key);
  const collapsed = isCollapsed ? [...others, section.key] : others;
  const isInside =
    model.selected === section.key || section.rows.some(({ key }) => key === model.selected);
  const selected = isCollapsed ? section.key : (section.rows[0]?.key ?? null);
  const step = remembered(model, { collapsed });
  return isInside ? { ...step, model: { ...step.model, selected } } : step;
}

const foldSelected =
  (isCollapsed: boolean | null): OnKey =>
  (model) => {
    const section = selectedStop(model)?.section;
    if (!section) return just(model);
    return fold(model, section, isCollapsed ?? !section.isCollapsed);
  };

function closeAll(model: Model): UpdateResult<Model> {
  const groups = listSections(model).filter(({ kind }) => kind !== 'needs');
  const others = model.preferences.collapsed.filter((key) => !groups.some((g) => g.key === key));
  const section = selectedStop(model)?.section;
  const step = remembered(model, { collapsed: [...others, ...groups.map(({ key }) => key)] });
  if (!section || section.kind === 'needs') return step;
  return { ...step, model: { ...step.model, selected: section.key } };
}

function openAll(model: Model): UpdateResult<Model> {
  const stop = selectedStop(model);
  const step = remembered(model, { collapsed: [] });
  const first = stop?.row === null ? stop.section.rows[0]?.key : undefined;
  return first === undefined ? step : { ...step, model: { ...step.model, selected: first } };
}

function pin(model: Model): UpdateResult<Model> {
  const pane = selectedRow(model)?.pane;
  if (!pane) return just(model);
  const { pinned } = model.preferences;
  const isPinned = pinned.includes(pane.pane_key);
  const others = pinned.filter((key) => key !== pane.pane_key);
  const step = remembered(model, { pinned: isPinned ? others : [...others, pane.pane_key] });
  return withWords(step, isPinned ? 'The pane is no longer pinned.' : 'The pane is pinned.');
}

/** Shows the selected pane; expands a selected section. */
export function jumpToSelected(model: Model): UpdateResult<Model> {
  const stop = selectedStop(model);
  if (stop?.row === null) return fold(model, stop.section, false);
  return stop ? jumpTo(model, stop.row.pane) : just(model);
}

const jumpToDigit: OnKey = (model, key) => {
  const row = numberedRows(model)[Number(key) - 1];
  return row ? jumpTo({ ...model, selected: row.key }, row.pane) : just(model);
};

function openLedger(model: Model): UpdateResult<Model> {
  const pane = selectedRow(model)?.pane;
  if (!pane) return just(model);
  const ledger = {
    paneKey: pane.pane_key,
    explanation: null,
    problem: null,
    requestedAtMs: 0,
    isLoading: false,
  };
  return just({ ...model, ledger, page: { kind: 'explain', top: 0 } });
}

function openLog(model: Model): UpdateResult<Model> {
  const pane = selectedRow(model)?.pane;
  if (!pane) return just(model);
  const log = {
    ...{ paneKey: pane.pane_key, entries: null, problem: null },
    ...{ requestedAtMs: 0, isLoading: false, isUnfolded: false },
  };
  return just({ ...model, log, page: { kind: 'log', top: Number.POSITIVE_INFINITY } });
}

function nextSavedFilter(model: Model): UpdateResult<Model> {
  const { savedFilters } = model.preferences;
  if (savedFilters.length === 0) {
    return just(withNotice(model, 'No filter is saved. Set one with / and save it with F.'));
  }
  const all = [NO_FILTER, ...savedFilters];
  const at = all.findIndex((each) => isSameFilter(each, model.filter));
  return just(filtered(model, all[(at + 1) % all.length] ?? NO_FILTER));
}

function saveFilter(model: Model): UpdateResult<Model> {
  const { filter, preferences } = model;
  if (isSameFilter(filter, NO_FILTER)) {
    return just(withNotice(model, 'There is no filter to save. Set one with / first.'));
  }
  const others = preferences.savedFilters.filter((each) => !isSameFilter(each, filter));
  const isKnown = others.length < preferences.savedFilters.length;
  const step = remembered(model, { savedFilters: isKnown ? others : [...others, filter] });
  return withWords(step, isKnown ? 'The filter is forgotten.' : 'The filter is saved; f shows it.');
}

function toggleWorkers(model: Model): UpdateResult<Model> {
  if (model.settings.workers.length === 0) {
    const text = 'No workers are configured: set workers in the [tui] section of config.toml.';
    return just(withNotice(model, text));
  }
  const areWorkersHidden = !model.preferences.areWorkersHidden;
  const text = areWorkersHidden
    ? 'Workers are hidden, except those who need you.'
    : 'Workers are shown.';
  return withWords(remembered(model, { areWorkersHidden }), text);
}

function nextGrouping(model: Model): UpdateResult<Model> {
  const groupBy = after(groupings, model.preferences.groupBy);
  return withWords(remembered(model, { groupBy }), `Grouped by ${groupBy}.`);
}

function nextOrder(model: Model): UpdateResult<Model> {
  const orderBy = after(orders, model.preferences.orderBy);
  return withWords(remembered(model, { orderBy }), `Ordered by ${orderBy}.`);
}

const listActions: Readonly<Record<ListAction, OnKey>> = {
  up: move(-1),
  down: move(1),
  'page-up': move(-PAGE_ROWS),
  'page-down': move(PAGE_ROWS),
  first: move(Number.NEGATIVE_INFINITY),
  last: move(Number.POSITIVE_INFINITY),
  'scroll-up': (model) => just(scrollList(model, -WHEEL_ROWS)),
  'scroll-down': (model) => just(scrollList(model, WHEEL_ROWS)),
  jump: jumpToSelected,
  'jump-digit': jumpToDigit,
  next: (model) => just(selectNextNeedingPerson(model)),
  explain: openLedger,
  log: openLog,
  preview: (model) => remembered(model, { isPreviewOn: !model.preferences.isPreviewOn }),
  filter: (model) => just({ ...model, page: { kind: 'filter', before: model.filter.text } }),
  attention: (model) => just(filtered(model, { attentionOnly: !model.filter.attentionOnly })),
  agents: (model) => just(filtered(model, { agentsOnly: !model.filter.agentsOnly })),
  workers: toggleWorkers,
  'saved-filter': nextSavedFilter,
  'save-filter': saveFilter,
  clear: (model) => just(filtered(model, NO_FILTER)),
  group: nextGrouping,
  order: nextOrder,
  fold: foldSelected(null),
  close: foldSelected(true),
  open: foldSelected(false),
  'close-all': closeAll,
  'open-all': openAll,
  pin,
  snooze: startSnooze,
  reply: startReply,
  inbox: (model) => openInbox(model),
  messages: openMessages,
  message: startMessage,
  teams: openTeams,
  approve: (model) => startApproval(model, 'approve'),
  deny: (model) => startApproval(model, 'deny'),
  interrupt: startInterrupt,
  kill: startKill,
  resume: openEnded,
  name: startNaming,
  'start-daemon': (model) =>
    model.link.kind === 'lost' ? just(model, { kind: 'start-daemon' }) : just(model),
  help: (model) => just({ ...model, page: { kind: 'help', top: 0 } }),
  quit: (model) => just(model, { kind: 'quit' }),
};

/** The next model after an action; `key` is the key that was pressed. */
export const performAction = (model: Model, action: ListAction, key: string): UpdateResult<Model> =>
  listActions[action](model, key);
