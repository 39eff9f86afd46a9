// A program that writes down its arguments, its input and some variables, each in a file of its
// own.

import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

export interface RecordedCall {
  readonly args: readonly string[];
  readonly input: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface RecordedProgram {
  readonly path: string;
  /** For PATH. */
  readonly folder: string;
  readonly calls: () => readonly RecordedCall[];
}

/** `script` runs after all is written down; its exit code is that of the program. */
export function recordedProgram(
  folder: string,
  name: string,
  { script = '' }: { readonly script?: string } = {},
): RecordedProgram {
  const bin = join(folder, `bin-${name}`);
  const records = join(folder, `records-${name}`);
  mkdirSync(bin);
  mkdirSync(records);
  const path = join(bin, name);
  const text = `#!/bin/sh
count=$(ls '${records}' | wc -l)
record='${records}'/$(printf '%04d' "$count")
mkdir "$record"
for each in "$@"; do printf '%s\\0' "$each"; done > "$record/args"
env -0 > "$record/env"
cat > "$record/input"
: > "$record/done"
${script}
`;
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  const split = (file: string): string[] => readFileSync(file, 'utf8').split('\0').slice(0, -1);
  return {
    path,
    folder: bin,
    calls: () =>
      readdirSync(records)
        .sort()
        .map((each) => join(records, each))
        .filter((record) => existsSync(join(record, 'done')))
        .map((record) => ({
          args: split(join(record, 'args')),
          input: readFileSync(join(record, 'input'), 'utf8'),
          env: Object.fromEntries(
            split(join(record, 'env')).map((line) => {
              const at = line.indexOf('=');
              return [line.slice(0, at), line.slice(at + 1)];
            }),
          ),
        })),
  };
}
