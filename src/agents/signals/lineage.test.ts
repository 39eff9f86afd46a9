import { describe, expect, it } from 'vitest';
import { senderPids } from './lineage.ts';

describe('the sender of an event may be', () => {
  const cases: [string, string, readonly number[]][] = [
    ['the agent that ran the hook', '9:5:claude 5:5:bash 1:1:tmux', [9, 5]],
    ['the agent above the shell of its hook', '20:5:sh 9:5:node 5:5:bash', [20, 9, 5]],
    ['the agent whose hook has a session of its own', '20:20:sh 9:5:node 5:5:bash', [20, 9, 5]],
    ['a wrapper of the agent too', '20:5:sh 9:5:node 8:5:node 5:5:bash 4:4:tmux', [20, 9, 8, 5]],
    [
      'an agent that another runs by a shell, and not the outer one',
      '30:5:sh 20:5:node 15:5:bash 9:5:node 5:5:bash',
      [30, 20, 15],
    ],
    [
      'an agent that another runs as a tool in a session of its own',
      '30:20:sh 20:20:node 9:5:node 5:5:bash',
      [30, 20],
    ],
    ['nobody with the number 0, as in a container', '0:5:sh 9:5:node 0:5:node', [9]],
    ['a shared daemon, and nobody who started it', '30:9:sh 9:9:codex 8:5:codex', [30, 9]],
  ];
  it.each(cases)('%s', (_what, lineage, pids) => expect(senderPids(lineage)).toEqual(pids));

  it('unknown without a readable lineage', () => {
    for (const text of [undefined, '', 'x', '1:2', '-1:2:sh', '9999999999:1:sh']) {
      expect(senderPids(text)).toBeUndefined();
    }
  });

  it('one of 32 processes at most', () => {
    const text = Array.from({ length: 9_999 }, (_, index) => `${index + 1}:1:sh`).join(' ');
    expect(senderPids(text)).toHaveLength(32);
  });
});
