// What tmux shows of a pane, cleaned and bounded: the only thing that screen rules can look at.
// Colours are read lazily, because few rules ask for them. Nothing here knows an agent.

import { LINE_LENGTH_MAX } from './pattern.ts';
import { readStyledLines, type StyledLine } from './styled-lines.ts';

/** The live screen is never taller; what is above is scrollback, which no rule may match. */
export const LINE_COUNT_MAX = 200;

export interface ScreenCursor {
  readonly x: number;
  readonly y: number;
  /** Left out where it was not recorded. */
  readonly isVisible?: boolean | undefined;
}

export interface ScreenInput {
  readonly lines: readonly string[];
  /** The same lines with their escape sequences, where they were captured. */
  readonly ansi?: string;
  readonly title: string;
  readonly cols: number;
  readonly rows: number;
  readonly cursor?: ScreenCursor | undefined;
  readonly alternateOn?: boolean | undefined;
  /** Lines from the top that were there before the agent began; none where it is left out. */
  readonly olderCount?: number | undefined;
}

export interface ScreenView {
  readonly lines: readonly string[];
  /** The first line that the agent may have drawn: rules look at none above it. */
  readonly ownFrom: number;
  readonly title: string;
  readonly cols: number;
  readonly cursorLine: number | null;
  /** Null where it was not recorded; it may be under the last line. */
  readonly cursor: ScreenCursor | null;
  readonly alternateOn: boolean | null;
  /** Style of each character of a line, or null when it was not captured. */
  readonly styleOf: (lineIndex: number) => StyledLine | null;
  /** Whether a rule has read a style. */
  readonly asksStyle: () => boolean;
  /** What one agent's rules computed from this screen, by name of region or mark. */
  readonly memo: Map<string, unknown>;
  /** The same screen for other rule files: names of regions and marks are each file's own. */
  readonly scopes: WeakMap<object, ScreenView>;
}

// Control characters, variation selectors and bidi marks never take part in a match.
const CONTROLS = /\p{Cc}|[\ufe0e\ufe0f]|[\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const ODD_SPACES = /[\u00a0\u2007\u202f\t]/g;

/** One line as rules see it: no control characters, plain spaces, no trailing blanks, cut. */
export function cleanLine(line: string): string {
  return line.slice(0, LINE_LENGTH_MAX).replace(CONTROLS, '').replace(ODD_SPACES, ' ').trimEnd();
}

/** The screen that rules match: the last lines, cleaned, without blank lines at the end. */
export function viewScreen(input: ScreenInput): ScreenView {
  const start = Math.max(0, input.lines.length - LINE_COUNT_MAX);
  const lines = input.lines.slice(start).map(cleanLine);
  while (lines.length > 0 && lines.at(-1) === '') lines.pop();
  const cursorLine = input.cursor ? input.cursor.y - start : -1;
  let styled: readonly StyledLine[] | null = null;
  let isStyleRead = false;
  return {
    lines,
    ownFrom: Math.max(0, (input.olderCount ?? 0) - start),
    title: cleanLine(input.title).trim(),
    cols: input.cols,
    cursorLine: cursorLine >= 0 && cursorLine < lines.length ? cursorLine : null,
    cursor: input.cursor ? { ...input.cursor, y: cursorLine } : null,
    alternateOn: input.alternateOn ?? null,
    styleOf: (lineIndex) => {
      isStyleRead = true;
      if (input.ansi === undefined) return null;
      styled ??= readStyledLines(input.ansi).slice(start);
      return styled[lineIndex] ?? null;
    },
    asksStyle: () => isStyleRead,
    memo: new Map(),
    scopes: new WeakMap(),
  };
}

/** The screen as one rule file sees it, with what that file has computed already. */
export function scopeTo(view: ScreenView, owner: object): ScreenView {
  const known = view.scopes.get(owner);
  if (known !== undefined) return known;
  const scoped: ScreenView = { ...view, memo: new Map() };
  view.scopes.set(owner, scoped);
  return scoped;
}
