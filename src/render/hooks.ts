// Hooks of agents as text: a line for each agent, one for each of its files, and what is left to
// do.

import type { HooksAnswer } from '../schema/api/hooks.ts';
import { safeText } from './safe-text.ts';

type AgentAnswer = HooksAnswer['agents'][number];
type FileAnswer = AgentAnswer['files'][number];

const stateWords: Readonly<Record<AgentAnswer['state'], string>> = {
  installed: 'installed',
  partial: 'installed in part',
  outdated: 'of another version; agtmux hooks install brings them up to date',
  absent: 'not installed',
  unreadable: 'left as they are',
};
const changeWords: Readonly<Record<FileAnswer['change'], string>> = {
  none: '',
  created: ' (created)',
  changed: ' (changed)',
  removed: ' (removed)',
};

/** What became of hooks, or how they are. */
export function renderHooks({ agents, skipped, emitter }: HooksAnswer): string {
  const lines = agents.flatMap((each) => [
    `${each.agent}: ${stateWords[each.state]}${trustWords(each)}`,
    ...each.files.filter(isShown).flatMap(fileLines),
    ...(each.note === null ? [] : [`  ${safeText(each.note)}`]),
  ]);
  const isAnyThere = agents.some(({ state }) => state !== 'absent');
  return [
    ...(agents.length === 0 ? ['No agent was found.'] : lines),
    ...skippedLines(skipped),
    ...(isAnyThere && emitter.state !== 'absent' ? [`They run ${safeText(emitter.path)}`] : []),
    '',
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

/** Of many files of one agent only those that have something to tell. */
const isShown = ({ change, problem, state, diff }: FileAnswer): boolean =>
  change !== 'none' || problem !== null || diff !== null || state !== 'absent';

function fileLines({ path, change, problem, backup, diff }: FileAnswer): readonly string[] {
  const kept = backup === null ? '' : `; a copy is ${safeText(backup)}`;
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
