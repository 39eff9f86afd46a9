// Installs a pinned agent CLI from npm into a cache outside the repository, once. It is installed
// in a folder of this process and renamed when npm is done: labs may run beside each other. A half
// install is removed and tried again, at most twice.

import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { AgentRecipe } from './agent.ts';

/** A package of npm with a command line. */
type Installable = Pick<AgentRecipe, 'name' | 'packageName' | 'version'>;

/** The largest has 440 MB; a slow line needs minutes. */
const INSTALL_MS = 600_000;
const TRIES = 2;
const ASK_MS = 60_000;

const cacheHome = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
export const labCache: string = join(cacheHome, 'agtmux-lab');

/** The folder that holds the node_modules of this agent in this version. */
export async function ensureInstalled(recipe: Installable): Promise<string> {
  const folder = join(labCache, `${recipe.name}@${recipe.version}`);
  if (isComplete(folder, recipe)) return folder;
  const mine = `${folder}.${process.pid}`;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await install(mine, recipe);
      if (!isComplete(folder, recipe)) {
        rmSync(folder, { recursive: true, force: true });
        renameSync(mine, folder);
      }
      return folder;
    } catch (error) {
      // Another lab may have renamed its own in this moment.
      if (isComplete(folder, recipe)) return folder;
      if (attempt === TRIES) throw error;
    } finally {
      rmSync(mine, { recursive: true, force: true });
    }
  }
}

/** npm writes the lock last, so its version tells that the install came to its end. */
function isComplete(folder: string, { packageName }: Installable): boolean {
  const isThere = existsSync(join(folder, 'node_modules', packageName, 'package.json'));
  return isThere && existsSync(join(folder, 'node_modules', '.package-lock.json'));
}

/** The version that npm has as the latest one of an agent's package. */
export async function newestVersion({ packageName }: AgentRecipe): Promise<string> {
  const { stdout } = await promisify(execFile)('npm', ['view', packageName, 'version'], {
    timeout: ASK_MS,
  });
  const version = stdout.trim();
  if (!/^\d+\.\d+\.\d+[\w.+-]*$/.test(version))
    throw new Error(`npm has no version of ${packageName}: ${version.slice(0, 200)}`);
  return version;
}

async function install(folder: string, recipe: Installable): Promise<void> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
  await new Promise<void>((resolve, reject) => {
    const options = { cwd: folder, timeout: INSTALL_MS, maxBuffer: 16 * 1024 ** 2 };
    execFile(
      'npm',
      ['install', ...quiet, `${recipe.packageName}@${recipe.version}`],
      options,
      (error) => (error === null ? resolve() : reject(error)),
    );
  });
}

/** The version that is installed, as its own package says. */
export function installedVersion(folder: string, { packageName }: AgentRecipe): string {
  const file = join(folder, 'node_modules', packageName, 'package.json');
  return String(JSON.parse(readFileSync(file, 'utf8')).version);
}
