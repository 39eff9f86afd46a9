// What `mcp install`, `uninstall` and `status` print: a line for each agent. Pure.

import { safeText } from './safe-text.ts';

interface Entry {
  readonly agent: string;
  readonly path: string;
  readonly state: string;
  readonly change: string;
  readonly problem: string | null;
  readonly note: string | null;
}

const stateWords: Readonly<Record<string, string>> = {
  installed: 'installed',
  outdated: 'installed with another command line; agtmux mcp install updates it',
  absent: 'not installed',
  unreadable: 'not changed',
};

export function renderMcpEntries(entries: readonly Entry[], action: string): string {
  if (entries.length === 0) return 'No agents found.\n';
  return entries
    .flatMap(({ agent, path, state, change, problem, note }) => [
      `${agent}: ${wordsOf({ state, change }, action)}`,
      `  ${safeText(path)}`,
      ...[problem, note].flatMap((each) => (each === null ? [] : [`  ${safeText(each)}`])),
    ])
    .map((line) => `${line}\n`)
    .join('');
}

function wordsOf({ state, change }: Pick<Entry, 'state' | 'change'>, action: string): string {
  if (change === 'none') return stateWords[state] ?? state;
  return action === 'uninstall' ? 'removed' : 'added';
}
