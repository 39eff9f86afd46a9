import { describe, expect, it } from 'vitest';
import { choiceQuestion } from './choice-question.ts';

const options = [
  { label: 'Yes', selected: true },
  { label: "Yes, and don't ask again for make" },
  { label: 'No' },
];
const request = { detail: { options } } as Parameters<typeof choiceQuestion>[1];

describe('the question before an answer', () => {
  it.each([
    [{ role: 'approve' }, 'Approve it?'],
    [{ role: 'always' }, 'Approve it, and allow it from now on?'],
    [{ role: 'deny' }, 'Deny it?'],
    [{ role: 'deny', text: 'not now' }, 'Deny it, and say "not now"?'],
    [{ role: 'own_answer', text: 'MariaDB' }, 'Answer "MariaDB"?'],
    [{ label: 'yes' }, 'Choose "Yes"?'],
    [{ label: 'Yes, and' }, 'Choose "Yes, and don\'t ask again for make"?'],
    [{ label: 'Maybe' }, 'Choose "Maybe"?'],
    [{ labels: ['Yes', 'N'] }, 'Choose "Yes", "No"?'],
  ] as const)('says what %j will do', (choice, question) => {
    expect(choiceQuestion(choice as Parameters<typeof choiceQuestion>[0], request)).toBe(question);
  });

  it('shows the start of a long text', () => {
    const question = choiceQuestion({ role: 'own_answer', text: 'x'.repeat(500) }, request);
    expect(question).toBe(`Answer "${'x'.repeat(60)}…"?`);
  });
});
