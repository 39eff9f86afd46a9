// JSON as its author wrote it: every value with its position in the text, so that a file can be
// edited without being rewritten. Comments and trailing commas are read too, because agents allow
// them. Foreign text: nothing here throws, and a parse error has its line.

export type JsonNode = JsonObject | JsonArray | JsonScalar;

interface Span {
  readonly start: number;
  readonly end: number;
}

export interface JsonObject extends Span {
  readonly kind: 'object';
  readonly children: readonly JsonMember[];
}

export interface JsonArray extends Span {
  readonly kind: 'array';
  readonly children: readonly JsonItem[];
}

export interface JsonScalar extends Span {
  readonly kind: 'scalar';
  readonly value: string | number | boolean | null;
}

/** One member of an object: from the key to the end of its value. */
export interface JsonMember extends Span {
  readonly key: string;
  readonly value: JsonNode;
}

export interface JsonItem extends Span {
  readonly value: JsonNode;
}

export type JsonContainer = JsonObject | JsonArray;
export type JsonChild = JsonMember | JsonItem;

export type JsonReading =
  | { readonly ok: true; readonly root: JsonNode }
  | { readonly ok: false; readonly line: number; readonly problem: string };

const DEPTH_MAX = 200;
const BOM = '\uFEFF';
const scalarPattern = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)/y;

class Unfit extends Error {
  readonly at: number;
  constructor(at: number, problem: string) {
    super(problem);
    this.at = at;
  }
}

/** Reads one document. */
export function readJsonText(text: string): JsonReading {
  try {
    const reader = new Reader(text);
    const root = reader.value(skipTrivia(text, text.startsWith(BOM) ? 1 : 0), 0);
    const end = skipTrivia(text, root.end);
    if (end < text.length) throw new Unfit(end, 'more follows after its end');
    return { ok: true, root };
  } catch (error) {
    if (!(error instanceof Unfit)) throw error;
    return { ok: false, line: text.slice(0, error.at).split('\n').length, problem: error.message };
  }
}

/** Where the next token begins: after blanks and comments. */
export function skipTrivia(text: string, from: number): number {
  let at = from;
  for (;;) {
    const next = endOfTrivium(text, at);
    if (next === at) return at;
    at = next;
  }
}

/** The end of one blank or comment at a place; the place itself where there is none. */
export function endOfTrivium(text: string, at: number): number {
  if (/[ \t\r\n]/.test(text[at] ?? '')) return at + 1;
  if (text.startsWith('//', at)) {
    const end = text.indexOf('\n', at);
    return end < 0 ? text.length : end;
  }
  if (!text.startsWith('/*', at)) return at;
  const end = text.indexOf('*/', at + 2);
  return end < 0 ? at : end + 2;
}

class Reader {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  value(at: number, depth: number): JsonNode {
    if (depth > DEPTH_MAX) throw new Unfit(at, 'it is nested too deeply');
    const mark = this.#text[at];
    if (mark === '{') return this.#object(at, depth);
    if (mark === '[') return this.#array(at, depth);
    if (mark === '"') return this.#string(at);
    const word = this.#match(scalarPattern, at);
    if (word === null) throw new Unfit(at, 'a value is expected');
    return { kind: 'scalar', start: at, end: at + word.length, value: JSON.parse(word) };
  }

  #object(start: number, depth: number): JsonObject {
    const { children, end } = this.#children(start, '}', (at): JsonMember => {
      if (this.#text[at] !== '"') throw new Unfit(at, 'a key in quotes is expected');
      const key = this.#string(at);
      const colon = skipTrivia(this.#text, key.end);
      if (this.#text[colon] !== ':') throw new Unfit(colon, 'a colon is expected');
      const value = this.value(skipTrivia(this.#text, colon + 1), depth + 1);
      return { key: String(key.value), start: at, end: value.end, value };
    });
    return { kind: 'object', start, end, children };
  }

  #array(start: number, depth: number): JsonArray {
    const { children, end } = this.#children(start, ']', (at): JsonItem => {
      const value = this.value(at, depth + 1);
      return { start: at, end: value.end, value };
    });
    return { kind: 'array', start, end, children };
  }

  #children<Child extends JsonChild>(
    start: number,
    close: string,
    read: (at: number) => Child,
  ): { readonly children: readonly Child[]; readonly end: number } {
    const children: Child[] = [];
    let at = skipTrivia(this.#text, start + 1);
    while (this.#text[at] !== close) {
      const child = read(at);
      children.push(child);
      at = skipTrivia(this.#text, child.end);
      if (this.#text[at] === close) break;
      if (this.#text[at] !== ',') throw new Unfit(at, `a comma or ${close} is expected`);
      at = skipTrivia(this.#text, at + 1);
    }
    return { children, end: at + 1 };
  }

  #string(at: number): JsonScalar {
    const text = this.#text;
    let end = at + 1;
    while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
    try {
      const value = JSON.parse(text.slice(at, end + 1)) as string;
      return { kind: 'scalar', start: at, end: end + 1, value };
    } catch {
      throw new Unfit(at, 'a string is not closed or has a forbidden character');
    }
  }

  #match(pattern: RegExp, at: number): string | null {
    pattern.lastIndex = at;
    return pattern.exec(this.#text)?.[0] ?? null;
  }
}

export function plainValue(node: JsonNode): unknown {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'array') return node.children.map(({ value }) => plainValue(value));
  return Object.fromEntries(node.children.map(({ key, value }) => [key, plainValue(value)]));
}

/** The members of that name. More than one is a mistake that programs read differently. */
export const membersAt = (node: JsonNode | undefined, key: string): readonly JsonMember[] =>
  node?.kind === 'object' ? node.children.filter((each) => each.key === key) : [];

/** The text of a member; undefined where it is none. */
export function stringAt(node: JsonNode, key: string): string | undefined {
  const value = membersAt(node, key)[0]?.value;
  return value?.kind === 'scalar' && typeof value.value === 'string' ? value.value : undefined;
}
