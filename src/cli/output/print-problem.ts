// Prints why a command failed: for a person on standard error, with what to do and what to type
// instead; with --json as one JSON object on standard output. Loaded only when something failed.

import { shellQuote } from '../../platform/text/shell-quote.ts';
import { safeJson, safeText } from '../../render/safe-text.ts';
import { padToWidth, textWidth } from '../../render/width.ts';
import type { RefCandidate } from '../../schema/outcome.ts';
import type { CliOutput } from '../command.ts';
import type { ShownProblem } from '../exit-codes.ts';
import { inputWords } from './input-words.ts';

/** Of the operation, whose fields nobody types here. */
const FIELDS_HINT = 'See docs/reference for the fields.';

export function printProblem(output: CliOutput, problem: ShownProblem, isJson: boolean): void {
  const { code, message, hint, exitCode, candidates } = problem;
  if (isJson) {
    const error = {
      code,
      message,
      hint,
      exit_code: exitCode,
      ...(candidates.length === 0 ? {} : { candidates }),
    };
    const generated_at = new Date().toISOString();
    output.writeOut(`${safeJson({ schema_version: 1, generated_at, error })}\n`);
    return;
  }
  const isInput = code === 'E_INPUT_INVALID';
  const words = isInput ? inputWords(message) : message;
  const remedy = isInput && hint === FIELDS_HINT ? 'See the --help of the command.' : hint;
  const lines = [`${code}: ${words}`, ...(remedy === null ? [] : [remedy])].map((line) =>
    safeText(line),
  );
  output.writeErr(`${[...lines, ...candidateLines(candidates)].join('\n')}\n`);
}

/** One line for each pane: what to type, its agent, its state and its title. */
function candidateLines(candidates: readonly RefCandidate[]): readonly string[] {
  const rows = candidates.map(({ ref, agent, state, title }) =>
    [shellWord(ref), agent ?? '-', agent === null ? 'no agent' : state, title].map((text) =>
      safeText(text),
    ),
  );
  const widths = [0, 1, 2].map((column) =>
    Math.max(0, ...rows.map((row) => textWidth(row[column] ?? ''))),
  );
  return rows.map((row) =>
    `  ${row.map((text, column) => padToWidth(text, widths[column] ?? 0)).join('  ')}`.trimEnd(),
  );
}

/** The text as it is typed in a shell. */
export const shellWord = (text: string): string =>
  /^[\w./:@%+,=-]+$/.test(text) || text.includes('\0') ? text : shellQuote(text);
