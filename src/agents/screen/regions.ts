// Regions: named parts of the live bottom of a screen, described in a rule file by the lines that
// bound them. A region is a range of lines; one whose bound is not on the screen is empty. A file
// that declares `whole` itself (from the agent's last start banner) bounds all its regions by it.

import type { RegionFile } from '../../schema/agent-file.ts';
import { compilePattern, REGION_LENGTH_MAX } from './pattern.ts';
import type { ScreenView } from './screen-view.ts';

/** Lines from `from` up to and without `to`. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

export interface Region {
  readonly within: string;
  readonly before: RegExp | null;
  readonly after: RegExp | null;
  /** The bounding line found by `after` belongs to the region. */
  readonly keepsBound: boolean;
  /** A bound that is not on the screen leaves the region as it is, instead of empty. */
  readonly optional: boolean;
  readonly first: number | null;
  readonly last: number | null;
}

export type Regions = ReadonlyMap<string, Region>;

/**
 * `screen`: every line that the agent itself may have drawn. `whole`: the same, unless the file
 * declares it. `last`: the last line that is not blank. `cursor`: the cursor's line.
 */
const BUILT_IN = ['screen', 'whole', 'last', 'cursor'] as const;

export const isRegion = (regions: Regions, name: string): boolean =>
  regions.has(name) || (BUILT_IN as readonly string[]).includes(name);

export interface CompiledRegions {
  readonly regions: Regions;
  readonly problems: readonly string[];
}

/** Compiles the regions of a file. A broken one is left out and reported. */
export function compileRegions(files: Readonly<Record<string, RegionFile>>): CompiledRegions {
  const problems: string[] = [];
  const regions = new Map<string, Region>();
  const compile = (name: string, source: string | undefined): RegExp | null => {
    if (source === undefined) return null;
    const compiled = compilePattern(source, 'line');
    if (compiled.ok) return compiled.regExp;
    problems.push(`region ${name}: pattern ${source} is refused: ${compiled.reason}`);
    return null;
  };
  for (const [name, file] of Object.entries(files)) {
    if (file.after !== undefined && file.from !== undefined) {
      problems.push(`region ${name}: has both \`after\` and \`from\``);
    }
    regions.set(name, {
      within: file.within ?? (name === 'whole' ? 'screen' : 'whole'),
      before: compile(name, file.before),
      after: compile(name, file.after ?? file.from),
      keepsBound: file.from !== undefined,
      optional: file.optional,
      first: file.first ?? null,
      last: file.last ?? null,
    });
  }
  return { regions, problems: [...problems, ...brokenParents(regions)] };
}

function brokenParents(regions: Regions): readonly string[] {
  return [...regions].flatMap(([name, region]) => {
    const seen = new Set([name]);
    let parent = region.within;
    while (regions.has(parent)) {
      if (seen.has(parent)) return [`region ${name}: lies within itself`];
      seen.add(parent);
      parent = regions.get(parent)?.within ?? 'whole';
    }
    return isRegion(regions, parent) ? [] : [`region ${name}: there is no region ${parent}`];
  });
}

/** The lines of a region on one screen; computed once a screen. */
export function rangeOf(view: ScreenView, regions: Regions, name: string): LineRange {
  const key = `region ${name}`;
  const known = view.memo.get(key) as LineRange | undefined;
  if (known !== undefined) return known;
  const range = findRange(view, regions, name);
  view.memo.set(key, range);
  return range;
}

function findRange(view: ScreenView, regions: Regions, name: string): LineRange {
  const end = view.lines.length;
  const region = regions.get(name);
  if (region === undefined) {
    const own = { from: Math.min(view.ownFrom, end), to: end };
    if (name === 'last') return lastLines(view, own, 1);
    if (name !== 'cursor') return own;
    return { from: view.cursorLine ?? 0, to: (view.cursorLine ?? -1) + 1 };
  }
  const bounded = bound(view, region, rangeOf(view, regions, region.within));
  if (region.last !== null) return lastLines(view, bounded, region.last);
  return region.first === null ? bounded : firstLines(view, bounded, region.first);
}

function bound(view: ScreenView, region: Region, outer: LineRange): LineRange {
  let { from, to } = outer;
  if (region.before !== null) {
    const index = lastMatch(view, { from, to }, region.before);
    if (index >= 0) to = index;
    else if (!region.optional) return { from, to: from };
  }
  if (region.after !== null) {
    const index = lastMatch(view, { from, to }, region.after);
    if (index >= 0) from = region.keepsBound ? index : index + 1;
    else if (!region.optional) return { from, to: from };
  }
  return { from, to };
}

function lastMatch(view: ScreenView, range: LineRange, pattern: RegExp): number {
  for (let index = range.to - 1; index >= range.from; index -= 1) {
    if (pattern.test(view.lines[index] ?? '')) return index;
  }
  return -1;
}

/** The end of a range that holds its last `count` lines that are not blank. */
export function lastLines(view: ScreenView, range: LineRange, count: number): LineRange {
  let left = count;
  let from = range.to;
  while (from > range.from && left > 0) {
    from -= 1;
    if (view.lines[from] !== '') left -= 1;
  }
  return { from, to: range.to };
}

function firstLines(view: ScreenView, range: LineRange, count: number): LineRange {
  let left = count;
  let to = range.from;
  while (to < range.to && left > 0) {
    if (view.lines[to] !== '') left -= 1;
    to += 1;
  }
  return { from: range.from, to };
}

const BORDERS = /^[\s│┃┆┊║▌▐▎▏|]+|[\s│┃┆┊║▌▐▎▏|]+$/gu;

/** The lines of a range joined into one text, so that a wrapped sentence is one sentence again. */
export function joinedText(view: ScreenView, range: LineRange): string {
  const key = `text ${range.from} ${range.to}`;
  const known = view.memo.get(key) as string | undefined;
  if (known !== undefined) return known;
  const text = view.lines
    .slice(range.from, range.to)
    .map((line) => line.replace(BORDERS, ''))
    .filter((line) => line !== '')
    .join(' ')
    .replaceAll(/ {2,}/g, ' ')
    .slice(-REGION_LENGTH_MAX);
  view.memo.set(key, text);
  return text;
}
