// Shows a pane in the person's client: where it is by now is asked of the daemon. Loaded with the
// first jump.

import type { ChildExit } from '../../platform/process/child.ts';
import type { OperationMap } from '../../schema/api/operations.ts';
import type { DaemonReply, Effect, Message } from '../message.ts';
import { problemNotice } from '../steps.ts';
import { jump } from './jump.ts';

interface JumpParts {
  readonly call: (
    name: 'locate_pane',
    input: OperationMap['locate_pane']['input'],
  ) => Promise<DaemonReply<OperationMap['locate_pane']['output']>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly runInTerminal: (words: readonly string[]) => Promise<ChildExit>;
}

export interface JumpOutcome {
  readonly message: Message;
  readonly isShown: boolean;
}

export async function requestJump(
  { call, env, runInTerminal }: JumpParts,
  { paneKey, place }: Extract<Effect, { kind: 'jump' }>,
): Promise<JumpOutcome> {
  const failed = (text: string): JumpOutcome => ({ message: problemNotice(text), isShown: false });
  const life = await call('locate_pane', { ref: paneKey });
  if (!life.ok) return failed(`The pane cannot be shown: ${life.problem}`);
  const result = await jump({ env, place, life: life.value, runInTerminal });
  if (!result.ok) return failed(result.problem);
  const text = {
    switched: `Your client shows ${place.pane_id}.`,
    window: `A new window shows ${place.pane_id} of ${life.value.target}.`,
    terminal: `You are back from ${place.pane_id}.`,
  }[result.how];
  return { message: { type: 'notice', text, isProblem: false }, isShown: true };
}
