// Reads the rule files of the agents: the built-in ones beside the code, once, and the user's own
// in the config folder, again when they change. Compiling them belongs to agents/registry. A user's
// file that breaks keeps its last good content in force, and the reason is reported.

import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'smol-toml';
import { builtinNormalisers } from '../agents/agent-sources.ts';
import {
  buildRegistry,
  type ParsedRuleFile,
  type Registry,
  type RegistryOptions,
  type RuleFileProblem,
} from '../agents/registry.ts';
import { FollowedFolders } from '../platform/files/followed-folders.ts';

/** A rule file is a few kilobytes; a larger one is a mistake. */
const FILE_BYTES_MAX = 1_000_000;
const FILES_MAX = 200;
/** Editors write a file in several steps; one reload follows the last. */
const SETTLE_MS = 100;

export interface RuleFolders {
  /** Holds `<agent>/screen.toml`; beside the code unless a test says otherwise. */
  readonly builtIn?: string;
  /** Holds `<any name>.toml`; may be absent. */
  readonly user?: string | undefined;
}

/** `src/agents` in a checkout and `dist/agents` in the package: the same step from this file. */
export const builtInFolder = (): string => fileURLToPath(new URL('../agents/', import.meta.url));

export const userRuleFolder = (configDir: string): string => join(configDir, 'agents');

/** Reads everything once. Broken files are listed in `problems` and left out. */
export function loadRegistry(folders: RuleFolders, options: RegistryOptions = {}): Registry {
  return compose([...readBuiltIn(folders), ...readUser(folders)], options, new Map());
}

interface ReadFile extends ParsedRuleFile {
  readonly problem: string | null;
}

function compose(
  files: readonly ReadFile[],
  options: RegistryOptions,
  lastGood: Map<string, ParsedRuleFile>,
): Registry {
  const problems: RuleFileProblem[] = files.flatMap(({ file, problem }) =>
    problem === null ? [] : [{ file, problem }],
  );
  const readable = files.filter((each) => each.problem === null);
  const all = { normalisers: builtinNormalisers, ...options };
  const first = buildRegistry(readable, all);
  const broken = new Set([...problems, ...first.problems].map((each) => each.file));
  for (const source of readable) if (!broken.has(source.file)) lastGood.set(source.file, source);
  if (broken.size === 0) return first;
  const sources = files.flatMap((each) => {
    const good = broken.has(each.file) ? lastGood.get(each.file) : each;
    return good ? [good] : [];
  });
  const { adapters } = buildRegistry(sources, all);
  return { adapters, problems: [...problems, ...first.problems] };
}

const readBuiltIn = ({ builtIn = builtInFolder() }: RuleFolders): readonly ReadFile[] =>
  tomlFiles(builtIn, '*/screen.toml').map(readRuleFile);

const readUser = ({ user }: RuleFolders): readonly ReadFile[] =>
  user !== undefined && existsSync(user) ? tomlFiles(user, '*.toml').map(readRuleFile) : [];

const tomlFiles = (folder: string, pattern: string): readonly string[] =>
  globSync(pattern, { cwd: folder })
    .sort()
    .slice(0, FILES_MAX)
    .map((name) => join(folder, name));

/** One file, parsed. Never throws: what is wrong is in `problem`, with its line. */
export function readRuleFile(file: string): ReadFile {
  try {
    if (statSync(file).size > FILE_BYTES_MAX) {
      return { file, content: null, problem: `is larger than ${FILE_BYTES_MAX} bytes` };
    }
    return { file, content: parse(readFileSync(file, 'utf8')), problem: null };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { file, content: null, problem: reason.trim() };
  }
}

/** Follows the user's folder; the registry it hands out is always complete and never half new. */
export class RuleFiles implements Disposable {
  #registry: Registry;
  readonly #followed: FollowedFolders;
  readonly #lastGood = new Map<string, ParsedRuleFile>();
  readonly #folders: RuleFolders;
  /** Read once: an update of the package removes the folder while this version still runs. */
  readonly #builtIn: readonly ReadFile[];
  readonly #options: RegistryOptions;
  readonly #onReload: (registry: Registry) => void;

  constructor(
    folders: RuleFolders,
    options: RegistryOptions = {},
    onReload: (registry: Registry) => void = () => {},
  ) {
    this.#folders = folders;
    this.#options = options;
    this.#onReload = onReload;
    const builtIn = readBuiltIn(folders);
    // A test compiles every rule of the package.
    const isProven = folders.builtIn === undefined;
    this.#builtIn = builtIn.map((each) => ({ ...each, isProven }));
    this.#followed = new FollowedFolders({ settleMs: SETTLE_MS, onChange: () => this.reload() });
    if (folders.user !== undefined) this.#followed.follow(folders.user);
    this.#registry = this.#read();
  }

  get registry(): Registry {
    return this.#registry;
  }

  /** Reads every file of the user again, now. */
  reload(): Registry {
    this.#registry = this.#read();
    this.#onReload(this.#registry);
    return this.#registry;
  }

  #read(): Registry {
    const files = [...this.#builtIn, ...readUser(this.#folders)];
    return compose(files, this.#options, this.#lastGood);
  }

  [Symbol.dispose](): void {
    this.#followed[Symbol.dispose]();
  }
}
