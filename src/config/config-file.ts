// config.toml as a file: read whole, checked by config-check.ts, read again when it changes. A file
// that breaks keeps its last good content in force, and the reason is reported.

import { readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { FollowedFolders } from '../platform/files/followed-folders.ts';
import { type Config, defaultConfig } from '../schema/config.ts';
import { type ConfigProblem, checkConfig } from './config-check.ts';
import {
  type ConfigKey,
  configSections,
  defaultText,
  keysWaiting,
  settingOf,
  valueText,
} from './config-keys.ts';

/** A configuration is a few kilobytes; a larger file is a mistake. */
const FILE_BYTES_MAX = 1_000_000;
/** Editors write a file in several steps; one reload follows the last. */
const SETTLE_MS = 100;
const OTHERS_MAY_WRITE = 0o022;

export type LoadedConfig =
  | { readonly ok: true; readonly config: Config; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** Reads and checks the file. An absent file is a file with nothing in it. Never throws. */
export function loadConfigFile(path: string): LoadedConfig {
  const whole = (message: string): LoadedConfig => ({
    ok: false,
    problems: [{ file: path, line: 1, key: '', message }],
  });
  try {
    const stat = statSync(path);
    if (!stat.isFile()) return whole('is not a file');
    if (stat.size > FILE_BYTES_MAX) return whole(`is larger than ${FILE_BYTES_MAX} bytes`);
    const checked = checkConfig(path, readFileSync(path, 'utf8'));
    if (!checked.ok) return checked;
    const isOpen = (stat.mode & OTHERS_MAY_WRITE) !== 0;
    const warnings = isOpen ? [`${path} may be written by other users: chmod go-w`] : [];
    return { ok: true, config: checked.config, warnings };
  } catch (error) {
    if (isMissing(error)) return { ok: true, config: defaultConfig, warnings: [] };
    return whole(error instanceof Error ? error.message : String(error));
  }
}

/** A config.toml in which everything is explained, set to its default and commented out. */
export function defaultConfigToml(): string {
  const sections = configSections.map(({ section, description, keys }) =>
    [
      `# ${description}`,
      `[${section}]`,
      ...keys.flatMap((key) => [`# ${key.description}`, `#${key.key} = ${defaultText(key)}`]),
    ].join('\n'),
  );
  return `${sections.join('\n\n')}\n`;
}

/** The configuration in force as TOML; values of the file that need a restart are comments. */
export function configToml(config: Config, file: Config = config): string {
  const waiting = keysWaiting(config, file);
  const sections = configSections.map(({ section, keys }) =>
    [
      `[${section}]`,
      ...keys.flatMap((key) => [
        ...(waiting.includes(key)
          ? [`# The file says ${valueText(key, settingOf(file, key))}, from the next start on.`]
          : []),
        ...settingLines(key, settingOf(config, key)),
      ]),
      ...keys.flatMap((key) => tableLines(key, settingOf(config, key))),
    ].join('\n'),
  );
  return `${sections.join('\n\n')}\n`;
}

/** The line of a key. Tables that the user has named follow the other keys of their section. */
const settingLines = (key: ConfigKey, value: unknown): readonly string[] =>
  key.tableKeys !== null && Object.keys(value as object).length > 0
    ? []
    : [`${key.key} = ${valueText(key, value)}`];

function tableLines({ section, key, tableKeys }: ConfigKey, value: unknown): readonly string[] {
  if (tableKeys === null) return [];
  const tables = value as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  return Object.entries(tables).flatMap(([name, table]) => [
    '',
    `[${section}.${key}.${name}]`,
    ...tableKeys.map((each) => `${each.key} = ${valueText(each, table[each.name])}`),
  ]);
}

export interface ConfigReload {
  readonly config: Config;
  /** Empty: the file is good and in force. */
  readonly problems: readonly ConfigProblem[];
  readonly warnings: readonly string[];
}

/** Follows the file; the configuration it hands out is always whole and was always good. */
export class ConfigFile implements Disposable {
  readonly path: string;
  readonly #onReload: (reload: ConfigReload) => void;
  readonly #folders: FollowedFolders;
  /** Where the file really lies, if it is a link into another folder. */
  #linked: string | null = null;
  #current: ConfigReload = { config: defaultConfig, problems: [], warnings: [] };

  constructor(path: string, onReload: (reload: ConfigReload) => void = () => {}) {
    this.path = path;
    this.#onReload = onReload;
    this.#folders = new FollowedFolders({ settleMs: SETTLE_MS, onChange: () => this.reload() });
    this.#follow(path);
    this.#read();
  }

  get config(): Config {
    return this.#current.config;
  }

  /** What was wrong at the last reading. */
  get problems(): readonly ConfigProblem[] {
    return this.#current.problems;
  }

  get warnings(): readonly string[] {
    return this.#current.warnings;
  }

  /** Reads the file again now, and reports the result. */
  reload(): ConfigReload {
    this.#read();
    this.#onReload(this.#current);
    return this.#current;
  }

  #read(): void {
    this.#followLink();
    const loaded = loadConfigFile(this.path);
    this.#current = loaded.ok
      ? { config: loaded.config, problems: [], warnings: loaded.warnings }
      : { ...this.#current, problems: loaded.problems };
  }

  /** The file may be a link into another folder, where edits happen. */
  #followLink(): void {
    const real = realPath(this.path);
    if (real === this.#linked) return;
    const own = dirname(this.path);
    if (this.#linked !== null && dirname(this.#linked) !== own) {
      this.#folders.unfollow(dirname(this.#linked));
    }
    this.#linked = real;
    if (real !== null && dirname(real) !== own) this.#follow(real);
  }

  #follow(path: string): void {
    const file = basename(path);
    this.#folders.follow(dirname(path), { isWanted: (name) => name === file });
  }

  [Symbol.dispose](): void {
    this.#folders[Symbol.dispose]();
  }
}

function realPath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    // It is absent.
    return null;
  }
}
