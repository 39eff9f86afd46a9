import { describe, expect, it } from 'vitest';
import { choosePager } from './pager.ts';

const find = (name: string): string | null =>
  ['less', 'most'].includes(name) ? `/usr/bin/${name}` : null;
const chosen = (env: Record<string, string>, search = find) => {
  const pager = choosePager({ TERM: 'xterm', ...env }, search);
  return pager && [pager.command, ...pager.args];
};

describe('the pager', () => {
  it.each([
    ['nothing is set', {}, ['/usr/bin/less', '-FRX']],
    ['LESS is set', { LESS: '-i' }, ['/usr/bin/less', '-R']],
    ['PAGER is less', { PAGER: 'less' }, ['/usr/bin/less', '-FRX']],
    ['PAGER is less with options', { PAGER: 'less -i +G' }, ['/usr/bin/less', '-R', '-i', '+G']],
    ['PAGER is another', { PAGER: ' most  -s ' }, ['/usr/bin/most', '-s']],
    ['PAGER is a path', { PAGER: '/opt/show it' }, ['/opt/show', 'it']],
    ['PAGER is not there', { PAGER: 'gone' }, ['/usr/bin/less', '-FRX']],
  ])('where %s is started by its arguments', (_, env, words) => {
    expect(chosen(env)).toEqual(words);
  });

  it.each([
    'less; touch /tmp/x',
    'less | tee x',
    '$(touch x)',
    '`touch x`',
    'sh -c "touch x"',
    'less > x',
    'less & x',
    "less 'x'",
    'less\\ x',
  ])('PAGER=%s, a line for a shell, is not run', (text) => {
    expect(chosen({ PAGER: text })).toEqual(['/usr/bin/less', '-FRX']);
  });

  it.each([
    ['PAGER is empty', { PAGER: '' }],
    ['PAGER is cat', { PAGER: 'cat' }],
    ['the terminal is dumb', { TERM: 'dumb' }],
    ['the terminal has no name', { TERM: '' }],
  ])('none is used where %s', (_, env) => {
    expect(chosen(env)).toBeNull();
  });

  it('none is used where none is there', () => {
    expect(chosen({ PAGER: 'gone' }, () => null)).toBeNull();
  });

  it('is given no program that less would run on the text', () => {
    const env = { TERM: 'xterm', LESSOPEN: '|evil %s', LESSCLOSE: 'evil', HOME: '/home/me' };
    expect(choosePager(env, find)?.env).toEqual({ TERM: 'xterm', HOME: '/home/me' });
  });
});
