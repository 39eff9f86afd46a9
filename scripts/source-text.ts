// Splits JavaScript or TypeScript text into code, comments, strings and regular expressions, so
// that each tidy rule checks only one kind. It is a scanner, not a parser: it only finds where each
// piece ends. Pure.

export type SegmentKind = 'code' | 'comment' | 'string' | 'regex';

export type Segment = { readonly kind: SegmentKind; readonly start: number; readonly end: number };

// The first alternative that matches at the current place wins. A template is taken up to its end
// or its next `${`; what stands inside the braces is code again.
const tokenPattern = new RegExp(
  [
    String.raw`(?<comment>^#![^\n]*|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))`,
    String.raw`(?<string>'(?:\\[\s\S]|[^'\\\n])*'?|"(?:\\[\s\S]|[^"\\\n])*"?)`,
    String.raw`(?<template>\x60)`,
    String.raw`(?<regex>\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*)`,
    String.raw`(?<word>[\w$]+)`,
    String.raw`(?<space>\s+)`,
    String.raw`(?<mark>[\s\S])`,
  ].join('|'),
  'y',
);

const templateText = /(?:\\[\s\S]|\$(?!\{)|[^`\\$])*(?:`|\$\{|$)/y;

// A slash after one of these divides; after anything else it opens a regular expression.
const endsValue = /^(?:[\w$]+|[)\]}]|['"`].*)$/s;
const wordsBeforeRegex = new Set(['return', 'typeof', 'case', 'in', 'of', 'void', 'throw', 'else']);

function isDivision(previous: string): boolean {
  return endsValue.test(previous) && !wordsBeforeRegex.has(previous);
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray {
  pattern.lastIndex = at;
  const found = pattern.exec(text);
  if (found === null) throw new Error(`no token at ${at}`);
  return found;
}

// Where the scanner is. `openBraces` has one entry for each open template: how many braces are open
// inside its `${`.
type Scan = {
  readonly text: string;
  readonly segments: Segment[];
  readonly openBraces: number[];
  at: number;
  previous: string;
};

function add(scan: Scan, kind: SegmentKind, end: number): void {
  scan.segments.push({ kind, start: scan.at, end });
  scan.at = end;
}

// Takes template text from `from` on, after the backtick or brace at the current place.
function addTemplate(scan: Scan, from: number): void {
  const [found] = matchAt(templateText, scan.text, from);
  if (found.endsWith('${')) scan.openBraces.push(0);
  scan.previous = found.endsWith('`') ? '`' : '{';
  add(scan, 'string', from + found.length);
}

// Returns true when the brace closed a template's `${` and the template goes on after it.
function closesTemplateCode(scan: Scan, mark: string): boolean {
  const open = scan.openBraces.pop();
  if (open === undefined) return false;
  if (mark === '}' && open === 0) return true;
  const change = mark === '{' ? 1 : mark === '}' ? -1 : 0;
  scan.openBraces.push(open + change);
  return false;
}

function addMark(scan: Scan, mark: string): void {
  if (closesTemplateCode(scan, mark)) {
    addTemplate(scan, scan.at + 1);
    return;
  }
  scan.previous = mark;
  add(scan, 'code', scan.at + 1);
}

function addToken(scan: Scan, token: string, group: string): void {
  const end = scan.at + token.length;
  if (group === 'comment') add(scan, 'comment', end);
  else if (group === 'space') add(scan, 'code', end);
  else if (group === 'template') addTemplate(scan, end);
  else if (group === 'mark') addMark(scan, token);
  else if (group === 'regex' && isDivision(scan.previous)) addMark(scan, '/');
  else {
    scan.previous = token;
    add(scan, group === 'word' ? 'code' : group === 'regex' ? 'regex' : 'string', end);
  }
}

// Returns the segments in order; together they cover the text without gaps.
export function segmentsOf(text: string): readonly Segment[] {
  const scan: Scan = { text, segments: [], openBraces: [], at: 0, previous: '' };
  while (scan.at < text.length) {
    const { 0: token, groups = {} } = matchAt(tokenPattern, text, scan.at);
    const group = Object.keys(groups).find((name) => groups[name] !== undefined);
    addToken(scan, token, group ?? 'mark');
  }
  return scan.segments;
}

const blank = (text: string): string => text.replace(/[^\n]/g, ' ');

// Strings keep their quotes, so that `from ' '` is still seen as an import.
function blankInside(text: string): string {
  if (text.length < 2) return text;
  return text.slice(0, 1) + blank(text.slice(1, -1)) + text.slice(-1);
}

// A dozen rules look at the same text: each view of it is made once.
function once(view: (text: string) => string): (text: string) => string {
  const views = new Map<string, string>();
  return (text) => {
    const known = views.get(text) ?? view(text);
    views.set(text, known);
    return known;
  };
}

// Returns the text with everything but code turned into spaces; places stay the same.
export const codeOnly = once((text) =>
  segmentsOf(text)
    .map(({ kind, start, end }) => {
      const piece = text.slice(start, end);
      if (kind === 'code') return piece;
      return kind === 'string' ? blankInside(piece) : blank(piece);
    })
    .join(''),
);

// Returns the text with everything but comments turned into spaces; places stay the same.
export const commentsOnly = once((text) =>
  segmentsOf(text)
    .map(({ kind, start, end }) => {
      const piece = text.slice(start, end);
      return kind === 'comment' ? piece : blank(piece);
    })
    .join(''),
);

export type ImportKind = 'value' | 'type' | 'lazy' | 'url';

export type FoundImport = {
  readonly kind: ImportKind;
  readonly specifier: string;
  readonly line: number;
};

// `import { type A } from` is not a type import: verbatimModuleSyntax keeps the module loaded.
const importPatterns: readonly [RegExp, ImportKind][] = [
  [/\b(?:import|export)\s+type\b[^'"`;()]*?\bfrom\s*(['"])(?<name> *)\1/dg, 'type'],
  [/\b(?:import|export)\b(?!\s+type\s*[{*\w])[^'"`;()]*?\bfrom\s*(['"])(?<name> *)\1/dg, 'value'],
  [/\bimport\s*(['"])(?<name> *)\1/dg, 'value'],
  [/\bimport\s*\(\s*(['"])(?<name> *)\1/dg, 'lazy'],
  [/\bnew\s+URL\s*\(\s*(['"])(?<name> *)\1\s*,\s*import\.meta\.url/dg, 'url'],
];

export function lineOf(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}

// Returns every import, re-export, dynamic import with a literal name, and `new URL(literal,
// import.meta.url)`, which is how workers and data files are reached.
export function importsOf(text: string): readonly FoundImport[] {
  const code = codeOnly(text);
  return importPatterns.flatMap(([pattern, kind]) =>
    [...code.matchAll(pattern)].map((found) => {
      const [start, end] = found.indices?.groups?.['name'] ?? [0, 0];
      return { kind, specifier: text.slice(start, end), line: lineOf(text, found.index) };
    }),
  );
}
