// A prompt for a program whose state is not known: typed only when its screen has rested for a
// while, and where a rule describes its input box, only while the end of the screen fits that.

import type { PromptMatch } from '../schema/relay/message.ts';
import { type ActionResult, refused } from './action-result.ts';
import type { PaneControl, PaneLook } from './pane-control.ts';
import { type SendRequest, sendText } from './send-text.ts';

/**
 * Nothing must be drawn for so long. tmux counts in seconds when something was: in less than one,
 * a program that draws its screen as it was, again and again, could go unnoticed.
 */
const QUIET_MS = 1_100;
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
  if (!isForced) return sendText(pane, request);
  const isBoxEmpty = boxCheck(rule);
  return sendText(pane, { ...request, isForced, isPasteSafe: true, isBoxEmpty });
}

const signOf = ({ screen, layout, drawnAt }: PaneLook): string =>
  [layout, drawnAt, ...screen.lines].join('\n');

export const boxCheck =
  (rule: PromptMatch) =>
  (look: PaneLook): boolean =>
    misfitOf(look, rule) === null;

/** Why the end of the screen is not the waiting input box; null where it is. */
function misfitOf({ view, screen }: PaneLook, rule: PromptMatch): string | null {
  const lines = view.lines.map((line) => line.replace(EMPTY_END, ''));
  const end = lines.findLastIndex((line) => line !== '') + 1;
  const last = lines.slice(Math.max(0, end - rule.lineCount), end).join('\n');
  if (!rule.matches(last)) return 'the end of its screen does not match prompt-regex';
  if (rule.idleColumn === null || screen.cursor.x === rule.idleColumn) return null;
  return `its cursor is in column ${screen.cursor.x}, not in ${rule.idleColumn}: somebody types`;
}
