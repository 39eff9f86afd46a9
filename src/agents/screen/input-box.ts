// Is the agent's input box empty? Ghost text (a suggestion drawn dim or in its own colour, or a
// known placeholder) is not a draft. Delivery of prompts and messages needs the answer; a screen
// without a box has none.

import type { AgentFile } from '../../schema/agent-file.ts';
import type { ScreenPredicate } from './conditions.ts';
import { type CompileContext, compileGroup, compileIn, compileRange } from './conditions.ts';
import type { ScreenView } from './screen-view.ts';

/** True or false, or null where there is no box to look at. */
export type InputPredicate = (view: ScreenView) => boolean | null;

const RIGHT_EDGE = /[\s│┃|]+$/u;

/** Compiles the `[input]` table. */
export function compileInput(file: AgentFile['input'], context: CompileContext): InputPredicate {
  if (file === undefined) return () => null;
  const find = compileRange(file.region, undefined, context);
  const prompt = compileIn(file.prompt, 'line', context);
  const placeholder =
    file.placeholder === undefined ? null : compileIn(file.placeholder, 'line', context);
  const isDrawn = compileGroup(file.mark ? { all: [{ mark: file.mark }] } : {}, context);
  if (prompt === null) return () => null;
  return (view) => {
    if (!isDrawn(view)) return null;
    const { from, to } = find(view);
    let seen = false;
    for (let index = from; index < to; index += 1) {
      const line = view.lines[index] ?? '';
      // A box without a prompt sign has the prompt '^', which every line of it fits.
      seen ||= prompt.test(line);
      const draft = line.replace(prompt, '').replace(RIGHT_EDGE, '').trim();
      if (!seen || draft === '' || placeholder?.test(draft)) continue;
      if (!isGhost(view, index, draft)) return false;
    }
    return seen ? true : null;
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
