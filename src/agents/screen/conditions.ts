// Conditions of a rule file, compiled to questions about a screen. `match` looks at each line of a
// region, `text` at the region joined into one text, `title` at the pane's title, `mark` asks a
// named condition. Every broken pattern is reported with its place.

import type { ConditionFile } from '../../schema/agent-file.ts';
import { compilePattern, type PatternScope } from './pattern.ts';
import {
  isRegion,
  joinedText,
  type LineRange,
  lastLines,
  type Regions,
  rangeOf,
} from './regions.ts';
import type { ScreenView } from './screen-view.ts';

export type ScreenPredicate = (view: ScreenView) => boolean;

export interface ConditionGroup {
  readonly all?: readonly ConditionFile[] | undefined;
  readonly any?: readonly ConditionFile[] | undefined;
  readonly not?: readonly ConditionFile[] | undefined;
}

/** What compiling needs and fills: named parts of the file, and what is wrong with it. */
export interface CompileContext {
  readonly regions: Regions;
  readonly marks: Map<string, ScreenPredicate>;
  readonly problems: string[];
  /** The rule or mark being compiled, for messages. */
  readonly place: string;
}

const always: ScreenPredicate = () => true;

/** Compiles one group: all of `all`, at least one of `any`, none of `not`. */
export function compileGroup(group: ConditionGroup, context: CompileContext): ScreenPredicate {
  const all = (group.all ?? []).map((each) => compileCondition(each, context));
  const any = (group.any ?? []).map((each) => compileCondition(each, context));
  const not = (group.not ?? []).map((each) => compileCondition(each, context));
  return (view) =>
    all.every((question) => question(view)) &&
    (any.length === 0 || any.some((question) => question(view))) &&
    !not.some((question) => question(view));
}

/** Compiles a pattern and records a refusal in the context; null when it was refused. */
export function compileIn(
  source: string,
  scope: PatternScope,
  context: CompileContext,
): RegExp | null {
  const compiled = compilePattern(source, scope);
  if (compiled.ok) return compiled.regExp;
  context.problems.push(`${context.place}: pattern ${source} is refused: ${compiled.reason}`);
  return null;
}

function compileCondition(file: ConditionFile, context: CompileContext): ScreenPredicate {
  const questions: ScreenPredicate[] = [];
  if (file.all || file.any || file.not) questions.push(compileGroup(file, context));
  if (file.mark !== undefined) questions.push(compileMark(file.mark, context));
  if (file.alternate !== undefined) {
    questions.push((view) => view.alternateOn === file.alternate);
  }
  if (file.title !== undefined) {
    const pattern = compileIn(file.title, 'line', context);
    if (pattern !== null) questions.push((view) => pattern.test(view.title));
  }
  if (file.match !== undefined || file.text !== undefined || file.empty !== undefined) {
    questions.push(compileRegionQuestion(file, context));
  }
  if (questions.length === 0) context.problems.push(`${context.place}: a condition says nothing`);
  const [only, ...more] = questions;
  if (more.length === 0) return only ?? always;
  return (view) => questions.every((question) => question(view));
}

// Marks are looked up when a screen is judged, so their order in the file does not matter.
function compileMark(name: string, context: CompileContext): ScreenPredicate {
  const { marks } = context;
  if (!marks.has(name)) context.problems.push(`${context.place}: there is no mark ${name}`);
  const key = `mark ${name}`;
  return (view) => {
    const known = view.memo.get(key) as boolean | undefined;
    if (known !== undefined) return known;
    // A mark that asks itself gets "no", and the evaluation ends.
    view.memo.set(key, false);
    const answer = marks.get(name)?.(view) ?? false;
    view.memo.set(key, answer);
    return answer;
  };
}

function compileRegionQuestion(file: ConditionFile, context: CompileContext): ScreenPredicate {
  const find = compileRange(file.region, file.lines, context);
  const questions: ((view: ScreenView, range: LineRange) => boolean)[] = [];
  if (file.match !== undefined) {
    const pattern = compileIn(file.match, 'line', context);
    if (pattern !== null) questions.push((view, range) => someLine(view, range, pattern));
  }
  if (file.text !== undefined) {
    const pattern = compileIn(file.text, 'text', context);
    if (pattern !== null) questions.push((view, range) => pattern.test(joinedText(view, range)));
  }
  if (file.empty !== undefined) {
    questions.push((view, range) => isBlank(view, range) === file.empty);
  }
  return (view) => {
    const range = find(view);
    return questions.every((question) => question(view, range));
  };
}

/** The lines a condition looks at: its region (or the whole screen), or the end of it. */
export function compileRange(
  region: string | undefined,
  lines: number | undefined,
  context: CompileContext,
): (view: ScreenView) => LineRange {
  const name = region ?? 'whole';
  const { regions } = context;
  if (!isRegion(regions, name))
    context.problems.push(`${context.place}: there is no region ${name}`);
  if (lines === undefined) return (view) => rangeOf(view, regions, name);
  return (view) => lastLines(view, rangeOf(view, regions, name), lines);
}

function someLine(view: ScreenView, range: LineRange, pattern: RegExp): boolean {
  return view.lines.slice(range.from, range.to).some((line) => line !== '' && pattern.test(line));
}

function isBlank(view: ScreenView, range: LineRange): boolean {
  return view.lines.slice(range.from, range.to).every((line) => line === '');
}
