// What the commands that act share: the guards on the command line, and how a report is printed.

import { DaemonError, isPassing } from '../../../client/daemon-error.ts';
import { safeText } from '../../../render/safe-text.ts';
import type { ActionReport } from '../../../schema/api/acting.ts';
import { states } from '../../../text/state-words.ts';
import { type Call, isSet, numberOf, type OptionSpec, textOf } from '../../command.ts';
import { CliProblem, EXIT_UNCONFIRMED } from '../../exit-codes.ts';
import { choice, text } from '../../options.ts';
import { printJson } from '../../output/print.ts';

/** Longer than the daemon takes for an action, its wait for others included. */
export const ACTION_TIMEOUT_MS = 70_000;

/** For commands that only show. */
export const snapshotOptions: readonly OptionSpec[] = [
  { name: 'if-runtime', value: text('ID'), summary: 'only if this runtime is in the pane' },
  { name: 'if-state', value: choice('STATE', states), summary: 'only in this state' },
  {
    name: 'if-updated-within',
    value: { kind: 'duration', label: 'DURATION' },
    summary: 'only if the pane was seen within this time',
  },
  { name: 'force-stale', summary: 'also if the pane changes meanwhile' },
];

export const guardOptions: readonly OptionSpec[] = [
  ...snapshotOptions,
  { name: 'dry-run', summary: 'check everything and type nothing' },
  {
    name: 'request-ref',
    value: text('TEXT'),
    summary: 'your id for this action; a repeated id does not act twice',
  },
];

export const actNotes: readonly string[] = [
  'Exit codes: 0 delivered, 2 typed but not confirmed, 66 no such pane, 75 refused by a guard.',
];

/** What the daemon compares with a snapshot of the pane. */
export function snapshotGuardsOf({ flags }: Call) {
  const ifRuntime = textOf(flags, 'if-runtime');
  const ifState = textOf(flags, 'if-state') as (typeof states)[number] | undefined;
  const within = numberOf(flags, 'if-updated-within');
  return {
    ...(ifRuntime === undefined ? {} : { if_runtime: ifRuntime }),
    ...(ifState === undefined ? {} : { if_state: ifState }),
    ...(within === undefined ? {} : { if_updated_within_ms: within }),
    force_stale: isSet(flags, 'force-stale'),
  };
}

/** What every action sends besides its own fields. */
export function guardsOf(call: Call) {
  const requestRef = textOf(call.flags, 'request-ref');
  return {
    ...snapshotGuardsOf(call),
    ...(requestRef === undefined ? {} : { request_ref: requestRef }),
    caller_pid: process.pid,
    dry_run: isSet(call.flags, 'dry-run'),
  };
}

/**
 * Prints the outcome of an action and returns the exit code. A refusal is an error. Where the
 * connection broke under it, nobody knows whether the daemon had typed by then.
 */
export async function printOutcome(call: Call, reply: Promise<ActionReport>): Promise<number> {
  try {
    return printReport(call, await reply);
  } catch (error) {
    if (!(error instanceof DaemonError && isPassing(error))) throw error;
    const message = `not confirmed: the daemon is gone, and it may have typed (${error.message}).`;
    throw new CliProblem(error.code, message, {
      exitCode: EXIT_UNCONFIRMED,
      hint: 'Look at the pane, and at agtmux history --actions, before you repeat it.',
    });
  }
}

function printReport(call: Call, report: ActionReport): number {
  if (isSet(call.flags, 'json')) printJson(call, report);
  else call.io.writeOut(`${report.result ?? 'running'}: ${safeText(report.detail ?? '')}\n`);
  const isDone = ['delivered', 'dry_run', 'queued'].includes(report.result ?? '');
  return isDone ? 0 : EXIT_UNCONFIRMED;
}
