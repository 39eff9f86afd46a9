// The text of the HUD: the counts and the time, then one line for each agent, those who need a
// person first, cut to the size of its pane. Pure.

import { DOUBT, statusCounts } from '../../platform/text/status-counts.ts';
import type { PaneItem, SummaryItem } from '../../schema/api/panes.ts';
import { shownCounts } from '../../text/shown-counts.ts';
import { clockText, questionText } from '../pane-notes.ts';
import { locationText } from '../typed-names.ts';
import { ageOf, cutMark, markOf, paint, sanitise, type View } from '../view.ts';
import { cutToWidth, padToWidth, textWidth } from '../width.ts';

export interface HudContent {
  readonly summary: SummaryItem;
  /** In the order in which they are shown. */
  readonly panes: readonly PaneItem[];
  /** Nothing can be stored, so no state is known. */
  readonly isDoubtful: boolean;
}

export interface HudSize {
  readonly columns: number;
  readonly rows: number;
}

/** At most as many lines as there are rows, none wider than the columns. */
export function hudLines(
  view: Omit<View, 'width'>,
  content: HudContent,
  { columns, rows }: HudSize,
): readonly string[] {
  const sized = { ...view, width: columns };
  const agents = content.panes.filter(({ agent }) => agent !== null);
  const room = Math.max(0, rows - 1);
  const shown = agents.length > room ? agents.slice(0, Math.max(0, room - 1)) : agents;
  const left = agents.length - shown.length;
  const lines = [
    headLine(sized, content),
    ...shown.map((pane) => agentLine(sized, pane)),
    ...(left > 0 ? [paint(sized, 'dim', cut(sized, `${left} more`))] : []),
    ...(agents.length === 0 ? [paint(sized, 'dim', cut(sized, 'no agents'))] : []),
  ];
  return lines.slice(0, Math.max(1, rows));
}

/** What the terminal of the pane is sent to show the lines and nothing else. */
export function hudFrame(lines: readonly string[]): string {
  // Cleared first: behind a line as wide as the pane, that would take its last letter.
  return `\x1b[?25l\x1b[?7l\x1b[H\x1b[J${lines.join('\r\n')}`;
}

const cut = (view: View, text: string): string => cutToWidth(text, view.width, cutMark(view));

/** The time shows that it is not an old picture. */
function headLine(view: View, { summary, isDoubtful }: HudContent): string {
  const counts = statusCounts(shownCounts(summary.by_state, summary.needs), {
    markOf: ([wide, narrow]) => (view.unicode ? wide : narrow),
    withColors: false,
  });
  const head = isDoubtful ? DOUBT : `agtmux ${counts}`.trimEnd();
  const clock = clockText(view, view.nowMs);
  const gap = view.width - textWidth(clock);
  const line = gap > textWidth(head) ? padToWidth(head, gap) + clock : cut(view, head);
  return paint(view, summary.needs_action > 0 || isDoubtful ? 'bold' : 'dim', line);
}

function agentLine(view: View, pane: PaneItem): string {
  const { mark, ink } = markOf(view, pane.state);
  const place = pane.alias ?? (pane.identity === null ? pane.target : locationText(pane.identity));
  const title = questionText(pane) || pane.title;
  const words = [pane.agent ?? '-', ageOf(view, pane.since), place, title];
  const text = cutToWidth(sanitise(view, words.join(' ')), view.width - 2, cutMark(view));
  return cut(view, mark) === mark ? `${paint(view, ink, mark)} ${text}` : '';
}
