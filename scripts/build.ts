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
import { buildPage, buildTerminal, buildWebClient } from './build-page.ts';
import { isMain, root } from './script-entry.ts';
import { takeTreeLock } from './tree-lock.mjs';

/** The start of every command line. */
const cliEntry = 'src/cli/main.ts';

/** Prints a line for each command, so they are all in its bundle. */
const helpEntry = 'src/cli/help.ts';

/**
 * Where a source file's bundle is written. All are two folders deep, as the folders of src are,
 * because some code finds the files of the package by a relative path.
 */
function outputOf(source: string): string {
  const name = relative('src', source).replace(/\.ts$/, '');
  if (entryPoints.includes(source) || source === cliEntry) return name;
  if (name.startsWith('cli/')) return name.replace(/^cli\/commands\/\w+\//, 'commands/');
  return `chunks/${name.replaceAll('/', '-')}`;
}

// One entry for each program that is started by its own path; the rest is split into chunks.
const entryPoints = [
  'src/client/client.ts',
  'src/daemon/main.ts',
  'src/store/damage-worker.ts',
  'src/tmux/tap-worker.ts',
];

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
    'scripts/build-page.ts',
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

/** Zod brings its messages in 60 languages, 450 kB that nobody asks for. */
const englishOnly: Plugin = {
  name: 'english-only',
  setup({ onLoad }) {
    onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
      resolveDir: join(root, 'node_modules/zod/v4/locales'),
    }));
  },
};

/** Leaves what `source` imports dynamically to bundles of their own, and adds them to `found`. */
function separateLazyImports(source: string, found: Set<string>): Plugin {
  return {
    name: 'separate-lazy-imports',
    setup({ onResolve }) {
      onResolve({ filter: /^\.{1,2}\// }, ({ kind, path, resolveDir }) => {
        if (kind !== 'dynamic-import') return null;
        const imported = relative(root, join(resolveDir, path));
        if (source === helpEntry && imported.startsWith('src/cli/')) return null;
        found.add(imported);
        const file = relative(dirname(outputOf(source)), `${outputOf(imported)}.js`);
        return { path: file.startsWith('.') ? file : `./${file}`, external: true };
      });
    },
  };
}

/**
 * Bundles one file of the command line with everything that it imports into one file: loading many
 * chunks would take longer. Returns what it imports dynamically.
 */
export async function bundleAlone(source: string, { write }: { readonly write: boolean }) {
  const { build } = await import('esbuild');
  const found = new Set<string>();
  const { metafile } = await build({
    ...buildOptions,
    entryPoints: [{ in: source, out: outputOf(source) }],
    plugins: [separateLazyImports(source, found)],
    write,
  });
  return { metafile, lazyImports: [...found] };
}

/** Bundles the command line, one file per command. Returns what the commands load besides. */
async function bundleCommandLine() {
  const own = new Set([cliEntry]);
  const others = new Set<string>();
  const inputs: string[] = [];
  for (const source of own) {
    const { metafile, lazyImports } = await bundleAlone(source, { write: true });
    inputs.push(...Object.keys(metafile.inputs));
    for (const each of lazyImports) (each.startsWith('src/cli/') ? own : others).add(each);
  }
  return { inputs, others: [...others] };
}

/**
 * One character beyond Latin-1 makes V8 keep the whole text of a file at two bytes each, and
 * esbuild leaves those of patterns and comments as they are.
 */
function escapeRest(file: string): void {
  const text = readFileSync(file, 'utf8');
  const escaped = text.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  if (escaped !== text) writeFileSync(file, escaped);
}

async function bundle(): Promise<void> {
  const { build } = await import('esbuild');
  const dist = join(root, 'dist');
  const commandLine = await bundleCommandLine();
  const { metafile } = await build({
    ...buildOptions,
    entryPoints: [...new Set([...entryPoints, ...commandLine.others])].map((source) => ({
      in: source,
      out: outputOf(source),
    })),
    chunkNames: 'chunks/[name]-[hash]',
    splitting: true,
    charset: 'ascii',
    plugins: [englishOnly],
  });
  for (const file of Object.keys(metafile.outputs)) escapeRest(join(root, file));
  const separator = `\n${'-'.repeat(72)}\n\n`;
  const inputs = [
    ...[...commandLine.inputs, ...Object.keys(metafile.inputs)],
    ...[...(await buildWebClient()), ...(await buildPage()), ...(await buildTerminal())],
  ];
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
const folders = ['cli', 'commands', 'client', 'daemon', 'tmux', 'chunks', 'web', 'web-client'];

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
    const { renderClientTypes, renderWebClientTypes } = await import('./client-types.ts');
    writeFileSync(join(root, 'dist', 'client', 'client.d.ts'), renderClientTypes());
    const webTypes = join(root, 'dist', 'web-client', 'web-client.d.ts');
    writeFileSync(webTypes, renderWebClientTypes());
    writeFileSync(stampFile, stamp);
  } finally {
    release();
  }
}

if (isMain(import.meta.url)) await buildIfNeeded();
