// The live screen of one pane. It is captured once, nothing changes in tmux, and it belongs to the
// pane that was named: the screen of another process in its place is refused.

import type { Preview } from '../schema/api/preview.ts';
import { ok, refuse } from '../schema/outcome.ts';
import { keepStyles } from '../text/ansi.ts';
import { type Operation, operation } from './operation.ts';
import { header } from './pane-item.ts';
import { resolveForReading } from './resolve.ts';

/** As large as terminals are; of more, the lines at the bottom are kept. */
const LINES_MAX = 500;
const LINE_LENGTH_MAX = 8_192;

/** A line of a capture with no escape sequence but colours. */
export const coloursOnly = (line: string): string => keepStyles(line.slice(0, LINE_LENGTH_MAX));

const preview = operation('preview', {
  summary: 'The live screen of one pane, with its colours. Reads only: the pane is not touched.',
  scope: 'read',
  // A person waits for it.
  deadlineMs: 10_000,
  ports: ['panes'],
  run: async ({ panes }, { ref }, call) => {
    const found = resolveForReading(panes.world(), ref);
    if (!found.ok) return found;
    const pane = found.value;
    const { facts, targetId } = pane;
    if (!facts || pane.goneAtMs !== null) {
      return refuse('E_REF_NOT_FOUND', 'there is no such pane, or it is gone');
    }
    const screen = await panes.capture(pane, call.signal);
    if (screen === null) return refuse('E_REF_NOT_FOUND', `${facts.paneId} is gone`);
    if (screen.panePid !== facts.birth.pid) {
      return refuse('E_RUNTIME_STALE', `another process is in ${facts.paneId} now`);
    }
    const value: Preview = {
      ...header(call.nowMs()),
      pane_key: pane.paneKey,
      target: targetId,
      // Of a machine that is not known nobody may take it for this one.
      target_kind: panes.world().targets.get(targetId)?.kind ?? 'ssh',
      server: facts.server,
      server_pid: facts.generation.pid,
      pane_id: facts.paneId,
      pane_pid: facts.birth.pid,
      columns: screen.cols,
      rows: screen.rows,
      cursor: { ...screen.cursor },
      in_mode: screen.inMode,
      lines: screen.ansi.split('\n').slice(-LINES_MAX).map(coloursOnly),
    };
    return ok(value);
  },
});

export const previewOperations: readonly Operation[] = [preview];
