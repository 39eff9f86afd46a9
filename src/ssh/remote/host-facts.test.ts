import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clockShiftMs, readFacts } from './host-facts.ts';

/** Asked and answered at the time that the host tells. */
const asked = { requestedAtMs: 12_400, answeredAtMs: 12_600 };

const latin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

describe('readFacts', () => {
  it('reads every fact of a reply', () => {
    const facts = readFacts(
      latin1(
        'uid=1000\nhome=/home/é\nsystem=Linux 6.1 x86_64\nsocket=/tmp/tmux-1000/default\n' +
          'tmux=/usr/bin/tmux\nversion=tmux 3.5a\nprocesses=tree\nnow=12\n' +
          'boot_id=b-1\nbtime=7\n',
      ),
      asked,
    );
    expect(facts).toEqual({
      uid: 1000,
      home: '/home/é',
      system: 'Linux 6.1 x86_64',
      socketPath: '/tmp/tmux-1000/default',
      tmuxPath: '/usr/bin/tmux',
      tmuxVersion: '3.5a',
      processReading: 'tree',
      clockShiftMs: 0,
      bootId: 'b-1',
      bootedAtMs: 7_000,
    });
  });

  it('returns null for facts that the reply lacks', () => {
    const facts = readFacts('uid=0\nsocket=/tmp/tmux-0/default\ntmux=\nversion=\n', asked);
    expect(facts).toMatchObject({
      tmuxPath: null,
      tmuxVersion: null,
      processReading: 'none',
      clockShiftMs: 0,
      bootId: null,
      bootedAtMs: null,
    });
  });

  it.each([
    // As fine as the answer was quick, where `date` tells nanoseconds.
    ['1700000000000000000', 0],
    ['1700000000099000000', 0],
    ['1700003600050000000', -3_600_000],
    ['1699999990050000000', 10_000],
    // Whole seconds: up to one of them may be the missing part.
    ['1700000000', 0],
    ['1699999999', 0],
    ['1700003600', -3_600_450],
    ['1699999990', 9_550],
    ['', 0],
    ['soon', 0],
    ['-5', 0],
  ])('tell a clock that is at %s by %d ms', (now, clockShiftMs) => {
    const times = { requestedAtMs: 1_700_000_000_000, answeredAtMs: 1_700_000_000_100 };
    expect(readFacts(`uid=0\nsocket=/a\nnow=${now}\n`, times)).toMatchObject({ clockShiftMs });
  });

  it('returns null for any other text, and never throws', () => {
    expect(readFacts('', asked)).toBeNull();
    expect(readFacts('uid=x\nsocket=/a', asked)).toBeNull();
    fc.assert(fc.property(fc.string(), (text) => readFacts(text, asked) === null));
  });
});

describe('the clock of a host that is read again', () => {
  const times = { requestedAtMs: 1_700_000_000_000, answeredAtMs: 1_700_000_000_100 };

  it('keeps its shift as long as the reply leaves room for it', () => {
    expect(clockShiftMs({ now: '1700000000040000000', ...times }, 20)).toBe(20);
    expect(clockShiftMs({ now: null, ...times }, 20)).toBe(20);
  });

  it('has another shift when it was set', () => {
    expect(clockShiftMs({ now: '1699999910050000000', ...times }, 20)).toBe(90_000);
    expect(clockShiftMs({ now: '1699999990050000000', ...times }, 90_000)).toBe(10_000);
  });
});
