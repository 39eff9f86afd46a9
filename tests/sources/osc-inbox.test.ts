// OSC on their way into the store: many in one commit, each in the world that the one before has
// left, and none lost while the store cannot take it.

import { beforeEach, describe, expect, it } from 'vitest';
import type { Observation } from '../../src/core/ingest.ts';
import { OscInbox } from '../../src/sources/watch/osc-inbox.ts';
import type { TappedOsc } from '../../src/tmux/taps/tap-report.ts';

/** Panes without an agent; `start` makes one, and all else is evidence of it. */
const agents = new Set<string>();
let commits: string[][];
let isFull: boolean;
let inbox: OscInbox;

const observation = (text: string, kind: 'fact' | 'evidence'): Observation =>
  ({ kind, text }) as unknown as Observation;
const textOf = (each: Observation): string => (each as unknown as { text: string }).text;

beforeEach(() => {
  agents.clear();
  commits = [];
  isFull = false;
  inbox = new OscInbox({
    source: {
      read: ({ paneId, text }) =>
        agents.has(paneId)
          ? [observation(text, 'evidence')]
          : [observation(`start ${paneId}`, 'fact'), observation(text, 'evidence')],
    },
    submit: (observations) => {
      if (isFull) return false;
      commits.push(observations.map(textOf));
      for (const text of observations.map(textOf)) {
        if (text.startsWith('start ')) agents.add(text.slice('start '.length));
      }
      return true;
    },
  });
});

const hear = (paneId: string, ...texts: readonly string[]): void =>
  inbox.add(
    texts.map((text) => {
      const osc: TappedOsc = { paneId, number: 3008, text, atMs: 0 };
      return { osc, atMs: 0 };
    }),
  );

describe('what was heard', () => {
  it('of agents that are known is one commit', () => {
    agents.add('%1').add('%2');
    hear('%1', 'a', 'b', 'c');
    hear('%2', 'd');
    inbox.read();
    expect(commits).toEqual([['a', 'b', 'c', 'd']]);
  });

  it('after the start of an agent is read once the agent is known', () => {
    agents.add('%2');
    hear('%2', 'a');
    hear('%1', 'b', 'c', 'd');
    inbox.read();
    expect(commits).toEqual([
      ['a', 'start %1', 'b'],
      ['c', 'd'],
    ]);
  });

  it('stays while it cannot be stored, and comes first when it can', () => {
    agents.add('%1');
    isFull = true;
    hear('%1', 'a');
    inbox.read();
    hear('%1', 'b');
    inbox.read();
    expect(commits).toEqual([]);
    isFull = false;
    inbox.read();
    inbox.read();
    expect(commits).toEqual([['a', 'b']]);
  });

  it('does not grow without end meanwhile: the newest are kept', () => {
    agents.add('%1');
    isFull = true;
    for (let count = 0; count < 2_000; count += 1) hear('%1', `${count}`);
    isFull = false;
    inbox.read();
    expect(commits[0]).toHaveLength(512);
    expect(commits[0]?.at(-1)).toBe('1999');
  });
});
