// Keys of a person at a terminal, typed as they come. No screen was read for them, so that nothing
// but tmux itself checks the pane, in the same step.

import type { TypedPart } from '../schema/web/typing.ts';
import type { TmuxLink } from '../tmux/link.ts';
import { type ActionResult, refusedBy } from './action-result.ts';
import { guardedCommand, type PaneGuard, readGuarded } from './guarded-command.ts';

/** So many for one `send-keys`; each is four characters of the line. */
const COMMAND_BYTES_MAX = 128;
/** tmux takes 16 kB of arguments from a client that is no control client, quotes included. */
const STEP_BYTES_MAX = 1_024;
/** A key counts as its longest escape sequence. */
const KEY_BYTES = 8;

export interface TypingRequest {
  readonly link: Pick<TmuxLink, 'run'>;
  readonly guard: PaneGuard;
  readonly parts: readonly TypedPart[];
  readonly commandTimeoutMs: number;
  /** Called before each step, from where on it happens: why no more of it may be typed, or null. */
  readonly commit: () => ActionResult | null;
  /** So many bytes were typed with a step. */
  readonly onTyped: (byteCount: number) => void;
}

interface Step {
  readonly commands: string[][];
  byteCount: number;
}

/** Null when all was typed; else why the rest was not. Rejects with a Fault. */
export async function typeKeys(request: TypingRequest): Promise<ActionResult | null> {
  const { link, guard, parts, commandTimeoutMs, commit, onTyped } = request;
  for (const { commands, byteCount } of stepsOf(guard.paneId, parts)) {
    const problem = commit();
    if (problem !== null) return problem;
    const limits = { deadlineMs: commandTimeoutMs };
    const typed = readGuarded(await link.run([guardedCommand(guard, commands)], limits), guard);
    if (!typed.isDone) return refusedBy(typed.guard);
    onTyped(byteCount);
  }
  return null;
}

/** What is typed with nothing in between. */
function stepsOf(paneId: string, parts: readonly TypedPart[]): readonly Step[] {
  const steps: Step[] = [];
  const add = (words: readonly string[], byteCount: number): void => {
    const last = steps.at(-1);
    const step = last && last.byteCount < STEP_BYTES_MAX ? last : { commands: [], byteCount: 0 };
    if (step !== last) steps.push(step);
    step.commands.push(['send-keys', '-t', paneId, ...words]);
    step.byteCount += byteCount;
  };
  for (const part of parts) {
    if ('key' in part) {
      add([part.key], KEY_BYTES);
      continue;
    }
    const bytes = Buffer.from(part.bytes, 'base64');
    for (let at = 0; at < bytes.length; at += COMMAND_BYTES_MAX) {
      const piece = [...bytes.subarray(at, at + COMMAND_BYTES_MAX)];
      add(['-H', ...piece.map((byte) => byte.toString(16).padStart(2, '0'))], piece.length);
    }
  }
  return steps;
}
