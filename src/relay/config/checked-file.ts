// The text of one file against its schema: the value, or all that is wrong with line and key. Pure.
// What several files say together is compose-team.ts.

import { parse, TomlError } from 'smol-toml';
import { z } from 'zod';
import { lineOfTomlPath, type TomlPath } from '../../platform/text/toml-lines.ts';
import type { TeamProblem, TeamProblemCode } from '../../schema/relay/team.ts';
import { nearest } from '../../text/nearest-word.ts';

/** A file that was parsed, so that more can be said of places in it. */
export interface ParsedFile<T> {
  readonly file: string;
  readonly text: string;
  readonly value: T;
}

export type CheckedFile<T> =
  | { readonly ok: true; readonly parsed: ParsedFile<T> }
  | {
      readonly ok: false;
      readonly problems: readonly TeamProblem[];
      /** Without its unknown keys, where they are all that is wrong. */
      readonly rest?: ParsedFile<T> | undefined;
    };

/** Anyone can make a file with a million wrong keys; a person reads the first few. */
const PROBLEMS_MAX = 50;

type Issue = z.core.$ZodIssue;

/** A problem of a place in a file. */
export function problemAt(
  { file, text }: Pick<ParsedFile<unknown>, 'file' | 'text'>,
  path: TomlPath,
  message: string,
  code: TeamProblemCode = 'validation_invalid_configuration',
): TeamProblem {
  return { code, file, line: lineOfTomlPath(text, path), key: keyText(path), message };
}

/** `coders[1].tmux.prompt-regex` */
const keyText = (path: TomlPath): string =>
  path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '');

export function checkTomlFile<T>(schema: z.ZodType<T>, file: string, text: string): CheckedFile<T> {
  let table: unknown;
  try {
    table = parse(text);
  } catch (error) {
    return { ok: false, problems: [syntaxProblem(file, error)] };
  }
  const checked = schema.safeParse(table);
  if (checked.success) return { ok: true, parsed: { file, text, value: checked.data } };
  const problems = checked.error.issues
    .flatMap((issue) => problemsOf({ file, text, table, schema }, issue))
    .sort((one, other) => one.line - other.line);
  const value = withoutUnknown(schema, table, checked.error.issues);
  const rest = value === null ? undefined : { file, text, value };
  return { ok: false, problems: problems.slice(0, PROBLEMS_MAX), rest };
}

/** What the table says without its unknown keys; null where something else is wrong as well. */
function withoutUnknown<T>(
  schema: z.ZodType<T>,
  table: unknown,
  issues: readonly Issue[],
): T | null {
  for (const issue of issues) {
    if (issue.code !== 'unrecognized_keys') return null;
    const path = issue.path.filter((part) => typeof part !== 'symbol');
    const inside = valueAt(table, path);
    if (typeof inside !== 'object' || inside === null) return null;
    for (const key of issue.keys) Reflect.deleteProperty(inside, key);
  }
  const checked = schema.safeParse(table);
  return checked.success ? checked.data : null;
}

// The message of smol-toml ends with a picture of the place; line and column are fields too.
function syntaxProblem(file: string, error: unknown): TeamProblem {
  if (!(error instanceof TomlError)) throw error;
  const [words = ''] = error.message.split('\n');
  const message = `${words.trim()} (column ${error.column})`;
  return { code: 'validation_invalid_configuration', file, line: error.line, key: '', message };
}

interface Scene {
  readonly file: string;
  readonly text: string;
  readonly table: unknown;
  readonly schema: z.ZodType;
}

function problemsOf(scene: Scene, issue: Issue): readonly TeamProblem[] {
  const path = issue.path.filter((part) => typeof part !== 'symbol');
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(scene.schema, path);
    return issue.keys.map((key) => problemAt(scene, [...path, key], unknownKey(key, known)));
  }
  const isScope = issue.message.includes('none of the scopes');
  const code = isScope ? 'validation_invalid_policy_scope' : 'validation_invalid_configuration';
  const isMissing = valueAt(scene.table, path) === undefined;
  const message = isMissing ? 'is missing' : lowerFirst(issue.message);
  return [problemAt(scene, path, message, code)];
}

/** The keys that a table may have at this place of the file. */
function keysAt(schema: z.core.$ZodType, path: TomlPath): readonly string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) {
    return keysAt(schema.unwrap(), path);
  }
  if (schema instanceof z.ZodUnion) {
    return schema.options.flatMap((each) => keysAt(each, path));
  }
  const [part, ...rest] = path;
  if (schema instanceof z.ZodArray) return keysAt(schema.element, rest);
  if (!(schema instanceof z.ZodObject)) return [];
  if (part === undefined) return Object.keys(schema.shape);
  const inside: z.core.$ZodType | undefined = schema.shape[part];
  return inside ? keysAt(inside, rest) : [];
}

function unknownKey(key: string, known: readonly string[]): string {
  if (known.includes(key)) return 'does not go with the other keys of its table';
  const near = nearest(key.toLowerCase(), known);
  return `unknown key${near === undefined ? '' : `; did you mean "${near}"?`}`;
}

const lowerFirst = (text: string): string => `${text[0]?.toLowerCase() ?? ''}${text.slice(1)}`;

function valueAt(table: unknown, path: TomlPath): unknown {
  return path.reduce<unknown>(
    (value, part) =>
      typeof value === 'object' && value !== null
        ? (value as Record<string | number, unknown>)[part]
        : undefined,
    table,
  );
}
