// A prompt for a program whose state is not known: typed only when its screen has rested for a
// while, and where a rule describes its input box, only while the end of the screen fits that.

import type { PromptMatch } from '../schema/relay/message.ts';
import { type ActionResult, refused } from './action-result.ts';
import type { PaneControl, PaneLook } from './pane-control.ts';
import { type SendRequest, sendText } from './send-text.ts';

/** The screen must not change for so long. */
const QUIET_MS = 750;
const EMPTY_END = /[ \t]+$/;

/** Refuses as long as the screen moves or the rule does not fit; else types like any prompt. */
export async function sendWhenQuiet(
  pane: PaneControl,
  request: SendRequest,
  rule: PromptMatch | null,
): Promise<ActionResult> {
  const first = await pane.look();
  await pane.pause(QUIET_MS);
  const second = await pane.look();
  if (first === null || second === null) return refused('E_REF_NOT_FOUND', 'the pane is gone');
  if (signOf(first) !== signOf(second)) {
    return refused('E_SCREEN_CHANGED', `its screen has not rested for ${QUIET_MS} ms`);
  }
  const misfit = rule && misfitOf(second, rule);
  if (misfit !== null) return refused('E_INPUT_UNSEEN', misfit);
  // The rule stands for what is not known of the program: whether it takes a prompt.
  const isForced = rule !== null && request.adapter.screen.acting === null;
  return sendText(pane, isForced ? { ...request, isForced, isPasteSafe: true } : request);
}

const signOf = ({ screen, layout }: PaneLook): string => `${layout}\n${screen.lines.join('\n')}`;

/** Why the end of the screen is not the waiting input box; null where it is. */
export function misfitOf({ view, screen }: PaneLook, rule: PromptMatch): string | null {
  const lines = view.lines.map((line) => line.replace(EMPTY_END, ''));
  const end = lines.findLastIndex((line) => line !== '') + 1;
  const last = lines.slice(Math.max(0, end - rule.lineCount), end).join('\n');
  if (!rule.matches(last)) return 'the end of its screen does not match prompt-regex';
  if (rule.idleColumn === null || screen.cursor.x === rule.idleColumn) return null;
  return `its cursor is in column ${screen.cursor.x}, not in ${rule.idleColumn}: somebody types`;
}
