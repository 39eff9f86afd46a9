// The words of `@agent_state` and of OSC 3008, and what they claim. Whoever writes them (our
// emitter, a wrapper, another tool) sees no more than the agent's hooks do, so work does not end a
// dialog of another source, and only one that says `done` is trusted to tell completions.

import { restUntold, work } from './coverage.ts';
import { claims, ended, type Saying } from './saying.ts';

const dialogOf = (kind: string | undefined): Saying =>
  kind === 'permission'
    ? claims('waiting_approval', { covers: unfinished, request: { kind: 'approval' } })
    : claims('waiting_input', { covers: unfinished, request: { kind: 'question' } });

/** `work` without completions: silence of such a writer is no sign of an interruption. */
const unfinished = work.filter((state) => state !== 'completed');

/** What a word says, or null for a word that is not one of ours. */
export function sayingOfWord(word: string, kind?: string): Saying | null {
  switch (word) {
    case 'running':
      return claims('running', { covers: unfinished });
    case 'awaiting_input':
      return dialogOf(kind);
    case 'done':
      return claims('completed');
    case 'idle':
      return claims('at_rest', { covers: restUntold });
    case 'exited':
      return ended;
    case 'unknown':
      return {};
    default:
      return null;
  }
}

const agentName = /^[a-z][a-z0-9_.-]{0,63}$/;

/** A name that may stand for an agent; anything else is nobody's. */
export function agentNamed(name: string | undefined): string | undefined {
  const lower = name?.toLowerCase();
  return lower !== undefined && agentName.test(lower) ? lower : undefined;
}
