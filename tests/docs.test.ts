import { describe, expect, it } from 'vitest';
import { type ProblemRow, renderErrors } from '../scripts/docs.ts';
import { problems } from '../src/schema/problem.ts';

const row: ProblemRow = {
  code: 'E_A',
  family: 'refusal',
  rpcCode: -32_001,
  httpStatus: 404,
  exitCode: 66,
  sentence: 'Not a|b.',
  hint: 'Look again.',
};

describe('the generated page on errors', () => {
  it('has one row a code, under its family', () => {
    const page = renderErrors([row, { ...row, code: 'E_B', family: 'fault' }]);
    expect(page).toContain('## refusal');
    expect(page).toContain('## fault');
    expect(page).not.toContain('## defect');
    expect(page).toContain('| `E_A` | Not a\\|b. | Look again. | 66 | 404 | -32001 |');
  });

  it('refuses a family that has no section, so that no code is lost', () => {
    expect(() => renderErrors([{ ...row, family: 'new' }])).toThrow('E_A: no section');
  });

  it('names every code of the table', () => {
    const page = renderErrors(problems);
    expect(problems.filter(({ code }) => !page.includes(`| \`${code}\` |`))).toEqual([]);
  });
});
