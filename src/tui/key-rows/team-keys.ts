// The keys of the pages of messages and of teams. teams/ has the function of each action.

import { type ActionOf, type KeyRow, row } from './key-row.ts';

const moveRow = <const Action extends string>(
  actions: KeyRow<Action>['actions'],
  does: string,
): KeyRow<Action> => row(actions, '↑↓', does, { word: 'move', rank: 9, ascii: 'up/down' });

export const messagesRows = [
  moveRow(
    [
      ['up', 'up', 'k', 'ctrl-p', 'wheel-up'],
      ['down', 'down', 'j', 'ctrl-n', 'wheel-down'],
    ],
    'choose a thread, or scroll it; also k and j',
  ),
  row([['read', 'enter', 'right']], '⏎', 'read the thread', {
    word: 'read',
    rank: 2,
    ascii: 'enter',
  }),
  row([['reply', 's']], 's', 'reply to who wrote to you last', { word: 'reply', rank: 3 }),
  row([['reply-all', 'a']], 'a', 'reply to all who got that message', { word: 'to all', rank: 5 }),
  row([['cancel', 'x']], 'x', 'take your last message back from those for whom it waits', {
    ...{ word: 'take back', rank: 4 },
  }),
  row([['write', 'M']], 'M', 'write to the agent that is selected in the list', {
    ...{ word: 'new', rank: 4 },
  }),
  row(
    [
      ['page-up', 'page-up', 'ctrl-u'],
      ['page-down', 'page-down', 'ctrl-d', ' '],
      ['first', 'home', 'g'],
      ['last', 'end', 'G'],
    ],
    'PgUp PgDn',
    'ten rows; also Home and End',
  ),
  row([['start-daemon', 'r']], 'r', 'start the daemon when it does not answer'),
  row([['help', '?']], '?', 'the page of all keys', { word: 'help', rank: 8 }),
  row(
    [
      ['back', 'escape', 'q', 'left'],
      ['close', 'm'],
    ],
    'Esc',
    'back to the threads, then to the list; also q; m at once',
    { word: 'back', rank: 1 },
  ),
];

export type MessagesAction = ActionOf<typeof messagesRows>;

export const teamsRows = [
  moveRow(
    [
      ['up', 'up', 'k', 'ctrl-p', 'wheel-up'],
      ['down', 'down', 'j', 'ctrl-n', 'wheel-down'],
    ],
    'choose a team or a member; also k and j',
  ),
  row([['jump', 'enter']], '⏎', 'show the pane of the member in your client', {
    ...{ word: 'jump', rank: 5, ascii: 'enter' },
  }),
  row([['bring-up', 'u']], 'u', 'bring the team up: agtmux bundle up, in this terminal', {
    ...{ word: 'up', rank: 2 },
  }),
  row([['take-down', 'd']], 'd', 'end its sessions; asks first', { word: 'down', rank: 3 }),
  row([['restart', 'R']], 'R', 'end its sessions and start them anew; asks first', {
    ...{ word: 'restart', rank: 4 },
  }),
  row([['message', 'M']], 'M', 'write to the member, or to all members of the team', {
    ...{ word: 'message', rank: 6 },
  }),
  row(
    [
      ['page-up', 'page-up', 'ctrl-u'],
      ['page-down', 'page-down', 'ctrl-d', ' '],
    ],
    'PgUp PgDn',
    'ten rows',
  ),
  row([['start-daemon', 'r']], 'r', 'start the daemon when it does not answer'),
  row([['help', '?']], '?', 'the page of all keys', { word: 'help', rank: 8 }),
  row([['close', 'escape', 'b', 'q', 'left']], 'Esc', 'back to the list; also b and q', {
    ...{ word: 'list', rank: 1 },
  }),
];

export type TeamsAction = ActionOf<typeof teamsRows>;
