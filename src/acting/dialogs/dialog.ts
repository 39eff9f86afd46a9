// The dialog that is open in a pane: read off the screen together with its options, waited for
// where an agent holds it back, and compared with what was read before.

import type { Adapter } from '../../agents/adapter.ts';
import type { DialogDetails } from '../../agents/screen/extract.ts';
import type { Request } from '../../schema/evidence.ts';
import { type Commit, type Refused, refused, refusedBy } from '../action-result.ts';
import type { PaneControl, PaneLook } from '../pane-control.ts';
import { type ExpectedAgent, openDialog, refuseKeys } from '../readiness.ts';
import { isSameRequest, showsCommand } from './same-request.ts';

/** Keys right after a dialog appeared are dropped by some agents. */
const STEADY_MS = 250;
/** How often a dialog that changes is looked at again. */
const STEADY_TRIES_MAX = 4;
export const LOOK_EVERY_MS = 60;
const OPEN_DEADLINE_MS = 2_500;

/** What every answer to a dialog needs. */
export interface DialogRequest {
  readonly adapter: Adapter;
  readonly agent: ExpectedAgent;
  /** What the caller was shown; the dialog on the screen must ask the same. */
  readonly expected: Request | null;
  /** The dialog must show this command itself; one that shows none is another. */
  readonly command?: string | undefined;
  readonly commit: Commit;
}

export type DialogOptions = NonNullable<DialogDetails['options']>;

export interface Dialog {
  readonly look: PaneLook;
  readonly details: DialogDetails;
  readonly options: DialogOptions;
  /** One at the start of an agent, such as for trust in a folder: who refuses it ends the agent. */
  readonly isStart: boolean;
}

/** Or why no key may be pressed; `E_NO_DIALOG` where none is open. */
export async function readDialog(
  pane: PaneControl,
  { adapter, agent }: Pick<DialogRequest, 'adapter' | 'agent'>,
): Promise<Dialog | Refused> {
  const look = await pane.look();
  const refusal = refuseKeys(look, agent);
  if (refusal !== null || look === null) return refusal ?? refusedBy('pane_gone');
  const verdict = openDialog(adapter, look);
  const options = verdict?.details.options;
  if (verdict === null || options === undefined) {
    return refused('E_NO_DIALOG', 'no dialog with options is on the screen');
  }
  const { details, rule } = verdict;
  return { look, details, options, isStart: rule.reason === 'startup_dialog' };
}

export const isNoDialog = (found: Dialog | Refused): boolean =>
  'result' in found && found.code === 'E_NO_DIALOG';

/** Some agents hold a dialog back for a second after the last key that somebody typed. */
async function untilOpen(pane: PaneControl, request: DialogRequest): Promise<Dialog | Refused> {
  const deadline = performance.now() + OPEN_DEADLINE_MS;
  for (;;) {
    const dialog = await readDialog(pane, request);
    if (!isNoDialog(dialog) || performance.now() > deadline) return dialog;
    await pane.pause(LOOK_EVERY_MS);
  }
}

/**
 * The dialog that is asked for, seen twice with time between. `check` looks at the first sight of
 * it, so that what cannot be answered is refused at once.
 */
export async function openSteady(
  pane: PaneControl,
  request: DialogRequest,
  check: (dialog: Dialog) => Refused | null,
): Promise<Dialog | Refused> {
  let first = await untilOpen(pane, request);
  for (let tries = 1; ; tries += 1) {
    if ('result' in first) return first;
    const refusal = refuseOther(first, request) ?? check(first);
    if (refusal !== null) return refusal;
    await Promise.all([pane.pause(STEADY_MS), request.agent.refresh()]);
    const steady = await readDialog(pane, request);
    if ('result' in steady || signatureOf(steady) === signatureOf(first)) return steady;
    // It may have been drawn in parts; only one that names its command or file is known again.
    if (!isNamed(request) || tries === STEADY_TRIES_MAX) {
      return refused('E_SCREEN_CHANGED', 'the dialog changed while it was read');
    }
    first = steady;
  }
}

/** Why the dialog is not the request that the caller was shown; null where it is. */
function refuseOther({ details }: Dialog, { expected, command }: DialogRequest): Refused | null {
  const isOther = command !== undefined && !showsCommand(details.command, command);
  if (!isOther && (expected === null || isSameRequest(details, expected))) return null;
  return refused('E_SCREEN_CHANGED', 'the dialog on the screen asks something else');
}

const isNamed = ({ expected }: DialogRequest): boolean =>
  (expected?.command ?? expected?.file) !== undefined;

/** Which option is marked; -1 unless it is exactly one: a file that is shown may draw another. */
export function markedAt({ options }: Pick<Dialog, 'options'>): number {
  const at = options.findIndex(({ selected }) => selected);
  return at === options.findLastIndex(({ selected }) => selected) ? at : -1;
}

/** All that a dialog says, but not which option is marked, nor the label that is typed into. */
export function signatureOf(
  { details, options }: Pick<Dialog, 'details' | 'options'>,
  except = -1,
): string {
  const { text, tool, command, file } = details;
  const labels = options.map(({ label }, at) => (at === except ? '' : label));
  return JSON.stringify([text, tool, command, file, labels]);
}
