// The tidy rules about imports: layers import downwards only, packages and Node modules stay where
// they belong, and no file lies unused. The table itself is import-table.ts. Pure.

import { posix } from 'node:path';
import {
  entryFiles,
  guardedNodeModules,
  importTable,
  type LayerRow,
  testPackages,
} from './import-table.ts';
import { codeOnly, type FoundImport, importsOf, lineOf } from './source-text.ts';
import type { Rule, TreeFile, Violation } from './tidy-types.ts';

const isCode = (path: string): boolean => /\.(?:ts|mjs|js)$/.test(path);
const isUnitTest = (path: string): boolean => /\.test\.ts$/.test(path);
const inSource = (path: string): boolean => path.startsWith('src/');
const layerOf = (path: string): string => path.split('/')[1] ?? '';

// `zod/mini` is the package zod, `@xterm/xterm/css` the package @xterm/xterm.
function packageOf(specifier: string): string {
  const parts = specifier.split('/');
  return parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
}

function resolve(path: string, specifier: string): string {
  return posix.join(posix.dirname(path), specifier);
}

const layerFolders: Rule = {
  name: 'layer-folder',
  check: (files) =>
    files
      .filter(({ path }) => inSource(path))
      .filter(({ path }) => path.split('/').length < 3 || importTable[layerOf(path)] === undefined)
      .map(({ path }) => ({
        rule: 'layer-folder',
        path,
        line: 1,
        message: `src/${layerOf(path)} is not in scripts/import-table.ts`,
      })),
};

function lazyAllowed(row: LayerRow, path: string, target: string): boolean {
  return (row.lazyImports ?? []).some(
    ({ layers, from }) => layers.includes(target) && (from === undefined || from.test(path)),
  );
}

// What is wrong with an import of another file of ours, or undefined when nothing is.
function relativeProblem(path: string, row: LayerRow, found: FoundImport): string | undefined {
  const target = resolve(path, found.specifier);
  if (!inSource(target)) {
    const fromTest = isUnitTest(path) && target.startsWith('tests/');
    const isData = found.kind === 'url';
    return fromTest || isData ? undefined : `${target} lies outside src/`;
  }
  const [own, other] = [layerOf(path), layerOf(target)];
  if (own === other || row.imports.includes(other)) return undefined;
  if (row.typeImports?.includes(other)) {
    if (found.kind === 'type' || isUnitTest(path)) return undefined;
    return `${own} may import types of ${other}, not its code`;
  }
  if (lazyAllowed(row, path, other)) {
    if (found.kind === 'lazy' || found.kind === 'type') return undefined;
    return `${own} may load ${other} by import() only`;
  }
  return `${own} may not import ${other}`;
}

function nodeProblem(path: string, row: LayerRow, specifier: string): string | undefined {
  const layer = layerOf(path);
  if (!row.node) return `${layer} may not use ${specifier}`;
  const guard = guardedNodeModules[specifier];
  if (guard === undefined || guard.layers.includes(layer) || isUnitTest(path)) return undefined;
  return `${layer} may not use ${specifier}: ${guard.instead}`;
}

function packageProblem(path: string, row: LayerRow, specifier: string): string | undefined {
  const name = packageOf(specifier);
  if (row.packages.includes(name)) return undefined;
  if (isUnitTest(path) && testPackages.includes(name)) return undefined;
  return `${layerOf(path)} may not use the package ${name}`;
}

function importProblem(path: string, row: LayerRow, found: FoundImport): string | undefined {
  const { specifier } = found;
  if (specifier.startsWith('.')) return relativeProblem(path, row, found);
  if (specifier.startsWith('node:')) return nodeProblem(path, row, specifier);
  return packageProblem(path, row, specifier);
}

const imports: Rule = {
  name: 'import',
  check: (files) =>
    files
      .filter(({ path }) => inSource(path) && isCode(path))
      .flatMap(({ path, text }) => {
        const row = importTable[layerOf(path)];
        if (row === undefined) return [];
        return importsOf(text).flatMap((found): Violation[] => {
          const message = importProblem(path, row, found);
          return message === undefined ? [] : [{ rule: 'import', path, line: found.line, message }];
        });
      }),
};

// A name that is computed cannot be held against the table.
const computedImports: Rule = {
  name: 'computed-import',
  check: (files) =>
    files
      .filter(({ path }) => inSource(path) && isCode(path))
      .flatMap(({ path, text }) =>
        [...codeOnly(text).matchAll(/\bimport\s*\(\s*[^'"\s]/g)].map((found) => ({
          rule: 'computed-import',
          path,
          line: lineOf(text, found.index),
          message: 'import() takes a plain string here',
        })),
      ),
};

function importedBy({ path, text }: TreeFile): readonly string[] {
  return importsOf(text)
    .filter(({ specifier }) => specifier.startsWith('.'))
    .map(({ specifier }) => resolve(path, specifier))
    .filter((target) => target !== path);
}

const deadFiles: Rule = {
  name: 'dead-file',
  check: (files) => {
    const imported = new Set(files.filter(({ path }) => isCode(path)).flatMap(importedBy));
    return files
      .filter(({ path }) => inSource(path) && isCode(path) && !isUnitTest(path))
      .filter(({ path }) => !imported.has(path) && !entryFiles.includes(path))
      .map(({ path }) => ({
        rule: 'dead-file',
        path,
        line: 1,
        message: 'nothing imports this file',
      }));
  },
};

export const importRules: readonly Rule[] = [layerFolders, imports, computedImports, deadFiles];
