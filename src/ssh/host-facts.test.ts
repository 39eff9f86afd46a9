import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFacts } from './host-facts.ts';

const latin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

describe('the facts of a host', () => {
  it('are read from what it told', () => {
    const facts = readFacts(
      latin1(
        'uid=1000\nhome=/home/é\nsystem=Linux 6.1 x86_64\nsocket=/tmp/tmux-1000/default\n' +
          'tmux=/usr/bin/tmux\nversion=tmux 3.5a\nprocesses=tree\nspool=/home/é/s\nnow=12\n' +
          'boot_id=b-1\nbtime=7\n',
      ),
    );
    expect(facts).toEqual({
      uid: 1000,
      home: '/home/é',
      system: 'Linux 6.1 x86_64',
      socketPath: '/tmp/tmux-1000/default',
      tmuxPath: '/usr/bin/tmux',
      tmuxVersion: '3.5a',
      processReading: 'tree',
      spoolFolder: '/home/é/s',
      nowMs: 12_000,
      bootId: 'b-1',
      bootedAtMs: 7_000,
    });
  });

  it('are honest about what was not told', () => {
    const facts = readFacts('uid=0\nsocket=/tmp/tmux-0/default\ntmux=\nversion=\n');
    expect(facts).toMatchObject({
      tmuxPath: null,
      tmuxVersion: null,
      processReading: 'none',
      spoolFolder: null,
      bootId: null,
      bootedAtMs: null,
    });
  });

  it('are none for anything else, and never throw', () => {
    expect(readFacts('')).toBeNull();
    expect(readFacts('uid=x\nsocket=/a')).toBeNull();
    fc.assert(fc.property(fc.string(), (text) => readFacts(text) === null));
  });
});
