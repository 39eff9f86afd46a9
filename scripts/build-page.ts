// Bundles what browsers load: the dashboard into dist/web, with a hash in the name of each file but
// the page itself, and the client of the web service into dist/web-client.

import { createHash } from 'node:crypto';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { BuildOptions, Plugin } from 'esbuild';
import { root } from './script-entry.ts';

const terminalFolder = 'src/web/terminal';

const browser = {
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  charset: 'utf8',
  platform: 'browser',
  target: ['chrome120', 'firefox121', 'safari17'],
  metafile: true,
  logLevel: 'warning',
} satisfies BuildOptions;
/** `index.js`, by which pages of the adapter load what they know. */
const adapterIndex: Plugin = {
  name: 'adapter-index',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^adapter-index$/ }, ({ path }) => ({ path, namespace: 'adapter-index' }));
    onLoad({ filter: /.*/, namespace: 'adapter-index' }, () => ({
      contents: "export * from './protocol.ts'; export * from './tmux-adapter-web.ts';",
      resolveDir: join(root, terminalFolder),
    }));
  },
};
/** What is loaded over a network. */
const small = {
  minify: true,
  legalComments: 'none',
  define: {
    XTERM_STYLE: JSON.stringify(
      readFileSync(join(root, 'node_modules/@xterm/xterm/css/xterm.css'), 'utf8'),
    ),
  },
} satisfies BuildOptions;

/** The client of the web service, for other programs. Returns what went into it. */
export async function buildWebClient(): Promise<readonly string[]> {
  const { build } = await import('esbuild');
  const { metafile } = await build({
    ...browser,
    entryPoints: ['src/web-client/web-client.ts'],
    outdir: 'dist/web-client',
  });
  return Object.keys(metafile.inputs);
}

/** The terminal for pages of other people. Returns what went into it. */
export async function buildTerminal(): Promise<readonly string[]> {
  const { build } = await import('esbuild');
  const elements = await build({
    ...{ ...browser, ...small, splitting: true, chunkNames: 'chunk-[hash]' },
    entryPoints: {
      index: 'adapter-index',
      'agtmux-terminal': `${terminalFolder}/agtmux-terminal.ts`,
    },
    plugins: [adapterIndex],
    outdir: 'dist/web/tmux-adapter-web',
  });
  const shared = await build({
    ...{ ...browser, ...small },
    entryPoints: {
      protocol: `${terminalFolder}/protocol.ts`,
      utils: `${terminalFolder}/adapter-page.ts`,
    },
    outdir: 'dist/web/shared',
  });
  cpSync(join(root, terminalFolder, 'shared.css'), join(root, 'dist/web/shared/styles.css'));
  return [elements, shared].flatMap(({ metafile }) => Object.keys(metafile.inputs));
}

/** The dashboard. Returns what went into it. */
export async function buildPage(): Promise<readonly string[]> {
  const { build } = await import('esbuild');
  const { metafile } = await build({
    ...browser,
    entryPoints: {
      app: 'src/web/app.ts',
      share: 'src/web/share-page.ts',
      style: 'src/web/style.css',
    },
    outdir: 'dist/web/assets',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    splitting: true,
    ...small,
  });
  const outputOf = (entry: string): string => {
    const found = Object.entries(metafile.outputs).find(
      ([, { entryPoint }]) => entryPoint === entry,
    );
    if (!found) throw new Error(`${entry} was not bundled`);
    return `./assets/${basename(found[0])}`;
  };
  const page = readFileSync(join(root, 'src/web/index.html'), 'utf8')
    .replace('%app%', outputOf('src/web/app.ts'))
    .replace('%style%', outputOf('src/web/style.css'));
  writeFileSync(join(root, 'dist/web/index.html'), page);
  const assetOf = (entry: string): string => outputOf(entry).replace('./', '');
  const sharePage = readFileSync(join(root, 'src/web/share.html'), 'utf8')
    .replace('%share%', assetOf('src/web/share-page.ts'))
    .replace('%style%', assetOf('src/web/style.css'));
  writeFileSync(join(root, 'dist/web/share.html'), sharePage);
  cpSync(join(root, 'src/web/public'), join(root, 'dist/web'), { recursive: true });
  const shell = Object.keys(metafile.outputs).map((name) => name.replace('dist/web/', ''));
  await buildServiceWorker(
    ['./', 'manifest.webmanifest', 'icon.svg', 'icon-192.png', ...shell],
    page,
  );
  return Object.keys(metafile.inputs);
}

/** It keeps the files of one build under a name of their own. */
async function buildServiceWorker(files: readonly string[], page: string): Promise<void> {
  const { build } = await import('esbuild');
  // The page names the others by their hashes.
  const hash = createHash('sha256').update(page).update(files.join()).digest('hex').slice(0, 12);
  await build({
    ...browser,
    entryPoints: ['src/web/page-worker.ts'],
    outfile: 'dist/web/page-worker.js',
    minify: true,
    define: {
      SHELL_FILES: JSON.stringify(files),
      SHELL_NAME: JSON.stringify(`agtmux-${hash}`),
    },
  });
}
