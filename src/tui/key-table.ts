// The one table of keys: which keys do what, and their words for the footer, the help page and
// docs/live-view.md. list-actions.ts has the function of each action on the list, acting/inbox.ts
// of each in the inbox, teams/ of those on the pages of messages and teams.

import { type ActionOf, type KeyRow, type KeyWords, row } from './key-rows/key-row.ts';
import {
  type MessagesAction,
  messagesRows,
  type TeamsAction,
  teamsRows,
} from './key-rows/team-keys.ts';

const digits = ['1', '2', '3', '4', '5', '6', '7', '8', '9'];

const listRows = [
  row(
    [
      ['up', 'up', 'k', 'ctrl-p'],
      ['down', 'down', 'j', 'ctrl-n'],
    ],
    '↑↓',
    'select; also k and j',
    { word: 'move', rank: 16, ascii: 'up/down' },
  ),
  row([['jump', 'enter']], '⏎', 'show the pane in your client; also a double click', {
    ...{ word: 'jump', rank: 2, ascii: 'enter' },
  }),
  row([['jump-digit', ...digits]], '1-9', 'show the pane with that number', {
    ...{ word: 'jump', rank: 15 },
  }),
  row([['next', 'n']], 'n', 'select the next agent that needs you', { word: 'next', rank: 5 }),
  row([['explain', 'e']], 'e', 'why the pane is in its state, source by source', {
    ...{ word: 'explain', rank: 3 },
  }),
  row([['log', 'l']], 'l', 'what the agent said and did; t shows all of its tools'),
  row([['group', 'tab']], 'Tab', 'group by session, state, target, folder or worktree', {
    ...{ word: 'group', rank: 6 },
  }),
  row([['order', 'o']], 'o', 'order by attention, age or name', { word: 'order', rank: 11 }),
  row(
    [
      ['fold', ' '],
      ['close', 'left'],
      ['open', 'right'],
    ],
    'Space',
    'collapse or expand the group; also ← and →',
    { word: 'fold', rank: 10 },
  ),
  row(
    [
      ['close-all', '-'],
      ['open-all', '+', '='],
    ],
    '- +',
    'collapse or expand all groups',
  ),
  row([['pin', 'P']], 'P', 'pin the pane below those who need you, or unpin it', {
    ...{ word: 'pin', rank: 14 },
  }),
  row([['reply', 's']], 's', 'answer what the agent asks, or send it a prompt', {
    ...{ word: 'reply', rank: 4 },
  }),
  row([['inbox', 'i']], 'i', 'everything that agents ask, one after the other', {
    ...{ word: 'inbox', rank: 4 },
  }),
  row([['messages', 'm']], 'm', 'messages between agents and people, with their receipts', {
    ...{ word: 'messages', rank: 8 },
  }),
  row([['message', 'M']], 'M', 'write a message to the agent; it is typed when it rests'),
  row([['teams', 'b']], 'b', 'the declared teams (bundles) with their members', {
    ...{ word: 'teams', rank: 9 },
  }),
  row([['approve', 'A']], 'A', 'show what the agent asks; Enter approves it, once'),
  row([['deny', 'D']], 'D', 'show what the agent asks; Enter denies it, Tab with a reason'),
  row([['interrupt', 'X']], 'X', 'stop the turn of the agent; asks first'),
  row([['kill', 'K']], 'K', 'end the agent by a signal; asks first'),
  row([['resume', 'R']], 'R', 'start an agent again that has ended'),
  row([['snooze', 'z']], 'z', 'put off what the agent asks for some time, or end that', {
    ...{ word: 'snooze', rank: 9 },
  }),
  row([['name', ',']], ',', 'give the pane a name of your own', { word: 'name', rank: 13 }),
  row([['filter', '/']], '/', 'only rows containing all these words', {
    ...{ word: 'filter', rank: 4 },
  }),
  row([['attention', '!']], '!', 'only panes with something new to see', {
    ...{ word: 'attention', rank: 7 },
  }),
  row([['agents', 'a']], 'a', 'only panes with an agent', { word: 'agents', rank: 8 }),
  row([['workers', 'w']], 'w', 'hide or show the workers of orchestrators (tui.workers)'),
  row([['saved-filter', 'f']], 'f', 'the next saved filter'),
  row([['save-filter', 'F']], 'F', 'save this filter; forget it if it is a saved one'),
  row([['preview', 'p']], 'p', 'show or hide the preview', { word: 'preview', rank: 12 }),
  row(
    [
      ['page-up', 'page-up', 'ctrl-u'],
      ['page-down', 'page-down', 'ctrl-d'],
    ],
    'PgUp PgDn',
    'ten rows; also Ctrl-U, Ctrl-D',
  ),
  row(
    [
      ['first', 'home', 'g'],
      ['last', 'end', 'G'],
    ],
    'Home End',
    'first and last; also g and G',
  ),
  row([['clear', 'escape']], 'Esc', 'clear the filters; back to the list'),
  row([['start-daemon', 'r']], 'r', 'start the daemon when it does not answer'),
  row([], 'Ctrl-L', 'redraw the screen'),
  row([], 'Ctrl-Z', 'back to the shell until fg'),
  row(
    [
      ['scroll-up', 'wheel-up'],
      ['scroll-down', 'wheel-down'],
    ],
    'Mouse',
    'click selects or folds, wheel scrolls, double click jumps',
  ),
  row([['help', '?']], '?', 'this page', { word: 'help', rank: 0 }),
  row([['quit', 'q']], 'q', 'quit; on another page, back to the list', { word: 'quit', rank: 1 }),
];

export type ListAction = ActionOf<typeof listRows>;

const inboxRows = [
  row([['option', ...digits]], '1-9', 'choose the option with that number', {
    ...{ word: 'choose', rank: 2 },
  }),
  row([['approve', 'a', 'A']], 'a', 'approve it, once', { word: 'approve', rank: 3 }),
  row([['deny', 'd']], 'd', 'deny it', { word: 'deny', rank: 4 }),
  row([['deny-why', 'D']], 'D', 'deny it with a reason'),
  row([['reply', 's']], 's', 'type numbers or a label of options, or an answer of your own'),
  row([['defer', 'z']], 'z', 'put it off for some time', { word: 'later', rank: 6 }),
  row([['jump', 'enter']], '⏎', 'show the pane in your client', {
    ...{ word: 'show', rank: 5, ascii: 'enter' },
  }),
  row(
    [
      ['next', 'n', 'down', 'j', 'tab'],
      ['previous', 'up', 'k'],
    ],
    'n',
    'the next one, without an answer; also ↑↓, j and k',
    { word: 'next', rank: 7 },
  ),
  row(
    [
      ['page-up', 'page-up', 'ctrl-u'],
      ['page-down', 'page-down', 'ctrl-d', ' '],
      ['scroll-up', 'wheel-up'],
      ['scroll-down', 'wheel-down'],
    ],
    'PgUp PgDn',
    'scroll what is asked; also Space and the wheel',
    { word: 'scroll', rank: 9 },
  ),
  row([['start-daemon', 'r']], 'r', 'start the daemon when it does not answer'),
  row([['help', '?']], '?', 'the page of all keys', { word: 'help', rank: 8 }),
  row([['close', 'escape', 'i', 'q', 'left']], 'Esc', 'back to the list; also i and q', {
    ...{ word: 'list', rank: 1 },
  }),
];

export type InboxAction = ActionOf<typeof inboxRows>;

const words = (keys: string, word: string, rank: number, ascii?: string): KeyWords => ({
  keys,
  word,
  rank,
  does: '',
  ...(ascii === undefined ? {} : { ascii }),
});

const footers = {
  lost: [words('r', 'start the daemon', 1), words('q', 'quit', 2), words('?', 'help', 3)],
  text: [
    words('Esc', 'back', 4),
    words('↑↓', 'scroll', 5, 'up/down'),
    words('PgUp PgDn', 'page', 6),
  ],
  filter: [words('⏎', 'keep', 7, 'enter'), words('Esc', 'back', 8)],
  prompt: [words('⏎', 'accept', 7, 'enter'), words('Esc', 'back', 8)],
  ended: [
    words('⏎', 'start', 1, 'enter'),
    words('Esc', 'back', 2),
    words('↑↓', 'choose', 3, 'up/down'),
  ],
  write: [words('⏎', 'send', 7, 'enter'), words('Tab', 'subject', 9), words('Esc', 'back', 8)],
  confirm: [words('⏎', 'do it', 1, 'enter'), words('Esc', 'back', 2)],
  deny: [
    words('⏎', 'do it', 1, 'enter'),
    words('Tab', 'with a reason', 3),
    words('Esc', 'back', 2),
  ],
  kill: [words('⏎', 'do it', 1, 'enter'), words('Tab', 'other signal', 3), words('Esc', 'back', 2)],
} as const;

const tables = { list: listRows, inbox: inboxRows, messages: messagesRows, teams: teamsRows };
/** Of the list of threads, and of one that is read. */
const ofThreads = ['move', 'read', 'new', 'help', 'back'];
const ofThread = ['move', 'reply', 'to all', 'take back', 'help', 'back'];

export type KeyContext = keyof typeof tables | 'thread' | keyof typeof footers;

export type KeyHelp = Omit<KeyWords, 'ascii'>;

const shown = (rows: readonly KeyWords[], unicode: boolean): readonly KeyHelp[] =>
  rows.map(({ keys, ascii, word, does, rank }) => ({
    keys: unicode ? keys : (ascii ?? keys),
    word,
    does: unicode ? does : asciiWords(does),
    rank,
  }));

const asciiWords = (does: string): string =>
  does.replace('← and →', 'left and right').replace('↑↓', 'up and down');

/** Every key of a place, for the help page. */
export const helpKeys = (place: keyof typeof tables, unicode: boolean): readonly KeyHelp[] =>
  shown(tables[place], unicode);

/** The keys of a footer, in their order there. */
export function footerKeys(place: KeyContext, unicode: boolean): readonly KeyHelp[] {
  if (place === 'messages' || place === 'thread') {
    const wanted = place === 'thread' ? ofThread : ofThreads;
    return shown(messagesRows, unicode).filter(({ word }) => wanted.includes(word));
  }
  if (place === 'list' || place === 'inbox' || place === 'teams') {
    return shown(tables[place], unicode).filter(({ word }) => word !== '');
  }
  return shown(footers[place], unicode);
}

const byKey = <Action extends string>(
  rows: readonly KeyRow<Action>[],
): ReadonlyMap<string, Action> =>
  new Map(
    rows.flatMap((each) =>
      each.actions.flatMap(([action, ...names]) => names.map((name) => [name, action] as const)),
    ),
  );

const listActions = byKey(listRows);
const inboxActions = byKey(inboxRows);

/** The action of a key on the list. */
export const listActionOf = (key: string): ListAction | null => listActions.get(key) ?? null;

/** The action of a key in the inbox. */
export const inboxActionOf = (key: string): InboxAction | null => inboxActions.get(key) ?? null;

const messagesActions = byKey(messagesRows);
const teamsActions = byKey(teamsRows);

/** The action of a key on the page of messages. */
export const messagesActionOf = (key: string): MessagesAction | null =>
  messagesActions.get(key) ?? null;

/** The action of a key on the page of teams. */
export const teamsActionOf = (key: string): TeamsAction | null => teamsActions.get(key) ?? null;
