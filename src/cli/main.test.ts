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
  });

  it('prints help on request', async () => {
    const { code, out } = await run('--help');
    expect(code).toBe(0);
    expect(out).toContain('Usage: agtmux');
  });

  it('says what exists when it is called bare', async () => {
    const { code, out, err } = await run();
    expect(code).toBe(0);
    expect(out).toContain(packageVersion());
    expect(out).toContain('docs/status.md');
    expect(err).toBe('');
  });

  it.each([['--nonsense'], ['nonsense']])(
    'refuses %s with a sentence and exit code 64',
    async (arg) => {
      const { code, out, err } = await run(arg);
      expect(code).toBe(64);
      expect(out).toBe('');
      expect(err).toMatch(/^error: .+\n$/);
    },
  );
});
