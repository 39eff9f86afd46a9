// One recording of one pane of this machine: its screen and processes as they are now, the
// evidence of the last minutes, and a label, in the format of the corpus (schema/record.ts).
// The daemon takes it for the operation `record_pane`.

import { hostname } from 'node:os';
import { Fault } from '../platform/fault.ts';
import { type LocalProcess, LocalProcesses } from '../platform/process/processes.ts';
import { userName } from '../platform/user-name.ts';
import type { PaneItem } from '../schema/api/panes.ts';
import type { LabelRecord } from '../schema/record.ts';
import { readEvidence } from '../store/readers/read-evidence.ts';
import { captureCommands, readCapture } from '../tmux/capture.ts';
import { runByProcess } from '../tmux/plain/process-run.ts';
import { type Hide, hideOnScreen, hiderOf, type Person } from './privacy.ts';
import { ledgerOf, recordedSignals, turnStartedAtMs } from './signals.ts';

export interface RecordingJob {
  readonly pane: PaneItem;
  readonly why: string;
  readonly label: LabelRecord['state'];
  /** Whether a person gave the label. */
  readonly isLabelGiven: boolean;
  readonly minutes: number;
  readonly database: string;
  readonly stateDir: string;
  readonly version: string;
  readonly agents: readonly string[];
  readonly home: string;
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

const DEADLINE_MS = 5_000;
const EVIDENCE_MAX = 500;
const ARGUMENTS_MAX = 300;

/** The recording, redacted. Throws a Fault when the pane or the store cannot be read. */
export async function takeRecording(request: RecordingJob): Promise<Record<string, unknown>> {
  const { pane, nowMs, label } = request;
  const hide = hiderOf(personOf(request));
  const captured = await capture(pane, request.signal);
  const screen = hideOnScreen(captured, hide);
  const tree = new LocalProcesses(request.stateDir).tree(captured.panePid);
  const evidence =
    pane.runtime_id === null
      ? []
      : readEvidence(request.database, {
          runtimeId: pane.runtime_id,
          sinceMs: nowMs - request.minutes * 60_000,
          limit: EVIDENCE_MAX,
        });
  // An idle agent's turn ended long ago, or a person has seen its end: no signal is recent.
  const actionAtMs = label === 'idle' ? nowMs : (turnStartedAtMs(evidence) ?? nowMs);
  return {
    agent: pane.agent ?? 'none',
    state: label,
    capture: screen.lines,
    capture_ansi: screen.ansi,
    pane_title: hide(captured.title),
    pane_current_command: hide(captured.command),
    cols: captured.cols,
    rows: captured.rows,
    cursor: `${captured.cursor.x},${captured.cursor.y},${captured.cursorFlag}`,
    alternate_on: captured.alternateOn ? '1' : '0',
    process_tree: tree === null ? null : treeText(tree, hide),
    ...recordedSignals(evidence, actionAtMs),
    notes: request.isLabelGiven
      ? 'recorded by agtmux record; label given by a person'
      : 'recorded by agtmux record; label as the daemon saw it, to be checked',
    captured_at: nowMs / 1_000,
    recorded_by: `agtmux ${request.version}`,
    judged: {
      state: pane.state,
      reason_code: pane.reason_code,
      source: pane.evidence.source,
      rule: pane.evidence.rule,
      why: hide(request.why),
    },
    evidence: ledgerOf(evidence, nowMs),
  };
}

async function capture({ identity }: PaneItem, signal: AbortSignal) {
  if (identity === null) throw paneGone('the agent has no pane');
  const { server, pane_id: paneId } = identity;
  const more = ['display-message', '-p', '-t', paneId, '#{cursor_flag} #{pane_current_command}'];
  const replies = await runByProcess({ socketPath: server }, [...captureCommands(paneId), more], {
    deadlineMs: DEADLINE_MS,
    signal,
  });
  const screen = readCapture(replies.slice(0, 2));
  if (screen === null) throw paneGone(paneId);
  const [cursorFlag = '1', ...command] = (replies[2]?.lines[0] ?? '').split(' ');
  return { ...screen, cursorFlag, command: command.join(' ') };
}

const paneGone = (about: string): Fault =>
  new Fault('tmux_gone', { about, detail: 'there is no screen to record' });

function personOf({ agents, home }: RecordingJob): Person {
  return { home, user: userName(), host: hostname(), agents };
}

/** As `ps -o pid,ppid,stat,comm,args` prints it, which is what recordings hold. */
function treeText(tree: readonly LocalProcess[], hide: Hide): string {
  const rows = tree.map(({ pid, ppid, stat, comm, argv }) => {
    const columns = [String(pid).padStart(5), String(ppid).padStart(5), stat.padEnd(4)];
    const words = hide(argv.join(' ')).replaceAll(/\s+/g, ' ').slice(0, ARGUMENTS_MAX);
    return `${columns.join(' ')} ${hide(comm).slice(0, 15).padEnd(15)} ${words}`;
  });
  return ['  PID  PPID STAT COMMAND         COMMAND', ...rows].join('\n');
}
