// The keys of config.toml, read off the schema: their names in the file, defaults and meanings. The
// loader checks a file against this table and the reference page is printed from it.

import type { z } from 'zod';
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
  const { description = '', atStart } = schema.meta() ?? {};
  const isAtStart = atStart === true;
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
  };
}

/** Every section with its keys, in the order of the schema. */
export const configSections: readonly ConfigSection[] = Object.entries(configSchema.shape).map(
  ([section, schema]) => ({
    section,
    description: schema.meta()?.description ?? '',
    keys: Object.entries(schema.unwrap().shape).map(([name, each]) => keyOf(section, name, each)),
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

/** A value of a key as it is written in the file. */
export function valueText({ isDuration }: ConfigKey, value: unknown): string {
  return isDuration ? `"${formatDuration(Number(value))}"` : JSON.stringify(value);
}

/** The default as it is written in the file. */
export const defaultText = (key: ConfigKey): string => valueText(key, key.defaultValue);
