import { spawnSync } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { importTable } from '../scripts/import-table.ts';
import { root } from '../scripts/script-entry.ts';

const layers = globSync('src/*/tsconfig.json', { cwd: root }).map(
  (path) => path.split('/')[1] ?? '',
);
const pureLayers = layers.filter((layer) => importTable[layer]?.pure);

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agtmux-layers-'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  for (const path of [
    'biome.json',
    'tsconfig.base.json',
    ...layers.map((layer) => `src/${layer}/tsconfig.json`),
  ]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(root, path), join(folder, path));
  }
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

// Compiles one planted file with the real settings of its layer, and nothing else.
function compile(layer: string, text: string): string {
  writeFileSync(join(folder, 'src', layer, 'planted.ts'), text);
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const args = [tsc, '-b', join('src', layer), '--pretty', 'false'];
  return spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' }).stdout;
}

describe('the compiler', () => {
  it.each(pureLayers)('lets pure code through in %s', (layer) => {
    expect(compile(layer, 'export const twice = (n: number): number => n * 2;\n')).toBe('');
  });

  it.each(pureLayers)('knows no process, timer, network or console in %s', (layer) => {
    const words = ['process', 'setTimeout', 'fetch', 'console', 'Buffer', 'require'];
    const text = words.map((word) => `export const ${word}It = ${word};`).join('\n');
    const output = compile(layer, text);
    for (const word of words) expect(output).toContain(`Cannot find name '${word}'`);
  });

  it.each(pureLayers)('knows no Node module in %s', (layer) => {
    expect(compile(layer, "export * from 'node:fs';\n")).toContain("'node:fs'");
  });
});

describe('the settings of the layers', () => {
  it('name the same layers that the root settings build', () => {
    const { references } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
    const paths = references.map(({ path }: { path: string }) => path).sort();
    expect(paths).toEqual([...layers.map((layer) => `src/${layer}`), 'tests'].sort());
  });

  it.each(layers)('let %s see no layer that the import table keeps from it', (layer) => {
    const row = importTable[layer];
    const allowed = [
      ...(row?.imports ?? []),
      ...(row?.typeImports ?? []),
      ...(row?.lazyImports ?? []).flatMap((lazy) => lazy.layers),
    ];
    const text = readFileSync(join(root, 'src', layer, 'tsconfig.json'), 'utf8');
    const { references } = JSON.parse(text);
    const seen = references.map(({ path }: { path: string }) => path.replace('../', ''));
    expect(seen.filter((other: string) => !allowed.includes(other))).toEqual([]);
  });
});

describe('the linter', () => {
  const lint = (layer: string): string => {
    const path = join('src', layer, 'planted.ts');
    writeFileSync(join(folder, path), 'export const now = (): number => Date.now();\n');
    const biome = join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
    const args = [biome, 'lint', '--colors=off', '--vcs-enabled=false', path];
    const done = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    return done.stdout + done.stderr;
  };

  it.each(pureLayers)('knows no Date in %s', (layer) => {
    expect(lint(layer)).toContain('take nowMs as an argument');
  });

  it('leaves Date to the shells', () => {
    expect(lint('platform')).toContain('Checked 1 file');
    expect(lint('platform')).not.toContain('noRestrictedGlobals');
  });
});
