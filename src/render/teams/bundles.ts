// What `agtmux bundle list`, `status`, `up` and `down` print. Pure.

import type {
  BundleItem,
  BundleList,
  BundleReport,
  StartupFailure,
} from '../../schema/relay/bundle-api.ts';
import { counted } from '../../text/counted.ts';
import { type Cell, type Column, renderGrid } from '../grid.ts';
import { ageOf, type Ink, markOf, paint, sanitise, type View } from '../view.ts';

const bundleColumns: readonly Column[] = [
  { title: 'BUNDLE', rank: 0, min: 6 },
  { title: 'STATE', rank: 0, min: 4 },
  { title: 'READY', rank: 1, min: 5 },
  { title: 'WHERE', rank: 3, min: 5 },
  { title: 'GROUPS', rank: 4, min: 6 },
  { title: 'NOTE', rank: 2, min: 10 },
];

const NONE = 'No bundle is declared. agtmux bundle init writes files to start from.\n';

/** One line for each bundle, then what is wrong in the files. */
export function renderBundles(view: View, { bundles, problems }: BundleList): string {
  const rows = bundles.map((bundle) => [
    { text: sanitise(view, bundle.id), ink: 'bold' as const },
    stateCell(bundle),
    { text: `${bundle.ready_session_count}/${bundle.sessions.length}` },
    { text: sanitise(view, bundle.target) },
    { text: sanitise(view, bundle.groups.join(', ') || '-') },
    { text: sanitise(view, noteOf(bundle)), ink: 'dim' as const },
  ]);
  const table = rows.length === 0 ? NONE : `${renderGrid(view, [...bundleColumns], rows)}\n`;
  return `${table}${renderProblems(view, problems)}`;
}

function stateCell({ state, startup_health }: BundleItem): Cell {
  if (state === 'down') return { text: 'down', ink: 'dim' };
  return startup_health === 'healthy'
    ? { text: 'up', ink: 'green' }
    : { text: 'up, degraded', short: 'degraded', ink: 'yellow' };
}

function noteOf({
  state_reason,
  state_reason_code,
  startup_failure_count: count,
}: BundleItem): string {
  const failures =
    count === 0 || state_reason_code === 'not_started'
      ? []
      : [`${counted(count, 'failed start')} remembered`];
  return [...(state_reason === null ? [] : [state_reason]), ...failures].join('; ');
}

const renderProblems = (view: View, problems: BundleList['problems']): string =>
  problems
    .map(({ file, line, key, message }) => {
      const place = [file, line, key].filter((each) => each !== '').join(':');
      return `${paint(view, 'yellow', sanitise(view, `${place}: ${message}`))}\n`;
    })
    .join('');

const memberColumns: readonly Column[] = [
  { title: 'MEMBER', rank: 0, min: 6 },
  { title: 'STATE', rank: 0, min: 4 },
  { title: 'AGENT', rank: 3, min: 5 },
  { title: 'DIRECTORY', rank: 2, min: 9 },
];

/** Each bundle with its members and its last failures. */
export function renderBundleStatus(view: View, list: BundleList): string {
  if (list.bundles.length === 0) return `${NONE}${renderProblems(view, list.problems)}`;
  const blocks = list.bundles.map((bundle) => {
    const { id, target, server } = bundle;
    const where = `${target === 'local' ? '' : `${target} `}${server ?? 'not reached'}`;
    const head = `${id}: ${stateCell(bundle).text}  ${where}`;
    const note = bundle.state_reason;
    return [
      paint(view, 'bold', sanitise(view, head)),
      ...(note === null ? [] : [sanitise(view, note)]),
      renderGrid(view, [...memberColumns], memberRows(view, bundle)),
      ...shownFailures(bundle).map((each) => failureText(view, each, 'ago')),
    ].join('\n');
  });
  return `${blocks.join('\n\n')}\n${renderProblems(view, list.problems)}`;
}

const memberRows = (view: View, { sessions }: BundleItem): readonly (readonly Cell[])[] =>
  sessions.map((member) => [
    { text: sanitise(view, member.name ? `${member.id} (${member.name})` : member.id) },
    memberState(view, member),
    { text: sanitise(view, member.agent ?? member.coder) },
    { text: sanitise(view, member.directory) },
  ]);

function memberState(
  view: View,
  { presence, state, reason_code, restarts }: BundleItem['sessions'][number],
): Cell {
  const again = restarts === 0 ? '' : `, restarted ${restarts}x`;
  if (presence === 'absent') return { text: 'absent', ink: 'dim' };
  if (presence === 'dead') return { text: `ended${again}`, ink: 'red' };
  if (state === null) return { text: `runs${again}`, ink: 'green' };
  const { mark, ink } = markOf(view, state);
  const why = `${reason_code === null ? '' : ` (${reason_code})`}${again}`;
  return { text: `${mark} ${state}${why}`, short: `${mark} ${state}`, ink };
}

/** The newest of those that are the same; none of a bundle that somebody has brought down. */
function shownFailures(bundle: BundleItem): readonly StartupFailure[] {
  if (bundle.state_reason_code === 'not_started') return [];
  const keyOf = ({ session_id, code, reason, details }: StartupFailure): string =>
    JSON.stringify([session_id, code, reason, details['cause'] ?? null]);
  const newest = new Map<string, StartupFailure>();
  for (const each of bundle.recent_startup_failures) {
    const known = newest.get(keyOf(each));
    if (!known || known.timestamp < each.timestamp) newest.set(keyOf(each), each);
  }
  return [...newest.values()];
}

/** A failure with the output that it left. */
function failureText(view: View, failure: StartupFailure, tense: 'ago' | 'now'): string {
  const { session_id, code, reason, details, timestamp } = failure;
  const when = tense === 'ago' ? `${ageOf(view, timestamp)} ago  ` : '';
  const head = sanitise(view, `${when}${session_id}: ${code}: ${reason}`);
  const cause = String(details['cause'] ?? '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  return [
    paint(view, tense === 'ago' ? 'dim' : 'red', head),
    ...cause.map((line) => `  ${sanitise(view, line)}`),
  ].join('\n');
}

/** Whether a bundle that was to come up has a member that did not start. */
export const isPartial = ({ outcome, failed_startups: failed }: BundleReport): boolean =>
  outcome === 'hosted' && failed.length > 0;

function headOf(report: BundleReport): { readonly ink: Ink; readonly word: string } {
  if (isPartial(report)) return { ink: 'yellow', word: 'up in part' };
  switch (report.outcome) {
    case 'hosted':
      return { ink: 'green', word: 'up' };
    case 'unhosted':
      return { ink: 'green', word: 'down' };
    case 'skipped':
      return { ink: 'dim', word: 'unchanged' };
    case 'failed':
      return { ink: 'red', word: 'failed' };
  }
}

/** What came of one bundle. */
export function renderBundleReport(view: View, report: BundleReport, members: number): string {
  const { bundle_name, outcome, reason, created_sessions, pruned_sessions } = report;
  const isDown = outcome === 'unhosted' || report.reason_code === 'already_unhosted';
  const parts = [
    ...(isDown ? [] : [`${report.ready_session_count} of ${members} ready`]),
    ...(pruned_sessions.length === 0 ? [] : [`ended ${pruned_sessions.join(', ')}`]),
    ...(created_sessions.length === 0 ? [] : [`created ${created_sessions.join(', ')}`]),
    // After a restart there is another one.
    ...(report.killed_tmux_server && isDown ? ['its tmux server has ended'] : []),
    ...(reason === null ? [] : [reason]),
  ];
  const { ink, word } = headOf(report);
  const words = sanitise(view, `${bundle_name}: ${parts.join('; ')}`);
  const head = `${paint(view, ink, word)}  ${words}`;
  const failures = report.failed_startups.map((each) => failureText(view, each, 'now'));
  return `${[head, ...failures].join('\n')}\n`;
}
