// What a dialog asks, read off the screen: question, command, file, options with their labels and
// which is selected, when a limit ends, and whether the input box is empty. Patterns come from the
// rule file; a part that is not found is left out, never guessed.

import type { ExtractFile, PickFile } from '../../schema/agent-file.ts';
import type { Request } from '../../schema/evidence.ts';
import { type CompileContext, compileIn, compileRange } from './conditions.ts';
import { joinedText, type LineRange } from './regions.ts';
import type { ScreenView } from './screen-view.ts';

const TEXT_MAX = 2000;
const OPTIONS_MAX = 32;
/** Between buttons: two blanks, or one before a letter key as in "[A]llow [D]eny". */
const BUTTON_GAP = / {2,}| (?=\[\p{L}\])/u;
/** UIs keep a few columns free at the right edge before they wrap. */
const WRAP_MARGIN = 6;
const LEFT_BORDER = /^\s*[│┃║]/u;
const RIGHT_BORDER = /[\s│┃║█]+$/u;

export interface Extracted {
  readonly text?: string;
  readonly tool?: string;
  readonly command?: string;
  readonly file?: string;
  readonly options?: NonNullable<Request['options']>;
  /** The words in which the screen tells the end of a limit: "3pm", "in 2h". */
  readonly until?: string;
}

export type Extractor = (view: ScreenView) => Extracted;

type TextPick = (view: ScreenView) => string | undefined;
type OptionsPick = (view: ScreenView) => NonNullable<Request['options']> | undefined;

/** Compiles the `extract` table of a rule. */
export function compileExtract(file: ExtractFile, context: CompileContext): Extractor {
  const text = (files: readonly PickFile[] | undefined) =>
    firstOf(files, (each) => compileText(each, context));
  const texts: readonly (readonly [keyof Extracted, TextPick])[] = [
    ['text', text(file.question)],
    ['tool', text(file.tool)],
    ['command', text(file.command)],
    ['file', text(file.file)],
    ['until', text(file.until)],
  ];
  const options = firstOf(file.options, (each) => compileOptions(each, context));
  return (view) => {
    const found: Record<string, unknown> = {};
    for (const [key, pick] of texts) {
      const value = pick(view);
      if (value !== undefined && value !== '') found[key] = value.slice(0, TEXT_MAX);
    }
    const choices = options(view);
    if (choices !== undefined && choices.length > 0) found['options'] = choices;
    return found as Extracted;
  };
}

const nothing = (): undefined => undefined;

function firstOf<Value>(
  files: readonly PickFile[] | undefined,
  compile: (file: PickFile) => (view: ScreenView) => Value | undefined,
): (view: ScreenView) => Value | undefined {
  const picks = (files ?? []).map(compile);
  return (view) => {
    for (const pick of picks) {
      const value = pick(view);
      if (value !== undefined) return value;
    }
    return undefined;
  };
}

function compileText(file: PickFile, context: CompileContext): TextPick {
  const find = compileRange(file.region, file.lines, context);
  if (file.text !== undefined) {
    const pattern = compileIn(file.text, 'text', context);
    return (view) => groupOf(pattern?.exec(joinedText(view, find(view))));
  }
  if (file.match !== undefined) {
    const pattern = compileIn(file.match, 'line', context);
    return (view) => {
      for (const line of linesOf(view, find(view))) {
        const value = groupOf(pattern?.exec(line));
        if (value !== undefined) return value;
      }
      return undefined;
    };
  }
  return (view) => blockText(linesOf(view, find(view))) || undefined;
}

const linesOf = (view: ScreenView, range: LineRange): readonly string[] =>
  view.lines.slice(range.from, range.to);

const groupOf = (found: RegExpExecArray | null | undefined): string | undefined =>
  found
    ?.slice(1)
    .find((group) => group !== undefined && group !== '')
    ?.trim() ?? (found?.length === 1 ? found[0]?.trim() : undefined);

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

// One option a line, its first group not empty when selected, its last group the label; or, with
// `split`, all options in one line, the selected one drawn in a style of its own.
function compileOptions(file: PickFile, context: CompileContext): OptionsPick {
  if (file.match === undefined) {
    context.problems.push(`${context.place}: options need \`match\``);
    return nothing;
  }
  const pattern = compileIn(file.match, 'line', context);
  if (pattern === null) return nothing;
  const find = compileRange(file.region, file.lines, context);
  return (view) => {
    if (file.split) return buttonOptions(view, find(view), pattern);
    const options = lineOptions(view, find(view), pattern).slice(0, OPTIONS_MAX);
    return options.length > 0 ? options : undefined;
  };
}

function lineOptions(view: ScreenView, range: LineRange, pattern: RegExp) {
  const options: { label: string; selected: boolean }[] = [];
  const looks: Look[] = [];
  let previous = '';
  for (let index = range.from; index < range.to; index += 1) {
    const line = (view.lines[index] ?? '').replace(RIGHT_BORDER, '');
    const found = pattern.exec(view.lines[index] ?? '');
    const open = options.at(-1);
    if (found !== null) {
      const label = (found.at(-1) ?? '').replace(RIGHT_BORDER, '').trim();
      const selected = found.length > 2 && (found[1] ?? '').trim() !== '';
      options.push({ label, selected });
      looks.push(lookOf(view, index, label));
      previous = openEnd(line, label);
    } else if (open !== undefined && isContinuation(previous, line, view.cols)) {
      open.label = `${open.label} ${line.replace(LEFT_BORDER, '').trim()}`;
      previous = line;
    } else {
      previous = '';
    }
  }
  // Without a pointer, the one option drawn on a ground of its own is the selected one.
  const odd = options.some(({ selected }) => selected) ? undefined : options[oddOneOut(looks)];
  if (odd !== undefined) odd.selected = true;
  return options;
}

// A label that ends before its line does has a column of its own: what follows is not its.
const openEnd = (line: string, label: string): string => (line.endsWith(label) ? line : '');

// A line goes on where the one before had no room for its first word; else it is a description.
function isContinuation(previous: string, line: string, cols: number): boolean {
  const firstWord = line.replace(LEFT_BORDER, '').trim().split(' ')[0] ?? '';
  if (previous === '' || !/[\p{L}\p{N}]/u.test(line)) return false;
  return firstWord !== '' && previous.length + 1 + firstWord.length > cols - WRAP_MARGIN;
}

function buttonOptions(view: ScreenView, range: LineRange, pattern: RegExp) {
  for (let index = range.from; index < range.to; index += 1) {
    const found = pattern.exec(view.lines[index] ?? '');
    if (found === null) continue;
    const labels = (found[1] ?? found[0]).trim().split(BUTTON_GAP);
    const odd = oddOneOut(labels.map((label) => lookOf(view, index, label)));
    return labels.slice(0, OPTIONS_MAX).map((label, place) => ({ label, selected: place === odd }));
  }
  return undefined;
}

/** The ground that a label stands on, compared with the rest of its line. */
interface Look {
  readonly ground: string;
  /** Another ground than that of the left edge. */
  readonly raised: boolean;
  /** Another ground than that of most characters. */
  readonly rare: boolean;
}

function lookOf(view: ScreenView, index: number, label: string): Look {
  const styled = view.styleOf(index);
  const start = styled?.text.indexOf(label) ?? -1;
  if (!styled || label === '' || start < 0) return { ground: '', raised: false, rare: false };
  const grounds = styled.styles.map(({ inverse, background }) => `${inverse} ${background}`);
  const ground = grounds[start] ?? '';
  const alike = grounds.filter((each) => each === ground).length;
  return { ground, raised: ground !== grounds[0], rare: alike * 2 < grounds.length };
}

/** The place of the one label that is drawn unlike the others; -1 where none or several are. */
function oddOneOut(looks: readonly Look[]): number {
  if (looks.length < 2) return -1;
  const count = (ground: string) => looks.filter((look) => look.ground === ground).length;
  const alone = looks.filter(({ ground }) => count(ground) === 1);
  const candidates = [
    alone,
    alone.filter(({ raised }) => raised),
    alone.filter(({ rare }) => rare),
  ];
  const odd = candidates.find(({ length }) => length === 1)?.[0];
  return odd === undefined ? -1 : looks.indexOf(odd);
}
