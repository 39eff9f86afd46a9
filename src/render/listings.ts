// The tables of `list` and `watch`: panes, windows, sessions, and the line of counts below. Pure.

import type {
  CountsItem,
  PaneItem,
  PaneList,
  SessionItem,
  SessionList,
  SummaryItem,
  WindowList,
} from '../schema/api/panes.ts';
import { counted } from '../text/counted.ts';
import { states } from '../text/state-words.ts';
import { type Cell, type Column, renderGrid } from './grid.ts';
import { hiddenStateText, outageLine } from './outages.ts';
import {
  questionText,
  reasonText,
  snoozeNotes,
  subagentNames,
  titleText,
  workNotes,
} from './pane-notes.ts';
import { placeNames, placeOf, typedNames } from './typed-names.ts';
import { ageOf, markOf, paint, sanitise, type View } from './view.ts';
import { textWidth, wrapText } from './width.ts';

/** What all listings have in common. */
type Envelope = Pick<PaneList, 'summary' | 'partial' | 'target_errors' | 'store_error' | 'outages'>;

export interface ListingOptions {
  /** Add the number of agents in each state. */
  readonly counts: boolean;
}

/** A mark, the state and its reason; in a narrow column without the reason, then the mark alone. */
export function stateCell(view: View, state: string, reason: string | null): Cell {
  const { mark, ink } = markOf(view, state);
  const word = `${mark} ${state}`;
  if (reason === null) return { text: word, short: mark, ink };
  return { text: `${word} (${reason})`, short: word, ink };
}

/** On a narrower screen the state is its mark alone, so that the other columns stay. */
const WORDS_WIDTH_MIN = 60;

/** The width that the column of states keeps: its words, where there is room for them. */
function stateWidth(view: View, cells: readonly Cell[]): number {
  if (view.width < WORDS_WIDTH_MIN) return 1;
  const words = cells.map(({ text }) => text.replace(/ \(.*$/s, ''));
  return Math.max(1, ...words.map(textWidth));
}

/**
 * The table of panes, in the daemon's order. `all` are the panes that a filter leaves out as well:
 * a name that is printed must not lead to one of them.
 */
export function renderPanes(view: View, list: PaneList, all = list.panes): string {
  if (list.panes.length === 0) return withFooter(view, 'No panes.', list);
  const nameOf = typedNames(all);
  const placeName = placeNames(list.panes.map(placeOf));
  const targetOf = (pane: PaneItem): string => placeName(placeOf(pane));
  const withTarget = new Set(list.panes.map(targetOf)).size > 1;
  const withQuestion = list.panes.some((pane) => questionText(pane) !== '');
  const columns: Column[] = [
    {
      title: 'STATE',
      rank: 0,
      min: stateWidth(
        view,
        list.panes.map((pane) => paneState(view, pane)),
      ),
    },
    { title: 'AGE', rank: 3, min: 3 },
    { title: 'AGENT', rank: 2, min: 6, max: 16 },
    { title: 'PANE', rank: 1, min: 12, max: 40, isWhole: true },
    ...(withTarget ? [{ title: 'TARGET', rank: 4, min: 4, max: 24 }] : []),
    ...(withQuestion ? [{ title: 'QUESTION', rank: 5, min: 24, max: 60 }] : []),
    { title: 'TITLE', rank: 6, min: 8, max: 80 },
    { title: 'BRANCH', rank: 8, min: 6, max: 32 },
    ...(list.panes.some((pane) => hasNotes(view, pane))
      ? [{ title: 'NOTES', rank: 7, min: 6, max: 40 }]
      : []),
  ];
  const rows = list.panes.flatMap((pane) => [
    paneRow(view, pane, {
      name: nameOf(pane),
      target: withTarget ? targetOf(pane) : null,
      question: withQuestion ? questionText(pane) : null,
    }),
    ...childRows(view, pane),
  ]);
  return withFooter(view, renderGrid(view, columns, rows), list);
}

interface PaneTexts {
  readonly name: string;
  /** Null: there is no such column. */
  readonly target: string | null;
  readonly question: string | null;
}

function paneRow(
  view: View,
  pane: PaneItem,
  { name, target, question }: PaneTexts,
): readonly Cell[] {
  const isUnseen = pane.attention.requests.some(({ seen }) => !seen);
  const state = paneState(view, pane);
  return [
    isUnseen && state.ink === 'dim' ? { ...state, ink: 'bold' } : state,
    { text: ageOf(view, pane.since) },
    { text: sanitise(view, pane.agent ?? '-'), ink: pane.agent === null ? 'dim' : 'bold' },
    { text: sanitise(view, name) },
    ...(target === null ? [] : [{ text: sanitise(view, target) }]),
    ...(question === null ? [] : [{ text: sanitise(view, question) }]),
    { text: sanitise(view, titleText(view, pane)), ink: pane.agent === null ? 'dim' : null },
    { text: sanitise(view, pane.git_branch ?? ''), ink: 'dim' },
    { text: sanitise(view, notesOf(view, pane).join(', ')), ink: 'dim' },
  ];
}

/** How an agent ended, and what is known of its work. */
function notesOf(view: View, pane: PaneItem): readonly string[] {
  const notes = pane.attention.requests.flatMap(({ note }) => (note === undefined ? [] : [note]));
  return [...snoozeNotes(view, pane), ...notes, ...workNotes(pane)];
}

const hasNotes = (view: View, pane: PaneItem): boolean => notesOf(view, pane).length > 0;

/** The subagents of an agent: rows below it, which are in no count. */
function childRows(view: View, pane: PaneItem): readonly (readonly Cell[])[] {
  const branch = view.unicode ? '└' : '+';
  return subagentNames(pane).map((name) => [
    { text: `${branch} subagent`, short: branch, ink: 'dim' },
    { text: '' },
    { text: sanitise(view, name), ink: 'dim' },
  ]);
}

/** The state of a pane with its reason, or `no agent`. */
export function paneState(view: View, pane: PaneItem): Cell {
  const { presence, state } = pane;
  if (presence === 'missing') return { ...stateCell(view, 'unknown', 'pane gone') };
  // One that came while nothing could be stored is not known.
  if (pane.agent === null && pane.reason_code !== 'store_failed') {
    return { text: '  no agent', short: '', ink: 'dim' };
  }
  const hidden = hiddenStateText(view, pane);
  if (hidden !== null) {
    const { mark } = markOf(view, 'unknown');
    return { text: `${mark} ${sanitise(view, hidden)}`, short: mark, ink: 'dim' };
  }
  return stateCell(view, state, reasonText(view, pane));
}

/** The table of windows. */
export function renderWindows(view: View, list: WindowList, options: ListingOptions): string {
  if (list.windows.length === 0) return withFooter(view, 'No windows.', list);
  const columns: Column[] = [
    { title: 'STATE', rank: 0, min: 1 },
    { title: 'WINDOW', rank: 1, min: 12, max: 40, isWhole: true },
    { title: 'NAME', rank: 4, min: 6, max: 40 },
    { title: 'TARGET', rank: 5, min: 4, max: 24 },
    { title: 'PANES', rank: 6, min: 5 },
    { title: 'WAITING', rank: 2, min: 7 },
    { title: 'RUNNING', rank: 3, min: 7 },
    ...countsColumn(options),
  ];
  const placeName = placeNames(list.windows.map(({ identity }) => identity));
  const rows = list.windows.map((window): readonly Cell[] => [
    topState(view, window),
    { text: sanitise(view, `${window.identity.session_name}:${window.identity.window_index}`) },
    { text: sanitise(view, window.window_name) },
    { text: sanitise(view, placeName(window.identity)) },
    { text: String(window.panes) },
    { text: String(window.waiting) },
    { text: String(window.running) },
    ...countsCell(view, window, options),
  ]);
  return withFooter(view, renderGrid(view, columns, rows), list);
}

/** The table of sessions. */
export function renderSessions(view: View, list: SessionList, options: ListingOptions): string {
  if (list.sessions.length === 0) return withFooter(view, 'No sessions.', list);
  const columns: Column[] = [
    { title: 'STATE', rank: 0, min: 1 },
    { title: 'SESSION', rank: 1, min: 12, max: 40, isWhole: true },
    { title: 'TARGET', rank: 4, min: 4, max: 32 },
    { title: 'PANES', rank: 6, min: 5 },
    { title: 'AGENTS', rank: 2, min: 6 },
    ...countsColumn(options),
    { title: 'TITLE', rank: 5, min: 8, max: 80 },
  ];
  const places = list.sessions.flatMap(({ identity: { target, server } }) =>
    target === null ? [] : [{ target, server }],
  );
  const placeName = placeNames(places);
  const rows = list.sessions.map((session): readonly Cell[] => [
    topState(view, session),
    { text: sanitise(view, session.identity.session_name) },
    { text: sanitise(view, placesOf(session, placeName)) },
    { text: String(session.panes) },
    { text: String(session.agents) },
    ...countsCell(view, session, options),
    { text: sanitise(view, session.top_pane?.title ?? session.title) },
  ]);
  return withFooter(view, renderGrid(view, columns, rows), list);
}

/** The target of a session; all of them where sessions of one name were merged. */
function placesOf(
  { identity: { target, server }, by_target }: SessionItem,
  placeName: ReturnType<typeof placeNames>,
): string {
  return target === null ? Object.keys(by_target).join(', ') : placeName({ target, server });
}

const topState = (view: View, item: { agents: number; top_state: string }): Cell =>
  item.agents === 0
    ? { text: '  no agent', short: '', ink: 'dim' }
    : stateCell(view, item.top_state, null);

const countsColumn = ({ counts }: ListingOptions): readonly Column[] =>
  counts ? [{ title: 'BY STATE', rank: 3, min: 6 }] : [];

const countsCell = (view: View, item: CountsItem, { counts }: ListingOptions): readonly Cell[] =>
  counts ? [{ text: shortCounts(view, item) }] : [];

/** `1! 2> 1✓`: the number of agents in each state, the most urgent first; zeros are left out. */
function shortCounts(view: View, { by_state }: CountsItem): string {
  return states
    .filter((state) => (by_state[state] ?? 0) > 0)
    .map((state) => `${by_state[state]}${markOf(view, state).mark}`)
    .join(' ');
}

/** `3 agents in 8 panes, 1 needs you: 1 waiting_approval, 2 running`. */
export function summaryLine(summary: SummaryItem): string {
  const { agents, by_state, needs_action } = summary;
  const agentCount = counted(agents, 'agent');
  const counts = states
    .filter((state) => (by_state[state] ?? 0) > 0)
    .map((state) => `${by_state[state]} ${state}`);
  const needs = needs_action === 0 ? '' : `, ${needsYou(needs_action)}`;
  const inStates = counts.length === 0 ? '' : `: ${counts.join(', ')}`;
  return `${agentCount} in ${paneCount(summary)}${needs}${inStates}`;
}

const paneCount = ({ panes }: SummaryItem): string => counted(panes, 'pane');

/** `1 needs you`, `3 need you`. */
export const needsYou = (count: number): string =>
  count === 1 ? '1 needs you' : `${count} need you`;

/** Below the table: the counts, a store that fails, and each target that did not answer. */
function withFooter(view: View, table: string, list: Envelope): string {
  const { store_error: failure, summary } = list;
  const isUncounted = failure !== null && summary.agents === 0;
  const text = isUncounted ? `agents unknown in ${paneCount(summary)}` : summaryLine(summary);
  const lines = wrapText(text, view.width);
  const gone = list.outages.map((outage) => outageLine(view, outage));
  const isShown = (target: string): boolean =>
    list.outages.some((each) => each.code === 'target_unreachable' && each.target === target);
  const silent = list.target_errors.flatMap(({ target, code, message }) =>
    isShown(target) ? [] : [`${target}: ${code}: ${message}`],
  );
  const errors = [...silent, ...gone].flatMap((line) => wrapText(sanitise(view, line), view.width));
  const store = failure ? wrapText(sanitise(view, storeText(failure)), view.width) : [];
  const partial = list.partial && errors.length === 0 ? ['Some targets did not answer.'] : errors;
  return [
    table,
    '',
    ...lines.map((line) => paint(view, 'dim', line)),
    ...store.map((line) => paint(view, 'red', line)),
    ...partial.map((line) => paint(view, 'red', line)),
    '',
  ].join('\n');
}

const storeText = ({ code, message }: NonNullable<PaneList['store_error']>): string =>
  `Nothing can be stored, so no state is known: ${code}: ${message}`;
