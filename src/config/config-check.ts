// Checks the text of a config.toml: TOML first, then every key against the table of keys, then the
// values against the schema. Pure: reading and watching the file is config-file.ts. Each problem
// names the line and the key; an unknown key comes with the nearest one that there is.

import { parse, TomlError } from 'smol-toml';
import { parseDuration } from '../platform/text/duration.ts';
import { lineOfTomlPath } from '../platform/text/toml-lines.ts';
import { type Config, configSchema } from '../schema/config.ts';
import { nearest } from '../text/nearest-word.ts';
import { type ConfigKey, configSections } from './config-keys.ts';

export interface ConfigProblem {
  readonly file: string;
  /** Counted from 1; 1 too where the whole file is meant. */
  readonly line: number;
  /** `engine.stale_signal`; empty where no key is meant. */
  readonly key: string;
  readonly message: string;
}

export type CheckedConfig =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

/** Anyone can make a file with a million wrong keys; a person reads the first few. */
const PROBLEMS_MAX = 50;

/** Returns the whole configuration, absent keys with their defaults, or all that is wrong. */
export function checkConfig(file: string, text: string): CheckedConfig {
  const problem = (path: readonly string[], message: string): ConfigProblem => ({
    file,
    line: lineOfTomlPath(text, path),
    key: path.join('.'),
    message,
  });
  let table: Table;
  try {
    table = parse(text);
  } catch (error) {
    return { ok: false, problems: [{ file, key: '', ...syntaxProblem(error) }] };
  }
  const { values, problems } = namedValues(table, problem);
  const checked = configSchema.safeParse(values);
  if (checked.success && problems.length === 0) return { ok: true, config: checked.data };
  const wrong = (checked.error?.issues ?? []).map((issue) => {
    // Of a name that is not allowed, the first issue inside says what is.
    const [inside] = issue.code === 'invalid_key' ? issue.issues : [];
    const { message } = inside ?? issue;
    return problem(filePathOf(issue.path), `${message[0]?.toLowerCase()}${message.slice(1)}`);
  });
  const all = [...problems, ...wrong].sort((a, b) => a.line - b.line);
  return { ok: false, problems: all.slice(0, PROBLEMS_MAX) };
}

type Table = Record<string, unknown>;
type MakeProblem = (path: readonly string[], message: string) => ConfigProblem;

const isTable = (value: unknown): value is Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

// The message of smol-toml ends with a picture of the place; line and column are fields too.
function syntaxProblem(error: unknown): { line: number; message: string } {
  if (!(error instanceof TomlError)) throw error;
  const [message = ''] = error.message.split('\n');
  return { line: error.line, message: `${message.trim()} (column ${error.column})` };
}

// From names of the file to names of the schema. What cannot be named or read is a problem, and
// left out of the values.
function namedValues(table: Table, problem: MakeProblem) {
  const problems: ConfigProblem[] = [];
  const values: Record<string, Table> = {};
  for (const [name, content] of Object.entries(table)) {
    const section = configSections.find((each) => each.section === name);
    if (section === undefined) {
      const names = configSections.map((each) => each.section);
      problems.push(problem([name], unknownWords('section', name, names)));
    } else if (isTable(content)) {
      values[name] = keyValues([name], section.keys, content, { problem, problems });
    } else {
      problems.push(problem([name], `is a section: write [${name}] and its keys below`));
    }
  }
  return { values, problems };
}

interface Report {
  readonly problem: MakeProblem;
  readonly problems: ConfigProblem[];
}

function keyValues(
  path: readonly string[],
  keys: readonly ConfigKey[],
  content: Table,
  report: Report,
): Table {
  const { problem, problems } = report;
  const values: Table = {};
  for (const [key, value] of Object.entries(content)) {
    const known = keys.find((each) => each.key === key);
    if (known === undefined) {
      const names = keys.map((each) => each.key);
      problems.push(problem([...path, key], unknownWords('key', key, names)));
      continue;
    }
    const read = readValue(known, value);
    if (read === null) {
      const message = 'is no duration: write milliseconds, or a text such as "30s" or "5m"';
      problems.push(problem([...path, key], message));
    } else {
      values[known.name] = namedTables([...path, key], known, read.value, report);
    }
  }
  return values;
}

/** The tables that the user has named, each with its keys. Any other value stays as it is. */
function namedTables(
  path: readonly string[],
  { tableKeys }: ConfigKey,
  value: unknown,
  report: Report,
): unknown {
  if (tableKeys === null || !isTable(value)) return value;
  const tables = Object.entries(value).map(([name, content]): [string, unknown] => [
    name,
    isTable(content) ? keyValues([...path, name], tableKeys, content, report) : content,
  ]);
  return Object.fromEntries(tables);
}

function readValue({ isDuration }: ConfigKey, value: unknown): { value: unknown } | null {
  if (!isDuration || typeof value === 'number') return { value };
  const durationMs = typeof value === 'string' ? parseDuration(value) : null;
  return durationMs === null ? null : { value: durationMs };
}

/** From names of the schema to names of the file; places inside a value are left out. */
function filePathOf(path: readonly PropertyKey[]): readonly string[] {
  const [section = '', name, table, inner] = path.map(String);
  const keys = configSections.find((each) => each.section === section)?.keys ?? [];
  const key = keys.find((each) => each.name === name);
  if (!key) return [section];
  if (key.tableKeys === null || table === undefined) return [section, key.key];
  const last = key.tableKeys.find((each) => each.name === inner);
  return [section, key.key, table, ...(last ? [last.key] : [])];
}

function unknownWords(what: string, name: string, names: readonly string[]): string {
  const near = nearest(name.toLowerCase(), names);
  return `unknown ${what}${near === undefined ? '' : `; did you mean "${near}"?`}`;
}
