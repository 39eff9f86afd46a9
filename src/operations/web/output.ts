// What a terminal shows and prints, for who watches it: that of an agent, or of a pane.

import type { PaneRecord, World } from '../../core/world.ts';
import { id, type PaneKey } from '../../schema/ids.ts';
import { type Outcome, ok, refuse } from '../../schema/outcome.ts';
import { livePaneOf } from '../answer/live-pane.ts';
import { type Operation, operation, streamOperation } from '../ports/operation.ts';

const ended = () => refuse('E_RUNTIME_STALE', 'the agent has ended');

interface WatchedRef {
  readonly runtime_id?: string | undefined;
  readonly pane_key?: string | undefined;
}

/** The pane of an agent, or one whatever runs in it. */
function watchedPane(world: World, { runtime_id, pane_key }: WatchedRef): Outcome<PaneRecord> {
  if (runtime_id !== undefined) {
    const pane = livePaneOf(world, runtime_id);
    return pane === null ? ended() : ok(pane);
  }
  const pane = world.panes.get(id<PaneKey>(pane_key ?? ''));
  const isThere = pane && pane.goneAtMs === null && pane.facts !== null;
  return isThere ? ok(pane) : refuse('E_REF_NOT_FOUND', 'the pane does not exist any more');
}

export const outputOperations: readonly Operation[] = [
  streamOperation('watch_output', {
    summary:
      'Opens a stream of what the terminal of an agent or a pane prints: a snapshot, then bytes.',
    scope: 'read',
    actors: ['user'],
    ports: ['panes', 'views'],
    open: ({ panes, views }, input, sink) => {
      const pane = watchedPane(panes.world(), input);
      return pane.ok ? ok(views.open(pane.value, input, sink)) : pane;
    },
  }),
  operation('read_output', {
    summary: 'The history and the screen of the terminal of an agent or a pane, once.',
    scope: 'read',
    actors: ['user'],
    ports: ['panes'],
    run: async ({ panes }, { history_lines: lines, ...ref }, call) => {
      const pane = watchedPane(panes.world(), ref);
      if (!pane.ok) return pane;
      const screen = await panes.capture(pane.value, call.signal, lines);
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
