import { expect, it } from 'vitest';
import { isSameRequest, showsCommand } from './same-request.ts';

const asks = (command: string) => ({ kind: 'approval', command }) as const;

it('a command that goes on where the expected one ends is another one', () => {
  expect(isSameRequest({ command: 'git push --force' }, asks('git push'))).toBe(false);
  expect(isSameRequest({ command: 'git push' }, asks('git push --force'))).toBe(false);
  expect(isSameRequest({ command: 'git push' }, asks('git push'))).toBe(true);
});

it('a dialog may show the first line or a full row of a command, and a source may cut it', () => {
  const row = 'node scripts/generate.js --input a.json --output b.json --format';
  expect(isSameRequest({ command: 'cat <<EOF' }, asks('cat <<EOF\nhello\nEOF'))).toBe(true);
  expect(isSameRequest({ command: row }, asks(`${row} pretty`))).toBe(true);
  expect(isSameRequest({ command: `${row} pretty` }, asks(`${row}…`))).toBe(true);
});

it('a dialog about a file is not the request of a command', () => {
  expect(isSameRequest({ file: 'a.ts' }, asks('ls'))).toBe(false);
  expect(isSameRequest({ command: 'ls' }, { kind: 'approval', file: 'a.ts' })).toBe(false);
});

it('a dialog of a shell is not the request of another tool, nor the other way round', () => {
  const mcp = { kind: 'approval', tool: 'mcp__lab__deploy' } as const;
  const bash = { tool: 'Bash command', command: 'rm -rf precious' };
  const use = { tool: 'Tool use', command: 'lab - Deploy (MCP)' };
  expect(isSameRequest(bash, mcp)).toBe(false);
  expect(isSameRequest(use, mcp)).toBe(true);
  expect(isSameRequest({ tool: 'Tool use' }, { ...asks('rm'), tool: 'Bash' })).toBe(false);
  expect(isSameRequest({ tool: 'Bash command' }, { ...asks('rm'), tool: 'Bash' })).toBe(true);
  expect(isSameRequest({ tool: 'Shell' }, { ...asks('rm'), tool: 'run_shell_command' })).toBe(true);
  expect(isSameRequest({ tool: 'Tool use' }, { kind: 'approval', tool: 'WebSearch' })).toBe(true);
  // Where the dialog has no head, a command says whether it is of that server.
  expect(isSameRequest({ command: 'rm -rf precious' }, mcp)).toBe(false);
  expect(isSameRequest({ command: 'lab.deploy({})' }, mcp)).toBe(true);
  expect(isSameRequest({ text: 'Allow it?' }, mcp)).toBe(true);
});

it('a file may be shown by the end of its path', () => {
  const expected = { kind: 'approval', file: '/repo/src/a.ts' } as const;
  expect(isSameRequest({ file: 'a.ts' }, expected)).toBe(true);
  expect(isSameRequest({ file: 'src/a.ts' }, expected)).toBe(true);
  expect(isSameRequest({ file: 'ba.ts' }, expected)).toBe(false);
});

it('a dialog shows a command only with all of it, or with what fits of a long one', () => {
  const long = 'make check '.repeat(30);
  expect(showsCommand('make check', 'make check')).toBe(true);
  expect(showsCommand(long.slice(0, 80), long)).toBe(true);
  expect(showsCommand('cat <<EOF', 'cat <<EOF\nhello\nEOF')).toBe(true);
  for (const shown of [undefined, '', 'make', 'make check install']) {
    expect(showsCommand(shown, 'make check')).toBe(false);
  }
  expect(showsCommand(`${long}; rm -rf /`, long)).toBe(false);
});
