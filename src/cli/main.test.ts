import { describe, expect, it } from 'vitest';
import { packageVersion } from '../platform/version.ts';
import { runCli } from './main.ts';

async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  let out = '';
  let err = '';
  const code = await runCli(['node', 'agtmux', ...args], {
    writeOut: (text) => {
      out += text;
    },
    writeErr: (text) => {
      err += text;
    },
  });
  return { code, out, err };
}

describe('agtmux', () => {
  it('prints its version alone, for scripts', async () => {
    expect(await run('--version')).toEqual({ code: 0, out: `${packageVersion()}\n`, err: '' });
    expect((await run('list', 'panes', '-V')).out).toBe(`${packageVersion()}\n`);
  });

  it('prints help on request, and names every command but not its aliases', async () => {
    const { code, out } = await run('--help');
    expect(code).toBe(0);
    expect(out).toMatch(/^Usage: agtmux \[COMMAND\] \[options\]\n/);
    expect(out).toMatch(/^ {2}tmux-status +one short line/m);
    expect(out).not.toContain('list-panes');
  });

  it('prints the help of a command with its arguments, choices, notes and exit codes', async () => {
    const { out } = await run('watch', '-h');
    expect(out).toContain('--format table|jsonl');
    expect(out).toContain('Exit codes: 0 after --once');
    expect((await run('explain', '--help')).out).toContain('Usage: agtmux explain REF [options]');
    expect((await run('history', '--help')).out).toContain('agtmux history [REF]');
  });

  it.each([
    ['--nonsense', 'E_INPUT_INVALID: there is no option --nonsense.\nSee agtmux --help.\n'],
    ['nonsense', 'E_INPUT_INVALID: there is no command nonsense.\nSee agtmux --help.\n'],
    [
      'config',
      'E_INPUT_INVALID: config needs one of show, path, check.\nSee agtmux config --help.\n',
    ],
  ])('refuses %s with a sentence and exit code 64', async (arg, sentence) => {
    expect(await run(arg)).toEqual({ code: 64, out: '', err: sentence });
  });

  it.each([
    ['list', '--nonsense', '--json'],
    ['--json', 'nonsense'],
    ['list', 'panes', '--json', '--state'],
  ])('refuses %s %s %s with one JSON object on standard output', async (...args) => {
    const { code, out, err } = await run(...args);
    expect([code, err]).toEqual([64, '']);
    expect(JSON.parse(out)).toMatchObject({
      schema_version: 1,
      generated_at: expect.any(String),
      error: { code: 'E_INPUT_INVALID', message: expect.any(String), exit_code: 64 },
    });
  });

  it('does not take --json for its own behind --', async () => {
    expect((await run('nonsense', '--', '--json')).out).toBe('');
  });

  it('prints typed words without the bytes that a terminal would act on', async () => {
    const { err } = await run('list', '\x1b]52;c;aGk=\x07\u202e');
    expect(err).toMatch(/^[\x20-\x7e\n]+$/);
  });
});
