// The menu of `agtmux menubar`, in the format of SwiftBar and xbar: one line an item, `--` for each
// level, a bar and then parameters. Titles and names are foreign, so no line of theirs can hold a
// bar, begin a level, or be taken for markup; parameters are made of our own words alone. Pure.

import { DOUBT, statusCounts } from '../../platform/text/status-counts.ts';
import type { PaneItem, PaneList, SessionList, WindowList } from '../../schema/api/panes.ts';
import { counted } from '../../text/counted.ts';
import { needsPerson } from '../../text/need.ts';
import { shownCounts } from '../../text/shown-counts.ts';
import { needsYou, summaryLine } from '../listings.ts';
import { outageLine } from '../outages.ts';
import { questionText, reasonText, titleText } from '../pane-notes.ts';
import { safeText } from '../safe-text.ts';
import { locationText } from '../typed-names.ts';
import { ageOf, markOf, type View } from '../view.ts';
import { cutToWidth } from '../width.ts';

export interface MenuBarData {
  readonly sessions: SessionList;
  readonly windows: WindowList;
  readonly panes: PaneList;
}

interface MenuAction {
  /** The words after those of the program. */
  readonly args: readonly string[];
  /** In a window of the terminal; else unseen, and the menu is read again. */
  readonly isInTerminal: boolean;
}

interface MenuItem {
  readonly text: string;
  readonly action?: MenuAction;
  readonly items?: readonly MenuItem[];
}

const TEXT_CELLS = 72;
/** More than a screen holds; a menu of a thousand lines takes SwiftBar seconds. */
const PANES_MAX = 100;
const NEEDS_MAX = 20;
const SEPARATOR = '---';
/** What both programs know. Markup in colons and escapes of terminals is nothing of ours. */
const PLAIN = 'emojize=false ansi=false';

/** The whole output: what the menu bar shows, then the menu. `program` are the words of agtmux. */
export function renderMenuBar(view: View, data: MenuBarData, program: readonly string[]): string {
  const { summary, store_error: failure, outages } = data.panes;
  const counts = statusCounts(shownCounts(summary.by_state, summary.needs), {
    markOf: ([wide, narrow]) => (view.unicode ? wide : narrow),
    withColors: false,
  });
  const troubles = [
    ...(failure === null ? [] : [`Nothing can be stored: ${failure.message}`]),
    ...outages.map((outage) => outageLine(view, outage)),
  ];
  const agents = data.panes.panes.filter(({ agent }) => agent !== null);
  const needing = uniquePanes(agents.filter(needsPerson));
  return menuText(view, program, failure === null ? counts || 'agtmux' : DOUBT, [
    [globalItem(data.panes)],
    troubles.map((text) => ({ text: `! ${text}` })),
    needingItems(view, needing),
    sessionItems(view, data, agents),
    [liveViewItem],
  ]);
}

/** The menu while no daemon answers. */
export function renderNoDaemon(view: View, program: readonly string[]): string {
  const start: MenuItem = {
    text: 'Start the daemon',
    action: { args: ['daemon', 'start'], isInTerminal: false },
  };
  return menuText(view, program, DOUBT, [[{ text: 'No daemon runs.' }, start], [liveViewItem]]);
}

const liveViewItem: MenuItem = {
  text: 'Open the live view',
  action: { args: ['tui'], isInTerminal: true },
};

function globalItem({ summary, panes }: PaneList): MenuItem {
  const targets = Object.entries(summary.by_target).map(([name, counts]) => ({
    text: `${counted(counts.agents, 'agent')} on ${name}${needsText(counts.needs_action)}`,
  }));
  const agents = Object.entries(summary.by_agent).map(([name, count]) => ({
    text: `${count} ${name}`,
  }));
  const others = panes.filter(({ agent }) => agent === null).length;
  const rest = others === 0 ? [] : [{ text: `${counted(others, 'pane')} without an agent` }];
  return { text: summaryLine(summary), items: [...targets, ...agents, ...rest] };
}

const needsText = (count: number): string => (count === 0 ? '' : `, ${needsYou(count)}`);

function needingItems(view: View, panes: readonly PaneItem[]): readonly MenuItem[] {
  if (panes.length === 0) return [];
  const left = panes.length - NEEDS_MAX;
  return [
    ...panes.slice(0, NEEDS_MAX).map((pane) => paneMenuItem(view, pane)),
    ...(left > 0 ? [{ text: `${left} more` }] : []),
    { text: 'Answer them all', action: { args: ['answer'], isInTerminal: true } },
  ];
}

/** Each session with an agent, in it its windows, in them the agents with what can be done. */
function sessionItems(
  view: View,
  { sessions, windows }: MenuBarData,
  agents: readonly PaneItem[],
): readonly MenuItem[] {
  const shown = agents.slice(0, PANES_MAX);
  const left = agents.length - shown.length;
  const placeOf = ({ target, server, session_name: session }: SessionPlace): string =>
    JSON.stringify([target, server, session]);
  const items = sessions.sessions.flatMap((session): readonly MenuItem[] => {
    const place = placeOf(session.identity);
    const own = windows.windows.filter(({ identity }) => placeOf(identity) === place);
    const inside = own.flatMap((window): readonly MenuItem[] => {
      const { window_index: index } = window.identity;
      const panes = shown.filter(
        ({ identity }) => identity?.window_index === index && placeOf(identity) === place,
      );
      if (panes.length === 0) return [];
      const { mark } = markOf(view, window.top_state);
      const text = `${mark} ${index}: ${window.window_name} (${counted(panes.length, 'agent')})`;
      return [{ text, items: panes.map((pane) => paneMenuItem(view, pane)) }];
    });
    if (inside.length === 0) return [];
    const { target, session_name: name } = session.identity;
    const on = target === null || target === 'local' ? '' : ` on ${target}`;
    const { mark } = markOf(view, session.top_state);
    const counts = `${counted(session.agents, 'agent')}${needsText(session.needs_action)}`;
    return [{ text: `${mark} ${name}${on}: ${counts}`, items: inside }];
  });
  const paneless = shown.filter(({ identity }) => identity === null);
  return [
    ...items,
    ...paneless.map((pane) => paneMenuItem(view, pane)),
    ...(left > 0 ? [{ text: `${left} more` }] : []),
  ];
}

interface SessionPlace {
  readonly target: string | null;
  readonly server: string | null;
  readonly session_name: string;
}

function paneMenuItem(view: View, pane: PaneItem): MenuItem {
  const { mark } = markOf(view, pane.state);
  const place = pane.identity === null ? pane.target : locationText(pane.identity);
  const title = questionText(pane) || titleText(view, pane);
  const age = ageOf(view, pane.since);
  const reason = reasonText(view, pane);
  const state = `${pane.state}${reason === null ? '' : ` (${reason})`}`;
  return {
    text: `${mark} ${pane.agent ?? '-'} ${age} ${place} ${title}`,
    items: [
      { text: `${state} for ${age}, read ${ageOf(view, pane.last_seen_at)} ago` },
      ...paneActions(pane),
    ],
  };
}

/** The four of each pane. They name the runtime, so that none reaches another agent. */
function paneActions({ runtime_id: runtimeId, identity }: PaneItem): readonly MenuItem[] {
  if (runtimeId === null || identity === null || !/^[\w.-]{1,128}$/.test(runtimeId)) return [];
  const ref = `runtime:${runtimeId}`;
  const action = (text: string, ...args: readonly string[]): MenuItem => ({
    text,
    action: { args, isInTerminal: true },
  });
  return [
    action('Go to it', 'attach', ref),
    action('Send it a prompt (end with Ctrl-D)', 'send', ref, '--stdin'),
    action('Show its output', 'view-output', ref, '--lines', '200'),
    action('End it (asks first)', 'kill', ref),
  ];
}

/** A pane that several sessions show is one. */
const uniquePanes = (panes: readonly PaneItem[]): readonly PaneItem[] => [
  ...new Map(panes.map((pane) => [pane.pane_key, pane])).values(),
];

function menuText(
  view: View,
  program: readonly string[],
  head: string,
  blocks: readonly (readonly MenuItem[])[],
): string {
  const lines = [itemLine(view, program, 0, { text: head })];
  for (const items of blocks) {
    if (items.length === 0) continue;
    lines.push(SEPARATOR, ...items.flatMap((item) => itemLines(view, program, 0, item)));
  }
  return `${lines.join('\n')}\n`;
}

function itemLines(
  view: View,
  program: readonly string[],
  level: number,
  item: MenuItem,
): readonly string[] {
  const inside = item.items ?? [];
  return [
    itemLine(view, program, level, item),
    ...inside.flatMap((each) => itemLines(view, program, level + 1, each)),
  ];
}

function itemLine(
  view: View,
  program: readonly string[],
  level: number,
  { text, action }: MenuItem,
): string {
  const parameters = action ? actionParameters(program, action) : '';
  return `${'--'.repeat(level)}${plainText(view, text)} | ${PLAIN}${parameters}`;
}

/**
 * Text that neither program reads anything into: no bar, no backslash, no level at its begin, no
 * `:name:` of a symbol.
 */
function plainText(view: View, text: string): string {
  const oneLine = safeText(text, view.unicode)
    .replaceAll('|', view.unicode ? '¦' : '!')
    .replaceAll('\\', '/')
    .replace(/:(?=[^\s:]*:)/g, view.unicode ? '∶' : '.')
    .replace(/^[\s-]+/, '');
  return cutToWidth(oneLine, TEXT_CELLS, view.unicode ? '…' : '...') || '?';
}

/** Empty where a word cannot be written so that both programs read it back. */
function actionParameters(program: readonly string[], { args, isInTerminal }: MenuAction): string {
  const words = [...program, ...args].map(parameterValue);
  if (words.length === 0 || words.includes(null)) return '';
  const [command, ...rest] = words;
  const numbered = rest.map((word, index) => ` param${index + 1}=${word}`).join('');
  return ` bash=${command}${numbered} terminal=${isInTerminal} refresh=${!isInTerminal}`;
}

function parameterValue(word: string): string | null {
  if (/[|\\\p{Cc}]/u.test(word)) return null;
  if (!word.includes('"')) return `"${word}"`;
  return word.includes("'") ? null : `'${word}'`;
}
