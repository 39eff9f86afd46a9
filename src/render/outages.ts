// Machines and tmux servers that are gone, in words: short for a header, whole for a line, and the
// last known state of their rows. Pure. The texts hold foreign names: `sanitise` them.

import type { PaneItem } from '../schema/api/panes.ts';
import type { OutageItem } from '../schema/api/targets.ts';
import { ageOf, type View } from './view.ts';

/** `build-box down for 2m`, `tmux server work ended 5m ago`. */
export function outageText(view: View, { code, text, since }: OutageItem): string {
  if (code === 'target_unreachable') return `${text} for ${ageOf(view, since)}`;
  return code === 'tmux_ended' ? `${text} ${ageOf(view, since)} ago` : text;
}

/** With why, or what to do. */
export function outageLine(view: View, outage: OutageItem): string {
  const { code, detail } = outage;
  const head = outageText(view, outage);
  if (code === 'tmux_absent') {
    const other = 'or name yours in tmux.sockets of config.toml';
    return `${head}; start one with: tmux new-session, ${other}`;
  }
  return detail === null ? head : `${head}: ${detail}`;
}

/** What a row says while its state is hidden; null when it is not. */
export function hiddenStateText(view: View, pane: PaneItem): string | null {
  const { reason_code: reason, last_known: last, target, since } = pane;
  const isDown = reason === 'target_unreachable';
  if (!isDown && last === null) return null;
  const head = isDown ? `${target} down for ${ageOf(view, since)}` : `unknown (${reason})`;
  return last === null ? head : `${head}, was ${last.state}`;
}
