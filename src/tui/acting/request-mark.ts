// What a person notes of a pane: snoozed until a time, or a name of its own.

import { formatDuration } from '../../platform/text/duration.ts';
import type { DaemonReply, Effect, Message } from '../message.ts';
import { problemNotice } from '../steps.ts';
import type { CallDaemon } from './request-action.ts';

type Mark = Extract<Effect, { kind: 'snooze' | 'unsnooze' | 'name' }>;

export async function requestMark(call: CallDaemon, effect: Mark): Promise<Message> {
  const { kind, paneKey: ref } = effect;
  switch (kind) {
    case 'snooze': {
      const { forMs } = effect;
      const answer = await call('snooze', { ref, for_ms: forMs });
      return outcomeNotice(answer, `Snoozed for ${formatDuration(forMs)}; z ends it.`);
    }
    case 'unsnooze':
      return outcomeNotice(await call('unsnooze', { ref }), 'No longer snoozed.');
    case 'name': {
      const { alias } = effect;
      const answer = await call('name_pane', { ref, alias });
      const text = alias === null ? 'The name is removed.' : `The pane is named ${alias}.`;
      return outcomeNotice(answer, text);
    }
  }
}

const outcomeNotice = (answer: DaemonReply<unknown>, text: string): Message =>
  answer.ok ? { type: 'notice', text, isProblem: false } : problemNotice(answer.problem);
