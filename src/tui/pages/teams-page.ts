// The page of teams: the declared bundles with their members, what these do, and what went wrong at
// their start and in their files. Pure.

import { ageOf, cutMark, markOf, sanitise, type View } from '../../render/view.ts';
import { textWidth, wrapText } from '../../render/width.ts';
import type { BundleItem, BundleList, TeamMemberItem } from '../../schema/relay/bundle-api.ts';
import type { Model } from '../model.ts';
import { chosenTeamRow } from '../rows/team-rows.ts';
import { modelView } from '../view/layout.ts';
import {
  BOLD,
  chosenLine,
  DIM,
  fitLine,
  inkStyle,
  OWN,
  type SpanLine,
  type SpanStyle,
  span,
} from '../view/spans.ts';

const BAD: SpanStyle = { foreground: OWN.red };
const WARNING: SpanStyle = { foreground: OWN.yellow };
const MEMBER_MAX = 24;
/** `! waiting_approval`. */
const STATE = 18;

/** Every line of the page, and which of them is chosen. */
export function teamLines(model: Model): { lines: readonly SpanLine[]; chosen: number } {
  const { teams, size } = model;
  const view = modelView(model, size.columns);
  const { list = null, problem = null } = teams ?? {};
  const heading: SpanLine = [span('teams', BOLD), span(`  ${countText(list)}`, DIM)];
  if (teams === null || list === null) {
    return {
      lines: [heading, [], ...note(view, problem ?? 'Asking the daemon.', DIM, 1)],
      chosen: 0,
    };
  }
  const problems = problemLines(view, problem, list);
  if (list.bundles.length === 0) {
    const words = 'No team is declared. agtmux bundle init writes files to start from.';
    return { lines: [heading, [], ...note(view, words, DIM, 1), ...problems], chosen: 0 };
  }
  const chosenKey = chosenTeamRow(teams)?.key ?? null;
  const blank: TeamLine = { key: null, line: [] };
  const all = list.bundles.flatMap((bundle) => [blank, ...blockOf(view, bundle)]);
  const at = all.findIndex(({ key }) => key !== null && key === chosenKey);
  const lines = all.map(({ line }, index) => (index === at ? chosenLine(view, line) : line));
  return { lines: [heading, ...problems, ...lines], chosen: 1 + problems.length + Math.max(0, at) };
}

/** A reading that failed, and what is wrong in the files. */
function problemLines(
  view: View,
  problem: string | null,
  { problems }: BundleList,
): readonly SpanLine[] {
  const inFiles = problems.map(
    ({ file, line, key, message }) => `${file}:${line}${key === '' ? '' : ` ${key}`}: ${message}`,
  );
  const all = [...(problem === null ? [] : [problem]), ...inFiles];
  return all.flatMap((words) => note(view, words, WARNING, 1));
}

function countText(list: BundleList | null): string {
  const { bundles = [] } = list ?? {};
  if (bundles.length === 0) return '';
  const up = bundles.filter(({ state }) => state === 'up').length;
  return `${up} of ${bundles.length} up`;
}

interface TeamLine {
  /** Null: it cannot be chosen. */
  readonly key: string | null;
  readonly line: SpanLine;
}

function blockOf(view: View, bundle: BundleItem): readonly TeamLine[] {
  const { id, state, state_reason: reason, sessions, recent_startup_failures: failures } = bundle;
  const plain = (line: SpanLine): TeamLine => ({ key: null, line });
  const widest = Math.max(
    0,
    ...sessions.map((each) => textWidth(sanitise(view, memberName(each)))),
  );
  const memberWidth = Math.min(MEMBER_MAX, view.width >> 2, widest);
  return [
    { key: id, line: bundleLine(view, bundle) },
    ...note(view, reason ?? '', state === 'down' ? DIM : WARNING, 4).map(plain),
    ...sessions.map((each) => ({
      key: `${id}/${each.id}`,
      line: memberLine(view, each, memberWidth),
    })),
    ...failures
      .flatMap(({ session_id: who, reason: why, timestamp, details }) => [
        ...note(view, `${who}, ${ageOf(view, timestamp)} ago: ${why}`, BAD, 4),
        ...causeLines(view, details['cause']),
      ])
      .map(plain),
  ];
}

/** The last of what a program printed before it ended. */
function causeLines(view: View, cause: string | number | null | undefined): readonly SpanLine[] {
  const lines = String(cause ?? '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  return lines.slice(-CAUSE_LINES_MAX).flatMap((line) => note(view, line, DIM, 6).slice(0, 1));
}

const CAUSE_LINES_MAX = 4;

function note(view: View, words: string, style: SpanStyle, indent: number): readonly SpanLine[] {
  if (words === '') return [];
  const width = Math.max(1, view.width - indent - 1);
  return wrapText(sanitise(view, words), width).map((line) => [
    span(`${' '.repeat(indent)}${line}`, style),
  ]);
}

function bundleLine(view: View, bundle: BundleItem): SpanLine {
  const { id, state, startup_health: health, sessions, target, groups, restart } = bundle;
  const isHealthy = health === 'healthy';
  const words = state === 'down' ? 'down' : isHealthy ? 'up' : 'up, degraded';
  const style = state === 'down' ? DIM : isHealthy ? { foreground: OWN.green } : WARNING;
  const facts = [
    `${bundle.ready_session_count} of ${sessions.length} ready`,
    target === 'local' ? '' : `on ${target}`,
    groups.length === 0 ? '' : `in ${groups.join(', ')}`,
    restart === 'never' ? '' : `restarts ${restart}`,
  ].filter((each) => each !== '');
  const line = [
    span(`  ${sanitise(view, id)}  `, BOLD),
    span(words, style),
    span(`  ${sanitise(view, facts.join('  '))}`, DIM),
  ];
  return fitLine(line, view.width, cutMark(view));
}

const memberName = ({ id, name }: TeamMemberItem): string => name ?? id;

function memberLine(view: View, member: TeamMemberItem, nameWidth: number): SpanLine {
  const { agent, coder, restarts, directory } = member;
  const mark = cutMark(view);
  const { text, style } = memberState(view, member);
  const again = restarts === 0 ? '' : `  started again ${restarts} times`;
  const line = [
    span('    '),
    ...fitLine([span(sanitise(view, memberName(member)))], nameWidth, mark),
    span('  '),
    ...fitLine([span(text, style)], Math.min(STATE, view.width >> 1), mark),
    span(`  ${sanitise(view, agent ?? coder)}`),
    span(sanitise(view, `${again}  ${directory}`), DIM),
  ];
  return fitLine(line, view.width, mark);
}

function memberState(
  view: View,
  { presence, state }: TeamMemberItem,
): { readonly text: string; readonly style: SpanStyle } {
  const plain = view.unicode ? '·' : '-';
  if (presence === 'absent') return { text: `${plain} not up`, style: DIM };
  if (presence === 'dead') return { text: `${view.unicode ? '✗' : 'x'} has ended`, style: BAD };
  if (state === null) return { text: `${plain} runs`, style: {} };
  const { mark, ink } = markOf(view, state);
  return { text: `${mark} ${state}`, style: inkStyle(ink) };
}
