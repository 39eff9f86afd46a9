// The options of a dialog with their labels and which is selected: one a line, or buttons side by
// side. A label that wraps is put together again; where no pointer marks the selected option, the
// one that is drawn unlike the others is it.

import type { PickFile } from '../../schema/agent-file.ts';
import type { Request } from '../../schema/evidence.ts';
import { type CompileContext, compileIn, compileRange } from './conditions.ts';
import type { LineRange } from './regions.ts';
import type { ScreenView } from './screen-view.ts';

export type Options = NonNullable<Request['options']>;

const OPTIONS_MAX = 32;
/** Between buttons: two blanks, or one before a letter key as in "[A]llow [D]eny". */
const BUTTON_GAP = / {2,}| (?=\[\p{L}\])/u;
/** UIs keep a few columns free at the right edge before they wrap. */
const WRAP_MARGIN = 6;
/** The sign of an option that is switched off. */
const NO_CHECK = /^[\s•◦○◯☐□]?$/u;
const LEFT_BORDER = /^\s*[│┃║]/u;
const RIGHT_BORDER = /[\s│┃║█]+$/u;

/**
 * One option per line: first group not empty when selected, the last that holds something the
 * label, and between them a group `check` with the sign in a box. Or `split`.
 */
export function compileOptions(
  file: PickFile,
  context: CompileContext,
): (view: ScreenView) => Options | undefined {
  if (file.match === undefined) {
    context.problems.push(`${context.place}: options need \`match\``);
  }
  const pattern = file.match === undefined ? null : compileIn(file.match, 'line', context);
  if (pattern === null) return () => undefined;
  const find = compileRange(file.region, file.lines, context);
  const read = file.split ? buttonOptions : lineOptions;
  return (view) => {
    const options = read(view, find(view), pattern);
    return options.length > 0 ? options.slice(0, OPTIONS_MAX) : undefined;
  };
}

function lineOptions(view: ScreenView, range: LineRange, pattern: RegExp): Options {
  const options: Options = [];
  const places: { readonly index: number; readonly label: string }[] = [];
  // The line that the next one may go on from; empty where the label is complete.
  let open = '';
  for (let index = range.from; index < range.to; index += 1) {
    const whole = view.lines[index] ?? '';
    const line = whole.replace(RIGHT_BORDER, '');
    const found = pattern.exec(whole);
    const last = options.at(-1);
    if (found !== null) {
      const option = optionOf(found);
      options.push(option);
      places.push({ index, label: option.label });
      // A label that ends before its line has a column of its own: the rest is not part of it.
      open = line.endsWith(option.label) ? line : '';
    } else if (last !== undefined && goesOn(open, line, view.cols)) {
      last.label = `${last.label} ${line.replace(LEFT_BORDER, '').trim()}`;
      open = line;
    } else {
      open = '';
    }
  }
  if (options.some(({ selected }) => selected)) return options;
  const looks = places.map(({ index, label }) => lookOf(view, index, label));
  const odd = options[oddOneOut(looks)];
  if (odd !== undefined) odd.selected = true;
  return options;
}

function optionOf(found: RegExpExecArray): Options[number] {
  const label = (found.findLast(Boolean) ?? '').replace(RIGHT_BORDER, '').trim();
  const { check } = found.groups ?? {};
  const hasCheck = found.groups !== undefined && 'check' in found.groups;
  const hasPointer = found.length > (hasCheck ? 3 : 2);
  const selected = hasPointer && (found[1] ?? '').trim() !== '';
  if (check === undefined) return { label, selected };
  return { label, selected, checked: !NO_CHECK.test(check) };
}

// A line goes on where the one before had no room for its first word; else it is a description.
function goesOn(open: string, line: string, cols: number): boolean {
  if (open === '' || !/[\p{L}\p{N}]/u.test(line)) return false;
  const firstWord = line.replace(LEFT_BORDER, '').trim().split(' ')[0] ?? '';
  return firstWord !== '' && open.length + 1 + firstWord.length > cols - WRAP_MARGIN;
}

function buttonOptions(view: ScreenView, range: LineRange, pattern: RegExp): Options {
  for (let index = range.from; index < range.to; index += 1) {
    const found = pattern.exec(view.lines[index] ?? '');
    if (found === null) continue;
    const labels = (found[1] ?? found[0]).trim().split(BUTTON_GAP);
    const odd = oddOneOut(labels.map((label) => lookOf(view, index, label)));
    return labels.map((label, place) => ({ label, selected: place === odd }));
  }
  return [];
}

/** The background of a label, compared with the rest of its line. */
interface Look {
  readonly ground: string;
  /** Another background than the left edge. */
  readonly raised: boolean;
  /** Another background than most characters. */
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
