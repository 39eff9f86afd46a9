// The keys of config.toml, read off the schema: their names in the file, defaults and meanings. The
// loader checks a file against this table and the reference page is printed from it.

import { z } from 'zod';
import { formatDuration } from '../platform/text/duration.ts';
import { type Config, configSchema } from '../schema/config.ts';

export interface ConfigKey {
  /** The section's and the key's name in code: `engine`, `staleSignalMs`. */
  readonly section: string;
  readonly name: string;
  /** The key's name in the file: `stale_signal`. */
  readonly key: string;
  readonly isDuration: boolean;
  readonly defaultValue: unknown;
  readonly description: string;
  /** A change takes effect at the next start of the daemon. */
  readonly isAtStart: boolean;
  /** Printed nowhere, unless it only says where the secret is. */
  readonly isSecret: boolean;
  /** The key holds tables that the user names: the keys of each. Null: it holds a value. */
  readonly tableKeys: readonly ConfigKey[] | null;
}

export interface ConfigSection {
  readonly section: string;
  readonly description: string;
  readonly keys: readonly ConfigKey[];
}

// In the file a duration carries its own unit ("30s"), so its name has none.
function fileKeyOf(name: string): string {
  return name.replace(/Ms$/, '').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function keyOf(section: string, name: string, schema: z.ZodType): ConfigKey {
  const { description = '', atStart, secret } = schema.meta() ?? {};
  const isAtStart = atStart === true;
  const tables = tableSchemaOf(schema);
  return {
    section,
    name,
    key: fileKeyOf(name),
    isDuration: name.endsWith('Ms'),
    defaultValue: schema.parse(undefined),
    description: isAtStart
      ? `${description} A change takes effect at the next start of the daemon.`
      : description,
    isAtStart,
    isSecret: secret === true,
    tableKeys: tables && keysOf(`${section}.${fileKeyOf(name)}`, tables),
  };
}

const keysOf = (section: string, schema: z.ZodObject): readonly ConfigKey[] =>
  Object.entries(schema.shape).map(([name, each]) => keyOf(section, name, each as z.ZodType));

/** Of a key that holds tables by name: the shape of one. */
function tableSchemaOf(schema: z.ZodType): z.ZodObject | null {
  const inner = schema instanceof z.ZodDefault ? schema.unwrap() : schema;
  if (!(inner instanceof z.ZodRecord)) return null;
  return inner.valueType instanceof z.ZodObject ? inner.valueType : null;
}

/** Every section with its keys, in the order of the schema. */
export const configSections: readonly ConfigSection[] = Object.entries(configSchema.shape).map(
  ([section, schema]) => ({
    section,
    description: schema.meta()?.description ?? '',
    keys: keysOf(section, schema.unwrap()),
  }),
);

type Values = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const atStartKeys = configSections.flatMap(({ keys }) => keys.filter((key) => key.isAtStart));

/** The value of a key. */
export const settingOf = (config: Config, { section, name }: ConfigKey): unknown =>
  (config as Values)[section]?.[name];

/** What is in force: the file as it is now, but keys that wait for a start as they were then. */
export function configInForce(started: Config, now: Config): Config {
  const values: Record<string, Readonly<Record<string, unknown>>> = { ...now };
  for (const key of atStartKeys) {
    values[key.section] = { ...values[key.section], [key.name]: settingOf(started, key) };
  }
  return values as Config;
}

/** The keys whose value in the file is not the one in force. */
export const keysWaiting = (inForce: Config, file: Config): readonly ConfigKey[] =>
  atStartKeys.filter(
    (key) => valueText(key, settingOf(inForce, key)) !== valueText(key, settingOf(file, key)),
  );

const HIDDEN_SECRET = '(hidden)';

/** Whether a setting says where a secret is, and not what it is. */
const isReference = (value: string): boolean => /^(?:env|file):/.test(value);

type TableValues = Readonly<Record<string, unknown>>;

/** The configuration as it may be shown: every secret that it holds is replaced. */
export function withoutSecrets(config: Config): Config {
  const values: Record<string, TableValues> = { ...(config as Values) };
  for (const { section, name, tableKeys } of configSections.flatMap(({ keys }) => keys)) {
    const tables = values[section]?.[name];
    if (tableKeys === null || typeof tables !== 'object' || tables === null) continue;
    const shown = Object.entries(tables as Record<string, TableValues>).map(
      ([title, table]) => [title, hideSecretKeys(tableKeys, table)] as const,
    );
    values[section] = { ...values[section], [name]: Object.fromEntries(shown) };
  }
  return values as Config;
}

function hideSecretKeys(keys: readonly ConfigKey[], table: TableValues): TableValues {
  const hidden = keys.filter(({ name, isSecret }) => {
    const value = String(table[name] ?? '');
    return isSecret && value !== '' && !isReference(value);
  });
  return { ...table, ...Object.fromEntries(hidden.map(({ name }) => [name, HIDDEN_SECRET])) };
}

/** A value of a key as it is written in the file. */
export function valueText({ isDuration }: ConfigKey, value: unknown): string {
  return isDuration ? `"${formatDuration(Number(value))}"` : JSON.stringify(value);
}

/** The default as it is written in the file. */
export const defaultText = (key: ConfigKey): string => valueText(key, key.defaultValue);
