// The draft in the agent's input box. Ghost text (a suggestion drawn dim or in its own colour, or a
// known placeholder) is not one. Whoever types a prompt reads it before and after; a screen without
// a box has none.

import type { AgentFile } from '../../schema/agent-file.ts';
import type { ScreenPredicate } from './conditions.ts';
import { type CompileContext, compileGroup, compileIn, compileRange } from './conditions.ts';
import type { ScreenView } from './screen-view.ts';

export interface InputDraft {
  /** What is typed, as far as the rows of the box are known; empty for an empty box. */
  readonly lines: readonly string[];
  /** Everything from the prompt sign to the bottom: the rows of some boxes have no end. */
  readonly toBottom: readonly string[];
  /** The row with the prompt sign, as it is drawn. */
  readonly firstRow: string;
}

/** Null where there is no box to look at. */
export type DraftReader = (view: ScreenView) => InputDraft | null;

const RIGHT_EDGE = /[\s│┃|]+$/u;

/** Compiles the `[input]` table. */
export function compileInput(file: AgentFile['input'], context: CompileContext): DraftReader {
  if (file === undefined) return () => null;
  const find = compileRange(file.region, undefined, context);
  const prompt = compileIn(file.prompt, 'line', context);
  const placeholder =
    file.placeholder === undefined ? null : compileIn(file.placeholder, 'line', context);
  const isDrawn = compileGroup(file.mark ? { all: [{ mark: file.mark }] } : {}, context);
  if (prompt === null) return () => null;
  const textOf = (line: string): string => line.replace(prompt, '').replace(RIGHT_EDGE, '').trim();
  return (view) => {
    if (!isDrawn(view)) return null;
    const { from, to } = find(view);
    const rows = view.lines.slice(from, to);
    // A box without a prompt sign has the prompt '^', which every line of it fits.
    const first = rows.findIndex((line) => prompt.test(line));
    if (first < 0) return null;
    const lines = rows.map(textOf).filter((text, row) => {
      if (row < first || text === '' || placeholder?.test(text)) return false;
      return !isGhost(view, from + row, text);
    });
    const firstRow = rows[first] ?? '';
    return { lines, toBottom: view.lines.slice(from + first).map(textOf), firstRow };
  };
}

/** Whether the cursor stands in the input box, as far as it is drawn. */
export function compileCursorInput(
  file: AgentFile['input'],
  context: CompileContext,
): ScreenPredicate {
  if (file === undefined) return () => false;
  const find = compileRange(file.region, undefined, context);
  return (view) => {
    const { from, to } = find(view);
    return view.cursorLine !== null && view.cursorLine >= from && view.cursorLine < to;
  };
}

// The first character sits under the cursor, which the agent may draw itself, so the second
// decides: it is dim, or drawn in a colour of its own behind such a cursor.
function isGhost(view: ScreenView, index: number, draft: string): boolean {
  const styled = view.styleOf(index);
  const start = styled?.text.indexOf(draft) ?? -1;
  const first = styled?.styles[start];
  const second = styled?.styles[start + 1];
  if (first === undefined) return false;
  if (second === undefined || draft.length === 1) return first.dim;
  const isOnCursor = first.inverse || first.underline;
  return second.dim || (isOnCursor && first.foreground !== second.foreground);
}
