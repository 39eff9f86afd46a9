// The words of an answer: canonical states and the axes beside them. Values are written out because
// they reach disk and the wire; add to the end of a list, never rename.

import { z } from 'zod';
import { states } from '../text/state-words.ts';

export const stateSchema = z.enum(states).meta({ id: 'State' });
export type State = z.infer<typeof stateSchema>;

/** Position in the order of precedence: 0 wins over 6. */
export const precedenceOf = (state: State): number => states.indexOf(state);

/** at_rest: the turn is over, outcome unknown. began: a new session without any event yet. */
export const says = [
  'running',
  'waiting_approval',
  'waiting_input',
  'error',
  'completed',
  'interrupted',
  'at_rest',
  'began',
] as const;
export const saysSchema = z.enum(says);
export type Says = z.infer<typeof saysSchema>;

/** `managed`: an agent is there. `unmanaged`: none is. `missing`: the pane itself is gone. */
export const presenceSchema = z.enum(['managed', 'unmanaged', 'missing']).meta({ id: 'Presence' });
export type Presence = z.infer<typeof presenceSchema>;

/** Why a row says what it says; always set for `unknown`. */
export const reasonCodes = [
  // With unknown.
  'stale_signal',
  'target_unreachable',
  'unsupported_signal',
  'no_evidence',
  'ambiguous_binding',
  'no_agent',
  'pane_gone',
  'reconfirming',
  'suspended',
  // With a known state, where it says more.
  'interrupted',
  'background_work',
  'retrying',
  'usage_limit',
  'auth_required',
  'api_error',
  'startup_dialog',
  'dialog_open',
  'blocked_on_stdin',
  // With unknown: commits to the store fail.
  'store_failed',
  // Of an agent that is gone: it crashed, or `agtmux run` reported that it exited.
  'crashed',
  'exited',
] as const;
export const reasonCodeSchema = z.enum(reasonCodes).meta({ id: 'ReasonCode' });
export type ReasonCode = z.infer<typeof reasonCodeSchema>;

export const confidenceSchema = z.enum(['high', 'medium', 'low']).meta({ id: 'Confidence' });
export type Confidence = z.infer<typeof confidenceSchema>;

/** Deterministic: the agent reports it itself. Heuristic: read off the pane. */
export const tierSchema = z.enum(['deterministic', 'heuristic']);
export type Tier = z.infer<typeof tierSchema>;

export const evidenceModeSchema = z.enum(['deterministic', 'heuristic', 'none']);

export const attentionKinds = [
  'error',
  'crash',
  'approval',
  'question',
  'stuck',
  'completion',
] as const;
export const attentionKindSchema = z.enum(attentionKinds).meta({ id: 'AttentionKind' });
export type AttentionKind = z.infer<typeof attentionKindSchema>;

export const channelStatusSchema = z.enum(['fresh', 'stale', 'down']);
export type ChannelStatus = z.infer<typeof channelStatusSchema>;

export const targetHealthSchema = z.enum(['ok', 'degraded', 'down']);

/** The four binding states of a pane instance. */
export const bindingStateSchema = z.enum([
  'unmanaged',
  'managed_heuristic',
  'managed_deterministic_fresh',
  'managed_deterministic_stale',
]);
export type BindingState = z.infer<typeof bindingStateSchema>;
