// What an agent's terminal shows and prints, for who watches it.

import { ok, refuse } from '../../schema/outcome.ts';
import { livePaneOf } from '../answer/live-pane.ts';
import { type Operation, operation, streamOperation } from '../ports/operation.ts';

const ended = () => refuse('E_RUNTIME_STALE', 'the agent has ended');

export const outputOperations: readonly Operation[] = [
  streamOperation('watch_output', {
    summary: 'Opens a stream of what the terminal of an agent prints: a snapshot, then bytes.',
    scope: 'read',
    actors: ['user'],
    ports: ['panes', 'views'],
    open: ({ panes, views }, input, sink) => {
      const pane = livePaneOf(panes.world(), input.runtime_id);
      return pane === null ? ended() : ok(views.open(pane, input, sink));
    },
  }),
  operation('read_output', {
    summary: 'The history and the screen of the terminal of an agent, once.',
    scope: 'read',
    actors: ['user'],
    ports: ['panes'],
    run: async ({ panes }, { runtime_id: runtimeId, history_lines: lines }, call) => {
      const pane = livePaneOf(panes.world(), runtimeId);
      const screen = pane && (await panes.capture(pane, call.signal, lines));
      return screen ? ok({ text: `${screen.ansi}\n` }) : ended();
    },
  }),
  operation('resize_window', {
    summary:
      'Sets the size of the window of an agent until the caller releases it or disconnects, or a ' +
      'person attaches; refused while one is attached.',
    scope: 'control',
    actors: ['user'],
    ports: ['panes', 'views'],
    run: async ({ panes, views }, { runtime_id: runtimeId, cols, rows }, call) => {
      const pane = livePaneOf(panes.world(), runtimeId);
      if (pane === null) return ended();
      const resized = await views.resize(pane, { cols, rows }, call.connection);
      if (!resized.ok) return resized;
      call.keep(resized.value);
      return ok({ cols, rows });
    },
  }),
  operation('release_window', {
    summary: 'Gives up the size that the caller has set; the window gets back what it had.',
    scope: 'control',
    actors: ['user'],
    ports: ['views'],
    run: ({ views }, { runtime_id: runtimeId }, call) => {
      views.release(runtimeId, call.connection);
      return ok({});
    },
  }),
];
