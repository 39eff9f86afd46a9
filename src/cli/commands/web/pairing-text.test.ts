import { expect, it } from 'vitest';
import type { Pairing } from '../../../schema/web/open-web.ts';
import type { Call } from '../../command.ts';
import { pairingText } from './pairing-text.ts';

const pairing = (link: string): Pairing => ({
  ...{ link, scope: 'control' },
  expires_at: new Date(Date.now() + 600_000).toISOString(),
});
const far = pairing('http://192.168.1.20:8080/pair#abcdefghijklmnopqrstuvwxyza');

function call(env: Record<string, string> = {}, columns = 80, isTerminal = true): Call {
  const io = { env: { LANG: 'C.UTF-8', ...env }, isTerminal, size: () => ({ columns, rows: 40 }) };
  return { args: [], flags: {}, io } as unknown as Call;
}

const blocks = (lines: readonly string[]): readonly string[] =>
  lines.filter((line) => /[█▀▄]/.test(line));

it('a link is printed with its code for a camera, white on black', async () => {
  const lines = await pairingText(call(), far);
  expect(lines[0]).toContain('within 10 minutes');
  expect(lines[1]).toBe(`  ${far.link}`);
  expect(blocks(lines)).toHaveLength(19);
  for (const line of blocks(lines)) {
    expect(line.startsWith('\u001b[97;40m') && line.endsWith('\u001b[0m')).toBe(true);
    expect(line.slice(8, -4)).toMatch(/^[ █▀▄]{37}$/);
  }
});

it('NO_COLOR leaves the blocks without an escape', async () => {
  const lines = blocks(await pairingText(call({ NO_COLOR: '1' }), far));
  expect(lines).toHaveLength(19);
  expect(lines.join('')).not.toContain('\u001b');
});

it('no code is drawn into a file, in few columns, in ASCII, or for this machine', async () => {
  expect(blocks(await pairingText(call({}, 80, false), far))).toEqual([]);
  expect(blocks(await pairingText(call({}, 30), far))).toEqual([]);
  expect(blocks(await pairingText(call({ LANG: 'C' }), far))).toEqual([]);
  const own = await pairingText(call(), pairing('http://127.0.0.1:8080/pair#code'));
  expect(blocks(own)).toEqual([]);
  expect(own.join('\n')).toContain('--public-url');
});
