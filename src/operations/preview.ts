// The live screen of one pane. It is captured once, nothing changes in tmux, and it belongs to the
// pane that was named: the screen of another process in its place is refused.

import { resolveRef } from '../core/view/resolve-ref.ts';
import { liveRuntime, type PaneRecord, type World } from '../core/world.ts';
import type { LocatedPane, Preview } from '../schema/api/preview.ts';
import { isAcpKey } from '../schema/ids.ts';
import { ok, refuse } from '../schema/outcome.ts';
import { keepStyles } from '../text/ansi.ts';
import { header } from './answer/pane-item.ts';
import { guardView } from './answer/view-guards.ts';
import { type Operation, operation } from './ports/operation.ts';
import type { PaneScreen, Ports, TargetLogin } from './ports/ports.ts';

/** As large as terminals are; of more, the lines at the bottom are kept. */
const LINES_MAX = 500;
const LINE_LENGTH_MAX = 8_192;

/** A line of a capture with no escape sequence but colours. */
export const coloursOnly = (line: string): string => keepStyles(line.slice(0, LINE_LENGTH_MAX));

/** The last lines, and how many of them have scrolled off. */
function lastLines(
  { ansi, rows }: Pick<PaneScreen, 'ansi' | 'rows'>,
  count: number | undefined,
): Pick<Preview, 'lines' | 'scrolled'> {
  const all = ansi.split('\n');
  if (count === undefined) {
    return { lines: all.slice(-LINES_MAX).map(coloursOnly), scrolled: 0 };
  }
  // Blank lines below what the pane shows do not count.
  const filled = ansi.trimEnd().split('\n');
  const lines = filled.slice(-count).map(coloursOnly);
  const onScreen = rows - (all.length - filled.length);
  return { lines, scrolled: Math.max(0, lines.length - Math.max(0, onScreen)) };
}

type LocatePorts = Pick<Ports, 'panes' | 'targets'>;

const loginItem = (login: TargetLogin | null): LocatedPane['login'] =>
  login && {
    destination: login.destination,
    config_file: login.configFile,
    tmux_path: login.tmuxPath,
  };

/** A pane that is there now, and where. */
function locate({ panes: { world }, targets }: LocatePorts, ref: string) {
  const found = resolveRef(world(), ref, 'read');
  if (!found.ok) return found;
  const pane = found.value;
  const { facts, targetId, goneAtMs } = pane;
  if (goneAtMs === null && isAcpKey(pane.paneKey))
    return ok({ pane, location: memberPlace(world(), pane) });
  if (!facts || goneAtMs !== null) {
    return refuse('E_REF_NOT_FOUND', 'the pane does not exist any more');
  }
  const location = {
    pane_key: pane.paneKey,
    target: targetId,
    // A machine that is not known must not be taken for this one.
    target_kind: world().targets.get(targetId)?.kind ?? ('ssh' as const),
    server: facts.server,
    server_pid: facts.generation.pid,
    pane_id: facts.paneId,
    pane_pid: facts.birth.pid,
    login: loginItem(targets.loginOf(targetId)),
  };
  return ok({ pane, location });
}

/** An ACP member has no terminal; what it wrote is shown as one. */
const memberPlace = (world: World, { paneKey, targetId, alias, runtimeId }: PaneRecord) => ({
  ...{ pane_key: paneKey, target: targetId, target_kind: 'local' as const, server: 'acp' },
  ...{ server_pid: 0, pane_id: alias ?? paneKey, login: null },
  pane_pid: liveRuntime(world, runtimeId)?.pid ?? 0,
});

const locatePane = operation('locate_pane', {
  summary: 'The location and the identity of a pane, which a client checks before it goes there.',
  scope: 'read',
  ports: ['panes', 'targets'],
  run: ({ panes, targets }, { ref, ...guards }, { nowMs }) => {
    const found = locate({ panes, targets }, ref);
    if (!found.ok) return found;
    const { pane, location } = found.value;
    if (!pane.facts) return refuse('E_REF_NOT_FOUND', 'the agent has no pane to go to');
    const refusal = guardView({ panes, pane, guards, nowMs })();
    return refusal ?? ok({ ...header(nowMs()), ...location });
  },
});

const preview = operation('preview', {
  summary: 'The live screen of one pane, with its colours. Reads only: the pane is not touched.',
  scope: 'read',
  // A person waits for it.
  deadlineMs: 10_000,
  ports: ['panes', 'targets'],
  run: async ({ panes, targets }, { ref, lines, ...guards }, call) => {
    const found = locate({ panes, targets }, ref);
    if (!found.ok) return found;
    const { pane, location } = found.value;
    const { pane_id: paneId, pane_pid: panePid } = location;
    const refuseView = guardView({ panes, pane, guards, nowMs: call.nowMs });
    const early = refuseView();
    if (early) return early;
    const screen = await panes.capture(pane, call.signal, lines);
    const late = refuseView();
    if (late) return late;
    if (screen === null) return refuse('E_REF_NOT_FOUND', `${paneId} is gone`);
    if (screen.panePid !== panePid) {
      return refuse('E_RUNTIME_STALE', `another process is in ${paneId} now`);
    }
    return ok({
      ...header(call.nowMs()),
      ...location,
      runtime_id: pane.row.runtimeId,
      columns: screen.cols,
      rows: screen.rows,
      cursor: { ...screen.cursor },
      in_mode: screen.inMode,
      ...lastLines(screen, lines),
    });
  },
});

export const previewOperations: readonly Operation[] = [locatePane, preview];
