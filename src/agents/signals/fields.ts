// Typed reading of unchecked values: hook payloads, lines of files, replies of
// servers. A field that is absent or of another type is undefined, never an exception, and no text
// leaves here longer than the evidence schema takes.

export type Fields = Readonly<Record<string, unknown>>;

/** Longer input is refused; the longest real signals (a tool's output) are far shorter. */
export const RAW_LENGTH_MAX = 8_000_000;
const TEXT_LENGTH_MAX = 2_000;
const ID_LENGTH_MAX = 256;
/** Further entries of a list are not read. */
export const LIST_LENGTH_MAX = 256;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value at a path of keys joined by dots; undefined where the path ends early. */
export function valueAt(fields: Fields, path: string): unknown {
  let value: unknown = fields;
  for (const key of path.split('.')) {
    if (!isFields(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

/** The first of the paths that holds a text which is not empty. */
export function textAt(fields: Fields, ...paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const value = valueAt(fields, path);
    if (typeof value === 'string' && value !== '') return cut(value, TEXT_LENGTH_MAX);
  }
  return undefined;
}

/** An identifier: a short text, never cut, because two cut ids could become equal. */
export function idAt(fields: Fields, ...paths: readonly string[]): string | undefined {
  const value = textAt(fields, ...paths);
  return value === undefined || value.length > ID_LENGTH_MAX ? undefined : value;
}

export function numberAt(fields: Fields, ...paths: readonly string[]): number | undefined {
  for (const path of paths) {
    const value = valueAt(fields, path);
    if (typeof value === 'number' && Number.isFinite(value)) return value;
  }
  return undefined;
}

/** A number that counts something: never below zero. */
export function countAt(fields: Fields, ...paths: readonly string[]): number | undefined {
  const value = numberAt(fields, ...paths);
  return value !== undefined && value >= 0 ? value : undefined;
}

export const flagAt = (fields: Fields, path: string): boolean => valueAt(fields, path) === true;

export function fieldsAt(fields: Fields, ...paths: readonly string[]): Fields | undefined {
  for (const path of paths) {
    const value = valueAt(fields, path);
    if (isFields(value)) return value;
  }
  return undefined;
}

/** The entries of a list, as many as are worth reading. */
export function listAt(fields: Fields, path: string): readonly unknown[] {
  const value = valueAt(fields, path);
  return Array.isArray(value) ? value.slice(0, LIST_LENGTH_MAX) : [];
}

export const entriesAt = (fields: Fields, path: string): readonly Fields[] =>
  listAt(fields, path).filter(isFields);

/** A text of at most `lengthMax` characters that never ends in half a character. */
export function cut(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  const isHalf = /[\uD800-\uDBFF]/.test(text.charAt(lengthMax - 1));
  return text.slice(0, isHalf ? lengthMax - 1 : lengthMax);
}

/** The object that a value is or that its text holds, or why there is none. */
export function readFields(raw: unknown): Fields | string {
  if (isFields(raw)) return raw;
  if (typeof raw !== 'string') return 'no object';
  if (raw.length > RAW_LENGTH_MAX) return `longer than ${RAW_LENGTH_MAX} characters`;
  try {
    // Server-sent events put the same object behind a prefix.
    const value: unknown = JSON.parse(raw.startsWith('data:') ? raw.slice('data:'.length) : raw);
    return isFields(value) ? value : 'JSON that is no object';
  } catch {
    return 'broken JSON';
  }
}
