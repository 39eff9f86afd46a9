// What stands against typing into a pane, read off one look at it: copy mode, shared input, an open
// dialog, a draft of a person, a shell where the agent was.

import type { Adapter } from '../agents/adapter.ts';
import { judgeScreen, readDraft, type ScreenVerdict } from '../agents/screen/rules.ts';
import { type Refused, refused, refusedBy } from './action-result.ts';
import type { PaneLook } from './pane-control.ts';

/** What must be in the pane: the agent that the row names. */
export interface ExpectedAgent {
  /** The pane's own process. */
  readonly panePid: number;
  /** The program in the foreground, as it was last listed. */
  readonly command: string;
  /** Whether the process of the agent is there, as far as it can be asked. */
  readonly isAlive: () => boolean;
  /** Reads its process anew where that is not done by asking, as over ssh. Rejects with a Fault. */
  readonly refresh: () => Promise<unknown>;
}

/** Why no key may be typed at all; null when nothing stands against it. */
export function refuseKeys(look: PaneLook | null, agent: ExpectedAgent): Refused | null {
  if (look === null) return refusedBy('pane_gone');
  if (look.screen.panePid !== agent.panePid) return refusedBy('pane_replaced');
  if (!agent.isAlive() || look.command !== agent.command) return refusedBy('program_changed');
  if (look.isDead) return refusedBy('pane_dead');
  if (look.screen.inMode) return refusedBy('copy_mode');
  if (look.isSynchronized) return refusedBy('synchronized');
  if (look.isInputOff) return refusedBy('input_off');
  return null;
}

/**
 * Why nothing is pasted: its process, read anew, has ended. Behind a script of a shell nothing else
 * shows it, and a shell may run what it is given line by line.
 */
export async function refuseEnded(agent: ExpectedAgent): Promise<Refused | null> {
  await agent.refresh();
  return agent.isAlive() ? null : refusedBy('program_changed');
}

/** Nothing describes its screen: so it is with a program under `agtmux run`, whatever its name. */
export const refuseUndescribed = (name: string): Refused =>
  refused(
    'E_AGENT_UNSUPPORTED',
    `no rules are known for ${name}; programs under agtmux run take no prompts`,
  );

/** Why nobody types to this agent without force, and in an opaque pane not even with it. */
export function refuseAgent(
  {
    adapter,
    isForced,
    isOpaque,
  }: {
    readonly adapter: Adapter;
    readonly isForced: boolean;
    readonly isOpaque: boolean;
  },
  look: PaneLook | null,
): Refused | null {
  if (isOpaque && !isForced) {
    return refused('E_PANE_OPAQUE', 'the process of the agent cannot be seen');
  }
  if (look === null) return null;
  if (isOpaque && readDraft(adapter.screen, look.view) === null) return refuseUnseen();
  return isForced ? null : refuseUnknownBox(adapter);
}

/** Why nothing is typed unforced into an agent whose rules do not describe its input box. */
export const refuseUnknownBox = ({ screen, title }: Adapter): Refused | null =>
  screen.acting === null
    ? refused('E_AGENT_UNSUPPORTED', `agtmux does not know the input box of ${title}`)
    : null;

/** The dialog that is open on the screen; null where none is. */
export function openDialog({ screen }: Adapter, look: PaneLook): ScreenVerdict | null {
  const verdict = judgeScreen(screen, look.view);
  const isOpen = verdict?.says === 'waiting_approval' || verdict?.says === 'waiting_input';
  return isOpen ? verdict : null;
}

/** Where the input box is on the screen: the row of its sign, and those of its draft. */
export function draftRows({ screen }: Adapter, { view }: PaneLook): readonly number[] {
  const draft = readDraft(screen, view);
  if (draft === null) return [];
  const { lines, toBottom } = draft;
  const first = view.lines.length - toBottom.length;
  return toBottom.flatMap((text, row) => (row === 0 || lines.includes(text) ? [first + row] : []));
}

export function refuseDialog(adapter: Adapter, look: PaneLook): Refused | null {
  const dialog = openDialog(adapter, look);
  if (dialog === null) return null;
  return refused('E_DIALOG_OPEN', `the agent asks: ${dialog.details.text ?? dialog.rule.id}`);
}

/** Why no prompt may be typed; null when the box is there and empty, and no dialog is open. */
export function refusePrompt(adapter: Adapter, look: PaneLook): Refused | null {
  const dialog = refuseDialog(adapter, look);
  if (dialog !== null) return dialog;
  const draft = readDraft(adapter.screen, look.view);
  if (draft === null) return refuseUnseen();
  if (adapter.screen.acting?.otherMode?.test(draft.firstRow)) {
    const detail = 'the input box is in a mode of its own, such as a shell: it takes no prompt';
    return refused('E_DRAFT_PRESENT', detail);
  }
  if (draft.lines.length > 0) {
    return refused('E_DRAFT_PRESENT', 'somebody has typed into the input box');
  }
  return null;
}

const refuseUnseen = (): Refused =>
  refused('E_INPUT_UNSEEN', 'the input box of the agent is not on the screen');
