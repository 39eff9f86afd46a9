// The question before an answer is given: what will be chosen, in the words of the dialog. Pure.

import type { ChooseInput, OpenRequestItem } from '../../schema/api/acting.ts';

/** A reason or an answer of one's own may be long; its start shows whether it is the right one. */
const TEXT_SHOWN = 60;

/** `Deny it?`, `Choose "Yes, and don't ask again"?`. */
export function choiceQuestion(
  choice: ChooseInput['choice'],
  { detail }: Pick<OpenRequestItem, 'detail'>,
): string {
  const wholeLabel = (typed: string): string => {
    const wanted = typed.trim().toLowerCase();
    const labels = (detail?.options ?? []).map(({ label }) => label);
    const exact = labels.filter((label) => label.trim().toLowerCase() === wanted);
    const begun = labels.filter((label) => label.trim().toLowerCase().startsWith(wanted));
    const [only = typed, ...others] = exact.length > 0 ? exact : begun;
    return quoted(others.length === 0 ? only : typed);
  };
  if ('label' in choice) return `Choose ${wholeLabel(choice.label)}?`;
  if ('labels' in choice) return `Choose ${choice.labels.map(wholeLabel).join(', ')}?`;
  const own = 'text' in choice ? quoted(choice.text) : '';
  switch (choice.role) {
    case 'approve':
      return 'Approve it?';
    case 'always':
      return 'Approve it, and allow it from now on?';
    case 'deny':
      return own === '' ? 'Deny it?' : `Deny it, and say ${own}?`;
    case 'own_answer':
      return `Answer ${own}?`;
  }
}

const quoted = (text: string): string => {
  const points = [...text];
  return `"${points.length > TEXT_SHOWN ? `${points.slice(0, TEXT_SHOWN).join('')}…` : text}"`;
};
