// What `hooks` prints: a line for each agent, one for each of its files, and what the user must
// still do. Pure.

import type { HooksAnswer } from '../schema/api/hooks.ts';
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

/** The hooks of each agent, and what was changed. */
export function renderHooks({ agents, skipped, emitter }: HooksAnswer): string {
  const lines = agents.flatMap((each) => [
    `${each.agent}: ${stateWords[each.state]}${trustWords(each)}`,
    ...each.files.filter(isShown).flatMap(fileLines),
    ...(each.note === null ? [] : [`  ${safeText(each.note)}`]),
  ]);
  const isAnyThere = agents.some(({ state }) => state !== 'absent');
  return [
    ...(agents.length === 0 ? ['No agents found.'] : lines),
    ...skippedLines(skipped),
    ...(isAnyThere && emitter.state !== 'absent'
      ? [`The hooks run ${safeText(emitter.path)}`]
      : []),
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
