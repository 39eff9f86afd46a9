// Inserts into and removes from JSON text so that a removal gives the bytes of before. Three rules
// make that hold without any memory: an insertion goes to the end of its container, on a line of
// its own where the others have one; in an empty container it comes directly after the bracket; and
// a container that we make opens with a line end, so that it can be recognised.

import { endOfTrivium, type JsonChild, type JsonContainer, skipTrivia } from './json-text.ts';

/** How the author lays out text. */
export interface JsonLayout {
  readonly lineEnd: string;
  /** One step of indentation. */
  readonly step: string;
}

/** What is added, laid out for a line that is indented so. */
export type JsonPiece = (indent: string) => string;

export function jsonLayout(text: string): JsonLayout {
  const lineEnd = /\r?\n/.exec(text)?.[0] ?? '\n';
  const step = /\n([ \t]+)"/.exec(text)?.[1] ?? '  ';
  return { lineEnd, step: step.startsWith('\t') ? '\t' : step.slice(0, 8) };
}

export function insertChild(text: string, container: JsonContainer, piece: JsonPiece): string {
  const last = container.children.at(-1);
  const { lineEnd, step } = jsonLayout(text);
  if (last === undefined) {
    const at = container.start + 1;
    return `${text.slice(0, at)}${piece(indentAt(text, container.start) + step)}${text.slice(at)}`;
  }
  const comma = commaAfter(text, last.end);
  const [between, after] = comma === null ? [',', ''] : ['', ','];
  const own = ownLineOf(text, last, container);
  if (own === null) {
    const at = comma === null ? last.end : comma + 1;
    const added = `${between} ${piece(indentAt(text, last.start))}${after}`;
    return text.slice(0, at) + added + text.slice(at);
  }
  const added = `${lineEnd}${own.indent}${piece(own.indent)}${after}`;
  const head = text.slice(0, last.end) + between + text.slice(last.end, own.lineEnd);
  return head + added + text.slice(own.lineEnd);
}

/** The comma that follows a child; null where none does. */
function commaAfter(text: string, end: number): number | null {
  const at = skipTrivia(text, end);
  return text[at] === ',' ? at : null;
}

/** The indentation of the line that a place is on. */
function indentAt(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  return /^\uFEFF?([ \t]*)/.exec(line)?.[1] ?? '';
}

/** Where the line of a child ends, if it begins there and its container ends on a later one. */
function ownLineOf(
  text: string,
  child: JsonChild,
  container: JsonContainer,
): { readonly indent: string; readonly lineEnd: number } | null {
  const lineStart = text.lastIndexOf('\n', child.start - 1) + 1;
  const indent = text.slice(lineStart, child.start);
  if (!/^[ \t]*$/.test(indent) || lineStart <= container.start) return null;
  let at = child.end;
  while (at < container.end - 1) {
    const end = lineEndAt(text, at);
    if (end !== null) return { indent, lineEnd: end };
    const next = text[at] === ',' ? at + 1 : endOfTrivium(text, at);
    if (next === at) return null;
    at = next;
  }
  return null;
}

/** The place itself where a line ends there. */
const lineEndAt = (text: string, at: number): number | null =>
  text.startsWith('\n', at) || text.startsWith('\r\n', at) ? at : null;

/** Whether a container holds one child, and is laid out as those that we make. */
export function isMadeFor(text: string, { children, start, end }: JsonContainer): boolean {
  const [only, ...others] = children;
  if (only === undefined || others.length > 0) return false;
  const before = text.slice(start + 1, only.start);
  const after = text.slice(only.end, end - 1);
  return /^\r?\n[ \t]*$/.test(before) && /^\s*$/.test(after);
}

export function removeChild(text: string, container: JsonContainer, child: JsonChild): string {
  const index = container.children.indexOf(child as never);
  const previous = container.children[index - 1];
  const isLast = index === container.children.length - 1;
  const ownComma = commaAfter(text, child.end);
  // The last one has no comma of its own: then the one before it was added with it.
  const comma =
    ownComma ?? (isLast && previous !== undefined ? commaAfter(text, previous.end) : null);
  const end = ownComma === child.end ? child.end + 1 : child.end;
  const start = leadOf(text, child.start, end, previous !== undefined);
  const without = (from: string, at: number): string => from.slice(0, at) + from.slice(at + 1);
  const rest = text.slice(0, start) + text.slice(end);
  if (comma === null || comma === child.end) return rest;
  return without(rest, comma < start ? comma : comma - (end - start));
}

/** Where the blanks begin that were added with a child. */
function leadOf(text: string, start: number, end: number, hasPrevious: boolean): number {
  let at = start;
  while (/[ \t]/.test(text[at - 1] ?? '')) at -= 1;
  const isFirstOfLine = text[at - 1] === '\n';
  // What follows on the same line would move into a comment that ends the line before.
  const isLastOfLine = /^[ \t]*(?:\r?\n|$|\/\/)/.test(text.slice(end, end + 200));
  if (isFirstOfLine && isLastOfLine) return text[at - 2] === '\r' ? at - 2 : at - 1;
  if (isFirstOfLine || !hasPrevious) return start;
  return text[start - 1] === ' ' ? start - 1 : start;
}
