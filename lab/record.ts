// Takes screens that the daemon was wrong about into the corpus: `npm run lab -- --record FILE...`.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from '../scripts/script-entry.ts';
import { recordSchema } from '../src/schema/record.ts';

/** Copies each record beside the others of its agent, under a name with its label. */
export function addToCorpus(files: readonly string[], say: (line: string) => void): void {
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    const record = recordSchema.parse(JSON.parse(text));
    const step = basename(file, '.json').replace(`${record.agent}-`, '');
    const name = `${record.agent_version}-lab-${step}-${record.state}.json`;
    const target = join(root, 'corpus', record.agent, name);
    if (existsSync(target)) throw new Error(`${target} is there already`);
    writeFileSync(target, text);
    say(`added ${target}`);
  }
}
