import { describe, expect, it } from 'vitest';
import { hideOnScreen, hiderOf, type Person } from './privacy.ts';

const alice: Person = {
  home: '/home/alice',
  user: 'alice',
  host: 'tower.example.org',
  agents: ['claude', 'codex'],
};
const hide = hiderOf(alice);
const secret = `sk-${'a1B2'.repeat(8)}`;

const screenOf = (lines: readonly string[], cols = 80) => ({ lines, ansi: lines.join('\n'), cols });

describe('what a recording hides', () => {
  it('takes names out and keeps every column where it is', () => {
    for (const [text, clean] of [
      ['cd /home/alice/work', 'cd /home/useru/work'],
      ['alice@tower:~$ ls', 'useru@hostho:~$ ls'.replace('hostho', 'hosth')],
      ['│ by alice │', '│ by useru │'],
      ['~alice/x', '~useru/x'],
      ['malice and alices', 'malice and alices'],
      ['tower.example.org', 'hosthosthosthosth'],
    ] as const) {
      expect(hide(text), text).toBe(clean);
      expect(hide(text)).toHaveLength(text.length);
    }
  });

  it('keeps the name of an agent where it does not name a person', () => {
    const hidden = hiderOf({ ...alice, home: '/home/claude', user: 'claude' });
    expect(hidden('claude works in /home/claude/x')).toBe('claude works in /home/userus/x');
    expect(hidden('claude@box')).toBe('userus@box');
  });

  it('keeps the user name root', () => {
    const root = hiderOf({ home: '/root', user: 'root', host: 'localhost', agents: [] });
    expect(root('the root of /root/x on localhost')).toBe('the root of /home/x on localhost');
  });

  it('hides secrets, also through colours, and keeps the other lines coloured', () => {
    const lines = [`export API_KEY=${secret}`, 'plain'];
    const ansi = `export API_KEY=${secret.slice(0, 9)}\u001b[1m${secret.slice(9)}\n\u001b[31mplain`;
    const clean = hideOnScreen({ lines, ansi, cols: 80 }, hide);
    expect(JSON.stringify(clean)).not.toContain('a1B2a1');
    expect(clean.lines).toEqual(['export API_KEY=[redacted]', 'plain']);
    expect(clean.ansi).toBe('export API_KEY=[redacted]\n\u001b[31mplain');
  });

  it('hides a secret that continues in the next line', () => {
    const lines = [`token ${secret.slice(0, 14)}`, `${secret.slice(14)} end`, 'after'];
    const clean = hideOnScreen(screenOf(lines, 20), hide);
    expect(clean.lines).toEqual(['[redacted]', '[redacted]', 'after']);
  });

  it('hides an armoured key and keeps the number of lines', () => {
    const key = [
      '-----BEGIN RSA PRIVATE KEY-----',
      'MIIEabc',
      'def',
      '-----END RSA PRIVATE KEY-----',
    ];
    const clean = hideOnScreen(screenOf(['$ cat key', ...key, '$']), hide);
    expect(clean.lines).toHaveLength(6);
    expect(clean.lines[0]).toBe('$ cat key');
    expect(clean.lines.join()).not.toMatch(/MIIE|def/);
    expect(clean.ansi.split('\n')).toEqual(clean.lines);
  });
});
