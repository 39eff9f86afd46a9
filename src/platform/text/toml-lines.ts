// On which line of a TOML file a value is. A parsed table no longer knows its lines, so the text is
// looked through: for the line that sets the key, or else the nearest one above it in the path.
// Pure; the text has been parsed before, so it is valid TOML.

export type TomlPath = readonly (string | number)[];

const HEADER = /^\s*(\[{1,2})([^[\]]+)\]/;
const KEY = /^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=/;

const partsOf = (dotted: string): readonly string[] =>
  dotted.split('.').map((part) => part.trim().replaceAll(/^["']|["']$/g, ''));

/**
 * The line, from 1, that sets the value at `path`; tables of an array (`[[coders]]`) are counted
 * from 0 in it. Where no line does, that of the longest part of the path.
 */
export function lineOfTomlPath(text: string, path: TomlPath): number {
  let best = { line: 1, depth: 0 };
  for (const { line, place } of placesIn(text)) {
    const isOnPath = place.every((part, index) => part === path[index]);
    if (isOnPath && place.length > best.depth) best = { line, depth: place.length };
  }
  return best.line;
}

/** Every header and every key, with its line. */
function* placesIn(text: string): Generator<{ readonly line: number; readonly place: TomlPath }> {
  const counts = new Map<string, number>();
  let section: TomlPath = [];
  let openQuotes: string | null = null;
  for (const [index, line] of text.split('\n').entries()) {
    if (openQuotes !== null) {
      if (line.includes(openQuotes)) openQuotes = null;
      continue;
    }
    const [, brackets, name = ''] = HEADER.exec(line) ?? [];
    if (brackets !== undefined) {
      section = sectionOf(partsOf(name), brackets, counts);
      yield { line: index + 1, place: section };
      continue;
    }
    const key = KEY.exec(line)?.[1];
    if (key !== undefined) yield { line: index + 1, place: [...section, ...partsOf(key)] };
    openQuotes = openQuotesOf(line);
  }
}

/** A header as a path: behind each array of tables, the place in it. */
function sectionOf(
  parts: readonly string[],
  brackets: string,
  counts: Map<string, number>,
): TomlPath {
  const path: (string | number)[] = [];
  for (const [index, part] of parts.entries()) {
    path.push(part);
    const name = JSON.stringify(path);
    const isNew = brackets === '[[' && index === parts.length - 1;
    const count = counts.get(name);
    if (isNew) counts.set(name, (count ?? -1) + 1);
    const place = counts.get(name);
    if (place !== undefined) path.push(place);
  }
  return path;
}

/** The quotes of a text of several lines that this line begins and does not end. */
function openQuotesOf(line: string): string | null {
  const quotes = /"""|'''/.exec(line)?.[0];
  if (quotes === undefined) return null;
  return line.split(quotes).length % 2 === 0 ? quotes : null;
}
