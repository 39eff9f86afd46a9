// Gemini CLI's title: an icon, a word and the folder, padded to 80 columns, the same from 0.28 on.
// "Ready" also stands there during the dialogs of the start and the one that asks about a loop, and
// "Working" for half a second after a dialog was drawn, so that it ends only dialogs that the title
// itself showed.

import { type TitleParts, type TitleState, titleNormaliser } from '../shared/title-normaliser.ts';

const states: Readonly<Record<string, TitleState>> = {
  '◇': 'rest',
  '✦': 'running',
  '⏲': 'running',
  '✋': 'waiting',
};
const shape = /^([◇✦⏲✋]) +\S.*?(?:\(([^()]*)\))?$/u;

export function parseGeminiTitle(text: string): TitleParts {
  const found = shape.exec(text);
  const state = found ? states[found[1] ?? ''] : undefined;
  return state === undefined ? { state: 'none' } : { state, title: found?.[2] };
}

export const geminiTitle = titleNormaliser({ parse: parseGeminiTitle, endsDialogs: [] });
