// What each key does on each page. Pure. key-table.ts has the words for the footer and the help.

import type { Key } from './keys.ts';
import type { Effect, UpdateResult } from './message.ts';
import { type Model, NO_FILTER } from './model.ts';
import { rowKeyAt } from './view/list-page.ts';
import {
  followSelection,
  moveSelection,
  selectedRow,
  selectNextNeedingPerson,
} from './view/selection.ts';
import { helpTopMax, ledgerTopMax } from './view/text-pages.ts';

const PAGE_ROWS = 10;
const WHEEL_ROWS = 3;
const FILTER_LENGTH_MAX = 200;

const just = (model: Model, ...effects: readonly Effect[]): UpdateResult<Model> => ({
  model,
  effects,
});

/** The name of a key in the tables below. */
const wordOf = (key: Key): string => {
  if (key.kind === 'named') return key.name;
  return key.kind === 'text' ? key.text : key.kind;
};

export function updateOnKey(model: Model, key: Key): UpdateResult<Model> {
  if (key.kind === 'named' && key.name === 'ctrl-c') return just(model, { kind: 'quit' });
  if (key.kind === 'named' && key.name === 'ctrl-l') return just(model, { kind: 'redraw' });
  if (key.kind === 'named' && key.name === 'ctrl-z') return just(model, { kind: 'suspend' });
  if (model.page.kind === 'filter') return just(onFilterKey(model, key));
  if (key.kind === 'text') return onTyped(model, key.text);
  return onPageKey(model, key);
}

/** Fast typing arrives as one text; each character is a key. */
function onTyped(model: Model, typed: string): UpdateResult<Model> {
  const effects: Effect[] = [];
  let next = model;
  for (const text of typed) {
    const key: Key = { kind: 'text', text };
    const step = next.page.kind === 'filter' ? just(onFilterKey(next, key)) : onPageKey(next, key);
    effects.push(...step.effects);
    next = step.model;
  }
  return { model: next, effects };
}

function onPageKey(model: Model, key: Key): UpdateResult<Model> {
  if (model.page.kind === 'list') return onListKey(model, key);
  return onTextKey(model, key);
}

type OnKey = (model: Model) => UpdateResult<Model>;

const move =
  (by: number): OnKey =>
  (model) =>
    just(moveSelection(model, by));

const filtered = (model: Model, filter: Partial<Model['filter']>): Model =>
  followSelection({ ...model, filter: { ...model.filter, ...filter } }, model);

const listKeys: Readonly<Record<string, OnKey>> = {
  up: move(-1),
  k: move(-1),
  down: move(1),
  j: move(1),
  'ctrl-p': move(-1),
  'ctrl-n': move(1),
  'page-up': move(-PAGE_ROWS),
  'ctrl-u': move(-PAGE_ROWS),
  'page-down': move(PAGE_ROWS),
  'ctrl-d': move(PAGE_ROWS),
  'wheel-up': move(-WHEEL_ROWS),
  'wheel-down': move(WHEEL_ROWS),
  home: move(Number.NEGATIVE_INFINITY),
  g: move(Number.NEGATIVE_INFINITY),
  end: move(Number.POSITIVE_INFINITY),
  G: move(Number.POSITIVE_INFINITY),
  n: (model) => just(selectNextNeedingPerson(model)),
  enter: jump,
  e: openLedger,
  p: (model) => just({ ...model, isPreviewOn: !model.isPreviewOn }),
  '/': (model) => just({ ...model, page: { kind: 'filter', before: model.filter.text } }),
  '!': (model) => just(filtered(model, { attentionOnly: !model.filter.attentionOnly })),
  a: (model) => just(filtered(model, { agentsOnly: !model.filter.agentsOnly })),
  escape: (model) => just(filtered(model, NO_FILTER)),
  r: (model) => (model.link.kind === 'lost' ? just(model, { kind: 'start-daemon' }) : just(model)),
  '?': (model) => just({ ...model, page: { kind: 'help', top: 0 } }),
  q: (model) => just(model, { kind: 'quit' }),
};

function onListKey(model: Model, key: Key): UpdateResult<Model> {
  if (key.kind === 'click') {
    const selected = rowKeyAt(model, key.column, key.row);
    return just(selected === null ? model : { ...model, selected });
  }
  return listKeys[wordOf(key)]?.(model) ?? just(model);
}

function jump(model: Model): UpdateResult<Model> {
  const pane = selectedRow(model)?.pane;
  if (!pane?.identity) return just(model);
  return just(model, { kind: 'jump', paneKey: pane.pane_key, place: pane.identity });
}

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

const closeKeys = ['escape', 'left', 'q'];

function onTextKey(model: Model, key: Key): UpdateResult<Model> {
  const { page } = model;
  if (page.kind !== 'explain' && page.kind !== 'help') return just(model);
  const word = wordOf(key);
  const isOwn = word === (page.kind === 'help' ? '?' : 'e');
  if (isOwn || closeKeys.includes(word)) {
    return just({ ...model, page: { kind: 'list' }, ledger: null });
  }
  // Only to the explained pane: when it is gone, another row is selected.
  if (word === 'enter' && model.ledger?.paneKey === selectedRow(model)?.pane.pane_key) {
    return jump(model);
  }
  const by = scrolls[word];
  if (by === undefined) return just(model);
  const topMax = page.kind === 'help' ? helpTopMax(model) : ledgerTopMax(model);
  const top = Math.max(0, Math.min(topMax, page.top + by));
  return just({ ...model, page: { ...page, top } });
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
