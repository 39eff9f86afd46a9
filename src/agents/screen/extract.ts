// What a dialog asks, read off the screen: question, tool, command, file, options, and when a limit
// ends. Patterns come from the rule file; a part that is not found is left out, never guessed.

import type { ExtractFile, PickFile } from '../../schema/agent-file.ts';
import { type CompileContext, compileIn, compileRange } from './conditions.ts';
import { compileOptions, type Options } from './option-list.ts';
import { joinedText } from './regions.ts';
import type { ScreenView } from './screen-view.ts';

const TEXT_MAX = 2000;

export interface DialogDetails {
  readonly text?: string;
  readonly tool?: string;
  readonly command?: string;
  readonly file?: string;
  readonly options?: Options;
  /** The end of a limit in the words of the screen: "3pm", "in 2h". */
  readonly until?: string;
}

export type Extractor = (view: ScreenView) => DialogDetails;

type Reader<Value> = (view: ScreenView) => Value | undefined;

/** Compiles the `extract` table of a rule. */
export function compileExtract(file: ExtractFile, context: CompileContext): Extractor {
  const text = (files: readonly PickFile[] | undefined) =>
    firstOf(files, (each) => compileText(each, context));
  const picks: { readonly [Key in keyof DialogDetails]-?: Reader<DialogDetails[Key]> } = {
    text: text(file.question),
    tool: text(file.tool),
    command: text(file.command),
    file: text(file.file),
    until: text(file.until),
    options: firstOf(file.options, (each) => compileOptions(each, context)),
  };
  return (view) => {
    const found = Object.entries(picks).map(([key, pick]) => [key, pick(view)] as const);
    return Object.fromEntries(found.filter(([, value]) => value !== undefined && value !== ''));
  };
}

/** The first place that yields something. */
function firstOf<Value>(
  files: readonly PickFile[] = [],
  compile: (file: PickFile) => Reader<Value>,
): Reader<Value> {
  const picks = files.map(compile);
  return (view) => firstFound(picks, (pick) => pick(view));
}

function firstFound<Each, Value>(
  all: readonly Each[],
  read: (each: Each) => Value | undefined,
): Value | undefined {
  for (const each of all) {
    const value = read(each);
    if (value !== undefined) return value;
  }
  return undefined;
}

function compileText(file: PickFile, context: CompileContext): Reader<string> {
  const read = compileReading(file, context);
  return (view) => read(view)?.slice(0, TEXT_MAX);
}

/** By `text` from the joined lines, by `match` from the first line that fits, else as a block. */
function compileReading({ region, lines, text, match }: PickFile, context: CompileContext) {
  const find = compileRange(region, lines, context);
  const linesOf = (view: ScreenView): readonly string[] => {
    const { from, to } = find(view);
    return view.lines.slice(from, to);
  };
  if (text !== undefined) {
    const pattern = compileIn(text, 'text', context);
    return (view: ScreenView) => groupOf(pattern, joinedText(view, find(view)));
  }
  if (match !== undefined) {
    const pattern = compileIn(match, 'line', context);
    return (view: ScreenView) => firstFound(linesOf(view), (line) => groupOf(pattern, line));
  }
  return (view: ScreenView) => blockText(linesOf(view)) || undefined;
}

/** The first group that holds something, or the whole match of a pattern without groups. */
function groupOf(pattern: RegExp | null, text: string): string | undefined {
  const found = pattern?.exec(text);
  if (!found) return undefined;
  const [whole, ...groups] = found;
  return (groups.length === 0 ? whole : groups.find(Boolean))?.trim();
}

/** A block as it stands, without the blank edge and borders that the UI puts around it. */
function blockText(lines: readonly string[]): string {
  const inner = lines.map((line) => line.replace(/^\s{0,8}[│┃▎] ?/u, '').replace(/\s*[│┃]$/u, ''));
  const indents = inner.filter((line) => line.trim() !== '').map((line) => line.search(/\S/));
  const indent = indents.length > 0 ? Math.min(...indents) : 0;
  return inner
    .map((line) => line.slice(indent))
    .join('\n')
    .replace(/^\n+|\n+$/g, '');
}
