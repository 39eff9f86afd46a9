// When a `send` types: now, when the agent rests, or at a time.

import type { SendInput } from '../../schema/api/acting.ts';
import { type Call, isSet, textOf } from '../command.ts';
import { readNextTime } from '../value.ts';
import { sendUsage } from './send-body.ts';

/** Undefined: now. Throws a CliProblem for a time that is none. */
export function readSendMoment({ flags }: Call, nowMs: number): SendInput['when'] {
  const at = textOf(flags, 'at');
  const whenIdle = isSet(flags, 'when-idle');
  if (at === undefined) return whenIdle ? 'idle' : undefined;
  if (whenIdle) {
    throw sendUsage('--at waits for the agent to rest too; --when-idle adds nothing.');
  }
  if (at === 'reset') return 'reset';
  const atMs = readNextTime(at, nowMs);
  if (atMs !== null) return { at_ms: atMs };
  throw sendUsage('--at needs a time to come: 15:30, 2026-01-31T09:30, 20m or reset.');
}
