// Qwen Code's title: "Qwen - folder" at rest, a half circle before it while it works, a star while
// it waits for a person.

import { type TitleParts, titleNormaliser } from '../shared/title-normaliser.ts';

const shape = /^(?:([◐◑◒◓✳]) ?)?Qwen - (.*)$/u;

export function parseQwenTitle(text: string): TitleParts {
  const found = shape.exec(text);
  if (!found) return { state: 'none' };
  const [, icon, title] = found;
  if (icon === undefined) return { state: 'rest', title };
  return { state: icon === '✳' ? 'waiting' : 'running', title };
}

export const qwenTitle = titleNormaliser({
  parse: parseQwenTitle,
  endsDialogs: ['running', 'rest'],
});
