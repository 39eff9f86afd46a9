// Reads the files that the tidy rules look at. Recordings and fixtures are data, not ours to tidy.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TreeFile } from './tidy-types.ts';

const patterns = [
  '{src,tests,scripts,bench,lab,emitter,plugin,bin}/**/*',
  'docs/decisions/*.md',
  'GLOSSARY.md',
  'package.json',
  '*.config.ts',
];

const dataFolders = /(?:^|\/)(?:node_modules|dist|corpus|fixtures|\.[^/]+)\//;

// Returns { path, text } for each file, with paths relative to `root` and slashes in them.
export function readTree(root: string): readonly TreeFile[] {
  return globSync(patterns, { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((path) => !dataFolders.test(path))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}
