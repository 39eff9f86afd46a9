// What `hooks` prints: a line for each agent, one for each of its files, and what the user must
// still do. Pure.

import type { HooksAnswer, HooksInput } from '../schema/api/hooks.ts';
import { safeText } from './safe-text.ts';

type AgentAnswer = HooksAnswer['agents'][number];
type FileAnswer = AgentAnswer['files'][number];

const stateWords: Readonly<Record<AgentAnswer['state'], string>> = {
  installed: 'installed',
  partial: 'partly installed',
  outdated: 'installed by another version; agtmux hooks install updates them',
  absent: 'not installed',
  unreadable: 'not changed',
};
const changeWords: Readonly<Record<FileAnswer['change'], string>> = {
  none: '',
  created: ' (created)',
  changed: ' (changed)',
  removed: ' (removed)',
};

type HooksAction = HooksInput['action'];

/** What was done for an agent, or how it is where nothing was to be done. */
function actionWords({ state, files }: AgentAnswer, action: HooksAction): string {
  const isChanged = files.some(({ change }) => change !== 'none');
  if (isChanged && action === 'uninstall' && state === 'absent') return 'hooks removed';
  if (isChanged && action === 'install' && state === 'installed') return 'hooks installed';
  if (action === 'install' && state === 'installed') return 'hooks already installed';
  if (action === 'uninstall' && state === 'absent') return 'no hooks to remove';
  return stateWords[state];
}

/** The hooks of each agent, what was changed, and what is left to the user. */
export function renderHooks(answer: HooksAnswer, action: HooksAction): string {
  const { agents, skipped, emitter } = answer;
  const lines = agents.flatMap((each) => [
    `${each.agent}: ${actionWords(each, action)}${trustWords(each)}`,
    ...each.files.filter(isShown).flatMap(fileLines),
    ...(each.note === null ? [] : [`  ${safeText(each.note)}`]),
  ]);
  const isAnyThere = agents.some(({ state }) => state !== 'absent');
  const isChanged = agents.some(({ files }) => files.some(({ change }) => change !== 'none'));
  const warning = action === 'diff' ? sharedPathWarning(answer) : null;
  return [
    ...(agents.length === 0 ? ['No agents found.'] : lines),
    ...skippedLines(skipped),
    ...(isAnyThere && emitter.state !== 'absent'
      ? [`The hooks run ${safeText(emitter.path)}`]
      : []),
    ...(isChanged ? [restartLine(action)] : []),
    ...(warning === null ? [] : [warning]),
    '',
  ].join('\n');
}

const restartLine = (action: HooksAction): string =>
  action === 'install'
    ? 'Agents that are already running may need a restart before they use their hooks.'
    : 'Agents that are already running may use their hooks until they are restarted.';

/** What a change puts into files that a project shares, before it does; null where nothing. */
export function sharedPathWarning({ agents, emitter }: HooksAnswer): string | null {
  const files = agents
    .flatMap((each) => each.files)
    .filter(({ shared, diff }) => shared && diff !== null);
  if (files.length === 0) return null;
  const paths = files.map(({ path }) => `  ${safeText(path)}`);
  return [
    `These files of the project may be committed, and would hold ${safeText(emitter.path)},`,
    'a path of your home folder. It works on no other machine and shows your user name:',
    ...paths,
  ].join('\n');
}

function skippedLines(skipped: HooksAnswer['skipped']): readonly string[] {
  const reasons = [...new Set(skipped.map(({ why }) => why))];
  return reasons.map((reason) => {
    const names = skipped.filter(({ why }) => why === reason).map(({ agent }) => agent);
    return `Skipped, ${safeText(reason)}: ${safeText(names.join(', '))}`;
  });
}

const trustWords = ({ trust }: AgentAnswer): string =>
  trust === null ? '' : trust === 'trusted' ? ', trusted' : ', not yet trusted';

/** Files without hooks, changes or problems are not printed. */
const isShown = ({ change, problem, state, diff }: FileAnswer): boolean =>
  change !== 'none' || problem !== null || diff !== null || state !== 'absent';

function fileLines({ path, change, problem, backup, diff }: FileAnswer): readonly string[] {
  const kept = backup === null ? '' : `; backup: ${safeText(backup)}`;
  const why = problem === null ? '' : `: ${safeText(problem)}`;
  return [
    `  ${safeText(path)}${changeWords[change]}${why}${kept}`,
    ...(diff === null
      ? []
      : diff
          .trimEnd()
          .split('\n')
          .map((line) => `    ${safeText(line)}`)),
  ];
}
