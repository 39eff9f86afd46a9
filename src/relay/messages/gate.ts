// Whether a recipient takes a message now, by what is known of its pane. Pure: the screen, a draft
// and a typing person are looked at by whoever types. Unknown states go by the quiet of the screen.

import type { PaneRow } from '../../schema/pane.ts';

export type GateVerdict =
  | { readonly kind: 'type'; readonly needsQuiet: boolean }
  | { readonly kind: 'wait'; readonly why: string };

const wait = (why: string): GateVerdict => ({ kind: 'wait', why });

/** Reasons for `unknown` in which the pane itself cannot be looked at, or is being looked at. */
const blind: ReadonlySet<string> = new Set(['target_unreachable', 'reconfirming', 'suspended']);

export interface GateFacts {
  readonly row: Pick<PaneRow, 'presence' | 'state' | 'reasonCode'>;
  /** The bundle declares how the input box of the member looks. */
  readonly hasPromptRule: boolean;
  /** The agent's own rules describe its input box. */
  readonly hasKnownBox: boolean;
}

export function judgeGate({ row, hasPromptRule, hasKnownBox }: GateFacts): GateVerdict {
  const { presence, state, reasonCode } = row;
  if (presence === 'missing') return wait('its pane is gone');
  if (presence === 'unmanaged') {
    return hasPromptRule ? { kind: 'type', needsQuiet: true } : wait('no agent is in its pane');
  }
  const shown = reasonCode === null ? state : `${state} (${reasonCode})`;
  if (state === 'idle' || state === 'completed') {
    return hasKnownBox || hasPromptRule
      ? { kind: 'type', needsQuiet: !hasKnownBox }
      : wait('nothing describes its input box');
  }
  const canLook = state === 'unknown' && !blind.has(reasonCode ?? '');
  if (canLook && (hasKnownBox || hasPromptRule)) return { kind: 'type', needsQuiet: true };
  return wait(`it is ${shown}`);
}
