// Bundles the command line and everything it reaches into dist/, so that the published package
// needs no dependency at run time. Does nothing when dist/ already matches the sources.
// Types are checked elsewhere (`npm run check`): a build must be quick enough for every start.

import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { BuildOptions, Plugin } from 'esbuild';
import { isMain, root } from './script-entry.ts';
import { takeTreeLock } from './tree-lock.mjs';

/** What every command loads: one file with all of it, because each file costs a millisecond. */
const quickEntry = 'src/cli/main.ts';

// One entry for each program that is started by its own path; the rest is split into chunks.
const entryPoints = ['src/client/client.ts', 'src/daemon/main.ts', 'src/tmux/tap-worker.ts'];

// CommonJS packages inside an ESM bundle call `require`, which ESM does not have.
const requireBanner =
  "import{createRequire as __createRequire}from'node:module';" +
  'const require=__createRequire(import.meta.url);';

const stampFile = join(root, 'dist', '.build-stamp');

// A hash over everything that can change the bundle. Contents, not times: a fresh clone has new
// times, and a switched branch may have old ones.
function inputStamp(): string {
  const hash = createHash('sha256');
  const inputs = [
    'package.json',
    'package-lock.json',
    'scripts/build.ts',
    'scripts/client-types.ts',
  ];
  const sources = globSync('src/**/*', { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name));
  for (const file of [...inputs.map((name) => join(root, name)), ...sources.sort()]) {
    hash
      .update(`${file.slice(root.length)}\0`)
      .update(readFileSync(file))
      .update('\0');
  }
  return hash.digest('hex');
}

function isUpToDate(stamp: string): boolean {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp;
}

// Returns the names of the npm packages whose code went into the bundle.
function bundledPackages(inputs: readonly string[]): readonly string[] {
  const names = inputs.map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}

// Bundled code stays under its own licence, which asks that its text goes along.
function licenceText(name: string): string {
  const folder = join(root, 'node_modules', name);
  const [file] = globSync('{LICENSE,LICENCE,license}*', { cwd: folder });
  if (file === undefined) throw new Error(`${name} is bundled but has no licence file`);
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return `${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
}

const buildOptions = {
  absWorkingDir: root,
  outbase: 'src',
  outdir: 'dist',
  bundle: true,
  format: 'esm',
  // Screens and glyphs are as they are, not as escapes of twice the size.
  charset: 'utf8',
  platform: 'node',
  target: 'node22.18',
  banner: { js: requireBanner },
  metafile: true,
  logLevel: 'warning',
} satisfies BuildOptions;

/** Leaves what is loaded only when it is needed to files of its own, and names them in `found`. */
function loadedLater(found: Set<string>): Plugin {
  return {
    name: 'loaded-later',
    setup({ onResolve }) {
      onResolve({ filter: /^\.{1,2}\// }, ({ kind, path, resolveDir }) => {
        if (kind !== 'dynamic-import') return null;
        const source = relative(root, join(resolveDir, path));
        found.add(source);
        const file = relative(dirname(quickEntry), source).replace(/\.ts$/, '.js');
        return { path: file.startsWith('.') ? file : `./${file}`, external: true };
      });
    },
  };
}

/** The file that every command loads. Not written where the caller only wants to look at it. */
export async function bundleQuickStart({ write }: { readonly write: boolean }) {
  const { build } = await import('esbuild');
  const later = new Set<string>();
  const entry = { entryPoints: [quickEntry], plugins: [loadedLater(later)], write };
  const { metafile } = await build({ ...buildOptions, ...entry });
  return { metafile, later: [...later] };
}

async function bundle(): Promise<void> {
  const { build } = await import('esbuild');
  const dist = join(root, 'dist');
  const quick = await bundleQuickStart({ write: true });
  const { metafile } = await build({
    ...buildOptions,
    entryPoints: [...entryPoints, ...quick.later],
    chunkNames: 'chunks/[name]-[hash]',
    splitting: true,
  });
  const separator = `\n${'-'.repeat(72)}\n\n`;
  const inputs = [quick.metafile, metafile].flatMap((each) => Object.keys(each.inputs));
  const texts = bundledPackages(inputs).map(licenceText);
  writeFileSync(join(dist, 'third-party-licenses.txt'), texts.join(separator));
}

// The rules of the agents are data: they are read from disk, in a checkout as in the package.
function copyRuleFiles(): void {
  for (const file of globSync('agents/*/screen.toml', { cwd: join(root, 'src') })) {
    cpSync(join(root, 'src', file), join(root, 'dist', file));
  }
}

/** What a bundle leaves behind. */
const folders = ['cli', 'client', 'daemon', 'tmux', 'chunks'];

async function buildIfNeeded(): Promise<void> {
  if (isUpToDate(inputStamp())) return;
  const release = await takeTreeLock(root);
  try {
    // Taken after the lock: another build may have run while this one waited for it.
    const stamp = inputStamp();
    if (isUpToDate(stamp)) return;
    mkdirSync(join(root, 'dist'), { recursive: true });
    for (const stale of [...folders, 'agents', '.build-stamp']) {
      rmSync(join(root, 'dist', stale), { recursive: true, force: true });
    }
    await bundle();
    copyRuleFiles();
    const { renderClientTypes } = await import('./client-types.ts');
    writeFileSync(join(root, 'dist', 'client', 'client.d.ts'), renderClientTypes());
    writeFileSync(stampFile, stamp);
  } finally {
    release();
  }
}

if (isMain(import.meta.url)) await buildIfNeeded();
