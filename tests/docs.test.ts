import { describe, expect, it } from 'vitest';
import { agentPages } from '../scripts/agent-docs.ts';
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

describe('the generated pages on agents', () => {
  const pages = agentPages();
  const page = (name: string): string => pages[`docs/agents/${name}.md`]?.() ?? '';

  it('have what is read, what hooks add, limits and scores of each agent', () => {
    expect(Object.keys(pages)).toHaveLength(13);
    const claude = page('claude');
    expect(claude).toContain('- its program: `claude`');
    expect(claude).toMatch(/^- `claude-session-file`: `sessions\/<pid>\.json` in /m);
    expect(claude).toMatch(/^\| user \| `~\/\.claude\/settings\.json` \| `SessionStart`, /m);
    expect(claude).toMatch(/^Recordings: \d+, of `2\.\d+\.\d+`, /m);
    expect(claude).toMatch(/^\| screen only \| \d+ \| 0\.\d{4} \|$/m);
    expect(claude).toMatch(/^\| 2\.[\d.]+ \| without hooks \| [\d.]+ % \| 0 \| /m);
  });

  it('say plainly what there is not', () => {
    expect(page('amp')).toContain('agtmux installs no hooks for it.');
    expect(page('cursor')).toContain('There is no recording of it.');
    expect(page('pi')).toContain('It was not run against the live daemon.');
    expect(page('README')).toMatch(/^\| \[Amp\]\(amp\.md\) \| `amp` \| - \| - \| - \| - \| - \|$/m);
  });

  it('hold no code', () => {
    for (const name of Object.keys(pages))
      expect(pages[name]?.()).not.toMatch(/\$\{|' \+|undefined/);
  });
});
