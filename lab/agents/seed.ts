// Writes the files that an agent reads at its start.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

export const seedText = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

export const seedJson = (path: string, value: unknown): void =>
  seedText(path, `${JSON.stringify(value, null, 2)}\n`);
