// OSC on their way into the store: many in one commit, each in the world that the one before has
// left, and none lost while the store cannot take it.

import { beforeEach, describe, expect, it } from 'vitest';
import type { Observation } from '../../src/core/ingest.ts';
import { OscInbox } from '../../src/sources/watch/osc-inbox.ts';
import type { TappedOsc } from '../../src/tmux/taps/osc-scanner.ts';

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
    read: ({ paneId, text }) =>
      agents.has(paneId)
        ? [observation(text, 'evidence')]
        : [observation(`start ${paneId}`, 'fact'), observation(text, 'evidence')],
  });
});

function submit(observations: readonly Observation[]): boolean {
  if (isFull) return false;
  commits.push(observations.map(textOf));
  for (const text of observations.map(textOf)) {
    if (text.startsWith('start ')) agents.add(text.slice('start '.length));
  }
  return true;
}

/** Hands in what the inbox holds, as the watch of a server does. */
function read(): void {
  const batches = inbox.read();
  let next = batches.next();
  while (!next.done) next = batches.next(submit(next.value));
}

const add = (paneId: string, ...texts: readonly string[]): void =>
  inbox.add(
    texts.map((text) => {
      const osc: TappedOsc = { paneId, number: 3008, text, atMs: 0 };
      return { osc, atMs: 0 };
    }),
  );

describe('OSC that wait to be stored', () => {
  it('are one commit where their agents are known', () => {
    agents.add('%1').add('%2');
    add('%1', 'a', 'b', 'c');
    add('%2', 'd');
    read();
    expect(commits).toEqual([['a', 'b', 'c', 'd']]);
  });

  it('are read after the start of their agent once it is known', () => {
    agents.add('%2');
    add('%2', 'a');
    add('%1', 'b', 'c', 'd');
    read();
    expect(commits).toEqual([
      ['a', 'start %1', 'b'],
      ['c', 'd'],
    ]);
  });

  it('stay while they cannot be stored, and come first when they can', () => {
    agents.add('%1');
    isFull = true;
    add('%1', 'a');
    read();
    add('%1', 'b');
    read();
    expect(commits).toEqual([]);
    isFull = false;
    read();
    read();
    expect(commits).toEqual([['a', 'b']]);
  });

  it('do not grow without end meanwhile: the newest are kept', () => {
    agents.add('%1');
    isFull = true;
    for (let count = 0; count < 2_000; count += 1) add('%1', `${count}`);
    isFull = false;
    read();
    expect(commits[0]).toHaveLength(512);
    expect(commits[0]?.at(-1)).toBe('1999');
  });
});
