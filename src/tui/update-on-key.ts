// What each key does on each page. Pure. key-table.ts has the words for the footer and the help.

import { updateOnConfirmKey } from './acting/confirm.ts';
import { updateOnEndedKey } from './acting/ended.ts';
import { updateOnInboxKey } from './acting/inbox.ts';
import { updateOnPromptKey } from './acting/prompts.ts';
import { listActionOf } from './key-table.ts';
import type { Key } from './keys.ts';
import {
  filtered,
  fold,
  jumpToSelected,
  PAGE_ROWS,
  performAction,
  WHEEL_ROWS,
} from './list-actions.ts';
import type { Effect, UpdateResult } from './message.ts';
import type { Model } from './model.ts';
import { FILTER_LENGTH_MAX } from './preferences.ts';
import { moveSelection, selectedRow } from './rows/selection.ts';
import { closePage, just } from './steps.ts';
import { updateOnTeamConfirmKey, updateOnTeamsKey } from './teams/bundles.ts';
import { updateOnMessagesKey } from './teams/messages.ts';
import { updateOnWriteKey } from './teams/write.ts';
import { entryAt, stopKey } from './view/list-entries.ts';
import { textTopMax } from './view/text-pages.ts';

/** The name of a key in the tables. */
const wordOf = (key: Key): string => {
  if (key.kind === 'named') return key.name;
  return key.kind === 'text' ? key.text : key.kind;
};

export function updateOnKey(model: Model, key: Key): UpdateResult<Model> {
  if (key.kind === 'named' && key.name === 'ctrl-c') return just(model, { kind: 'quit' });
  if (key.kind === 'named' && key.name === 'ctrl-l') return just(model, { kind: 'redraw' });
  if (key.kind === 'named' && key.name === 'ctrl-z') return just(model, { kind: 'suspend' });
  if (key.kind === 'text') return onTyped(model, key.text);
  return onOneKey(model, key);
}

/** Fast typing arrives as one text; each character is a key. */
function onTyped(model: Model, typed: string): UpdateResult<Model> {
  const effects: Effect[] = [];
  let next = model;
  for (const text of typed) {
    const key: Key = { kind: 'text', text };
    const step = onOneKey(next, key);
    effects.push(...step.effects);
    next = step.model;
  }
  return { model: next, effects };
}

function onOneKey(model: Model, key: Key): UpdateResult<Model> {
  const { page } = model;
  switch (page.kind) {
    case 'filter':
      return just(onFilterKey(model, key));
    case 'prompt':
      return updateOnPromptKey(model, page, key);
    case 'confirm':
      return updateOnConfirmKey(model, page, key);
    case 'inbox':
      return updateOnInboxKey(model, key, wordOf(key));
    case 'ended':
      return updateOnEndedKey(model, key, wordOf(key));
    case 'messages':
      return updateOnMessagesKey(model, wordOf(key));
    case 'write':
      return updateOnWriteKey(model, page, key);
    case 'teams':
      return updateOnTeamsKey(model, wordOf(key));
    case 'team-confirm':
      return updateOnTeamConfirmKey(model, page, key);
    case 'list':
      return onListKey(model, key);
    default:
      return onTextKey(model, key);
  }
}

function onListKey(model: Model, key: Key): UpdateResult<Model> {
  if (key.kind === 'click') return onClick(model, key);
  const word = wordOf(key);
  const action = key.kind === 'paste' ? null : listActionOf(word);
  return action === null ? just(model) : performAction(model, action, word);
}

/** A click selects a row or folds a group; the second of two jumps. */
function onClick(model: Model, click: Extract<Key, { kind: 'click' }>): UpdateResult<Model> {
  const entry = entryAt(model, click.column, click.row);
  if (entry === null) return just(model);
  if (entry.kind === 'heading') return fold(model, entry.section, !entry.section.isCollapsed);
  const selected: Model = { ...model, selected: stopKey(entry) };
  return click.isDouble ? jumpToSelected(selected) : just(selected);
}

const scrolls: Readonly<Record<string, number>> = {
  up: -1,
  k: -1,
  down: 1,
  j: 1,
  'wheel-up': -WHEEL_ROWS,
  'wheel-down': WHEEL_ROWS,
  'page-up': -PAGE_ROWS,
  'ctrl-u': -PAGE_ROWS,
  'page-down': PAGE_ROWS,
  'ctrl-d': PAGE_ROWS,
  ' ': PAGE_ROWS,
  home: Number.NEGATIVE_INFINITY,
  g: Number.NEGATIVE_INFINITY,
  end: Number.POSITIVE_INFINITY,
  G: Number.POSITIVE_INFINITY,
};

const ownKeys = { help: '?', explain: 'e', log: 'l' } as const;
const closeKeys = ['escape', 'left', 'q'];

function onTextKey(model: Model, key: Key): UpdateResult<Model> {
  const { page } = model;
  if (page.kind !== 'explain' && page.kind !== 'help' && page.kind !== 'log') return just(model);
  const word = wordOf(key);
  const isOwn = word === ownKeys[page.kind];
  if (isOwn || closeKeys.includes(word)) {
    return just({ ...closePage(model), ledger: null, log: null });
  }
  if (page.kind === 'log' && word === 't') return just(unfolded(model));
  // Only to the pane that is read about: when it is gone, another row is selected.
  const { paneKey = null } = (page.kind === 'log' ? model.log : model.ledger) ?? {};
  if (word === 'enter' && paneKey === selectedRow(model)?.pane.pane_key) {
    return jumpToSelected(model);
  }
  const by = scrolls[word];
  if (by === undefined) return just(model);
  const topMax = textTopMax(model);
  const top = Math.max(0, Math.min(topMax, Math.min(topMax, page.top) + by));
  const isEnd = page.kind === 'log' && top === topMax;
  return just({ ...model, page: { ...page, top: isEnd ? Number.POSITIVE_INFINITY : top } });
}

function unfolded(model: Model): Model {
  const { log } = model;
  return log === null ? model : { ...model, log: { ...log, isUnfolded: !log.isUnfolded } };
}

/** The line in which the filter is edited; it filters while the user types. */
function onFilterKey(model: Model, key: Key): Model {
  const { page, filter } = model;
  if (page.kind !== 'filter') return model;
  const back: Model = { ...model, page: { kind: 'list' } };
  if (key.kind === 'text' || key.kind === 'paste') {
    const typed = key.text.replace(/\s+/g, ' ');
    return filtered(model, { text: (filter.text + typed).slice(0, FILTER_LENGTH_MAX) });
  }
  if (key.kind === 'click') return model;
  switch (key.name) {
    case 'enter':
      return back;
    case 'escape':
      return filtered(back, { text: page.before });
    case 'backspace':
      return filter.text === '' ? back : filtered(model, { text: dropLast(filter.text) });
    case 'ctrl-u':
      return filtered(model, { text: '' });
    case 'ctrl-w':
      return filtered(model, { text: filter.text.replace(/\S*\s*$/u, '') });
    case 'up':
      return moveSelection(model, -1);
    case 'down':
      return moveSelection(model, 1);
    default:
      return model;
  }
}

const dropLast = (text: string): string => [...text].slice(0, -1).join('');
