// The words of `@agent_state` and of OSC 3008, and what they claim. Whoever writes them (our
// emitter, a wrapper, another tool) sees no more than the agent's hooks do, so work does not end a
// dialog of another source, and only one that says `done` is trusted to report completions.

import { restWithoutCompletion, work } from './coverage.ts';
import { claim, type SignalContent, sessionEnded } from './signal-content.ts';

const dialogOf = (kind: string | undefined): SignalContent =>
  kind === 'permission'
    ? claim('waiting_approval', { covers: unfinished, request: { kind: 'approval' } })
    : claim('waiting_input', { covers: unfinished, request: { kind: 'question' } });

/** `work` without completions: silence of such a writer does not mean an interruption. */
const unfinished = work.filter((state) => state !== 'completed');

/** What a word says, or null for a word that is not one of ours. */
export function contentOfWord(word: string, kind?: string): SignalContent | null {
  switch (word) {
    case 'running':
      return claim('running', { covers: unfinished });
    case 'awaiting_input':
      return dialogOf(kind);
    case 'done':
      return claim('completed');
    case 'idle':
      return claim('at_rest', { covers: restWithoutCompletion });
    case 'exited':
      return sessionEnded;
    case 'unknown':
      return {};
    default:
      return null;
  }
}

const agentName = /^[a-z][a-z0-9_.-]{0,63}$/;

/** The name of an agent in lower case; undefined for any other text. */
export function parseAgentName(name: string | undefined): string | undefined {
  const lower = name?.toLowerCase();
  return lower !== undefined && agentName.test(lower) ? lower : undefined;
}
