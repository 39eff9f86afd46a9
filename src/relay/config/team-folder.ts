// The files of teams in the configuration folder: read whole, followed, and read again when they
// change. What they mean is team-state.ts.

import { globSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { FollowedFolders } from '../../platform/files/followed-folders.ts';
import {
  emptyTeamState,
  type FileText,
  nextTeamState,
  type TeamState,
  type TeamTexts,
} from './team-state.ts';

/** A file is a few kilobytes; a larger one is a mistake. */
const FILE_BYTES_MAX = 1_000_000;
const BUNDLES_MAX = 200;
/** Editors write a file in several steps; one reload follows the last. */
const SETTLE_MS = 100;
const SUFFIX = '.toml';

export const bundleFolder = (configDir: string): string => join(configDir, 'bundles');

/** The files that all bundles share. */
export const sharedFiles = ['coders', 'policies', 'tui'] as const;
const sharedFile = (configDir: string, name: (typeof sharedFiles)[number]): string =>
  join(configDir, `${name}${SUFFIX}`);

/** Reads everything now. Never throws. */
export function readTeamTexts(configDir: string): TeamTexts {
  const names = globSync(`*${SUFFIX}`, { cwd: bundleFolder(configDir) }).toSorted();
  return {
    coders: readText(sharedFile(configDir, 'coders')),
    policies: readText(sharedFile(configDir, 'policies')),
    operators: readText(sharedFile(configDir, 'tui')),
    bundles: new Map(
      names
        .slice(0, BUNDLES_MAX)
        .map((name) => [
          name.slice(0, -SUFFIX.length),
          readText(join(bundleFolder(configDir), name)),
        ]),
    ),
  };
}

/** The files as they are now, with no regard to what was good before. */
export const loadTeam = (configDir: string): TeamState =>
  nextTeamState(readTeamTexts(configDir), emptyTeamState);

function readText(file: string): FileText {
  const refused = (problem: string): FileText => ({ file, text: null, problem });
  try {
    const stat = statSync(file);
    if (!stat.isFile()) return refused('is not a file');
    if (stat.size > FILE_BYTES_MAX) return refused(`is larger than ${FILE_BYTES_MAX} bytes`);
    return { file, text: readFileSync(file, 'utf8'), problem: null };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      return { file, text: null, problem: null };
    }
    return refused(error instanceof Error ? error.message : String(error));
  }
}

/** Follows the files; the team that it hands out is always whole and was always good. */
export class TeamFolder implements Disposable {
  readonly configDir: string;
  readonly #onReload: () => void;
  readonly #folders: FollowedFolders;
  /** Folders of files that are links into them. */
  readonly #linked = new Set<string>();
  #state: TeamState = emptyTeamState;

  constructor(configDir: string, onReload: () => void) {
    this.configDir = configDir;
    this.#onReload = onReload;
    this.#folders = new FollowedFolders({ settleMs: SETTLE_MS, onChange: () => this.reload() });
    const wanted = new Set(sharedFiles.map((name) => basename(sharedFile('', name))));
    this.#folders.follow(configDir, { isWanted: (name) => wanted.has(name) });
    this.#folders.follow(bundleFolder(configDir), { isWanted: (name) => name.endsWith(SUFFIX) });
    this.#read();
  }

  get state(): TeamState {
    return this.#state;
  }

  reload(): TeamState {
    this.#read();
    this.#onReload();
    return this.#state;
  }

  #read(): void {
    const texts = readTeamTexts(this.configDir);
    this.#followLinks(texts);
    this.#state = nextTeamState(texts, this.#state);
  }

  /** A file may be a link into another folder, where edits happen. */
  #followLinks({ coders, policies, operators, bundles }: TeamTexts): void {
    const files = [coders, policies, operators, ...bundles.values()];
    const now = new Set(files.flatMap(({ file }) => linkedFolder(file)));
    for (const folder of this.#linked) if (!now.has(folder)) this.#folders.unfollow(folder);
    for (const folder of now) this.#folders.follow(folder);
    this.#linked.clear();
    for (const folder of now) this.#linked.add(folder);
  }

  [Symbol.dispose](): void {
    this.#folders[Symbol.dispose]();
  }
}

/** The folder in which a file really lies, if that is another one. */
function linkedFolder(file: string): readonly string[] {
  try {
    const real = dirname(realpathSync(file));
    return real === realpathSync(dirname(file)) ? [] : [real];
  } catch {
    // It is absent.
    return [];
  }
}
