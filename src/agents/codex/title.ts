// Codex's title: a spinner while it works, "[ ! ] Action Required | project" that blinks at a
// dialog, the bare project at rest. 0.118 keeps its spinner at dialogs and 0.101 sets no title, so
// a spinner ends a dialog only where a dialog was shown, and a bare title proves a rest only after
// one of the two.

import type { Normaliser } from '../adapter.ts';
import { type TitleParts, titleNormaliser } from '../shared/title-normaliser.ts';

const spinner = /^[\u2800-\u28FF] (.*)$/u;
const dialog = /^\[ [!.] \] Action Required(?: \| (.*))?$/;

export function parseCodexTitle(text: string): TitleParts {
  const asking = dialog.exec(text);
  if (asking) return { state: 'waiting', title: asking[1] };
  const working = spinner.exec(text);
  if (working) return { state: 'running', title: working[1] };
  return { state: 'none' };
}

const readTitle = titleNormaliser({ parse: parseCodexTitle, endsDialogs: ['rest'] });
const readRest = titleNormaliser({
  parse: (text) => {
    const parts = parseCodexTitle(text);
    return parts.state === 'none' ? { state: 'rest', title: text } : parts;
  },
  endsDialogs: ['rest'],
});

/** A bare title may be the host's or another program's: it counts when it is what remains. */
export const codexTitle: Normaliser = (raw, context) => {
  const { previous } = context;
  const before = typeof previous === 'string' ? parseCodexTitle(previous.trim()) : null;
  const isRemainder =
    typeof raw === 'string' &&
    before !== null &&
    before.state !== 'none' &&
    before.title === raw.trim();
  return isRemainder ? readRest(raw, context) : readTitle(raw, context);
};
