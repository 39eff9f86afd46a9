// What one viewer of a terminal is sent while it reads nothing, and after that.

import { expect, it, onTestFinished } from 'vitest';
import type { OutputMessage } from '../../operations/ports/stream-message.ts';
import type { PaneSnapshot } from '../../tmux/views/pane-snapshot.ts';
import { ViewedTerminal } from './viewed-terminal.ts';

const snapshot: PaneSnapshot = {
  ...{ cols: 80, rows: 1, alternateOn: false, history: [], saved: [] },
  ...{ screen: ['x'.repeat(300_000)], facts: {} as PaneSnapshot['facts'] },
};

/** A terminal behind a tap that answers at once, and a viewer that reads nothing. */
function open() {
  const sent: OutputMessage[] = [];
  let unreadBytes = 0;
  const asked: number[] = [];
  let next = 0;
  const view = new ViewedTerminal({
    ...{ server: 's', paneId: '%1', sessionId: () => '$1', link: () => null },
    commandTimeoutMs: () => 1_000,
    ask: ({ request }) => void asked.push(request),
    nextRequest: () => {
      next += 1;
      return next;
    },
    onLost: () => {},
  });
  onTestFinished(() => view[Symbol.dispose]());
  const viewer = view.add(
    {
      send: (message) => {
        sent.push(message);
        if ('bytes' in message) unreadBytes += message.bytes.length;
      },
      bufferedBytes: () => unreadBytes,
    },
    0,
  );
  const item = { server: 's', paneId: '%1' } as const;
  const answer = () => {
    for (const request of asked.splice(0)) {
      view.take({ ...item, kind: 'snapshot', request, snapshot, state: '' });
    }
  };
  const lose = () => view.take({ ...item, kind: 'gap' });
  const read = () => {
    unreadBytes = 0;
    viewer.drained();
  };
  return { sent, answer, lose, read };
}

it('a viewer that reads nothing is not sent one snapshot after the other', () => {
  const { sent, answer, lose, read } = open();
  for (let round = 0; round < 100; round += 1) {
    answer();
    lose();
  }
  expect(sent.length).toBeLessThan(4);
  const before = sent.length;
  read();
  answer();
  expect(sent.slice(before).map(({ type }) => type)).toEqual(['output_snapshot']);
});
