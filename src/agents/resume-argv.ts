// The words that start an agent again with an earlier session of its own; no shell reads them. An
// id that does not look like one of the agent's own is refused.

import type { AgentFile } from '../schema/agent-file.ts';
import type { ResumeSpec } from './adapter.ts';
import { compilePattern } from './screen/pattern.ts';

/** Whatever an agent's file allows: no id may be taken for an option, a path or two words. */
const SAFE_ID = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,199}$/;

/** Compiles the `[resume]` table; null for an agent without one. */
export function compileResume({ resume }: AgentFile): {
  readonly resume: ResumeSpec | null;
  readonly problems: readonly string[];
} {
  if (resume === undefined) return { resume: null, problems: [] };
  const { program, args, id } = resume;
  const compiled = compilePattern(`^(?:${id})$`, 'line');
  if (compiled.ok) return { resume: { program, args, idPattern: compiled.regExp }, problems: [] };
  return { resume: null, problems: [`resume: pattern ${id} is refused: ${compiled.reason}`] };
}

/** The command as words; null for an id that the agent would not have given out. */
export function resumeArgv(
  { program, args, idPattern }: ResumeSpec,
  sessionId: string,
  extraArgs: readonly string[],
): readonly string[] | null {
  if (!SAFE_ID.test(sessionId) || !idPattern.test(sessionId)) return null;
  // Options go before a subcommand that takes the id.
  return [program, ...extraArgs, ...args.map((each) => each.replaceAll('{id}', sessionId))];
}
