// The pattern by which a coder's empty input box is recognised. RE2: the same language as the files
// were written for, and no screen, however made, can make it run for long.

import { RE2JS } from 're2js';

export interface PromptPattern {
  readonly matches: (text: string) => boolean;
}

/** Throws where the text is no pattern; the message says why. */
export function promptPattern(regex: string): PromptPattern {
  const compiled = RE2JS.compile(regex);
  return { matches: (text) => compiled.matcher(text).find() };
}
