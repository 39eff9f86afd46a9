// Claude Code's title. In tmux it is static ("✳ Claude Code") since about 2.1.250; older versions,
// and all of them outside tmux, animate it while they work. The star stands for rest and for
// dialogs alike, so it claims nothing; a star after an animation takes the running back.

import { type TitleParts, titleNormaliser } from '../shared/title-normaliser.ts';

const animated = /^[\u2800-\u28FF◐◑◒◓] ?(.*)$/u;
const star = /^[✳✻✶✢] ?(.*)$/u;

export function parseClaudeTitle(text: string): TitleParts {
  const working = animated.exec(text);
  if (working) return { state: 'running', title: named(working[1]) };
  return { state: 'none', title: named(star.exec(text)?.[1]) };
}

/** The program's own name is not a session title. */
const named = (title: string | undefined): string | undefined =>
  title === 'Claude Code' ? undefined : title;

export const claudeTitle = titleNormaliser({
  parse: parseClaudeTitle,
  endsDialogs: ['running'],
});
