// A secret of the configuration, or where it is: `env:NAME` or `file:PATH`. It is read at each
// delivery, so that a changed file counts at once.

import { readFileSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';

/** A file that is larger holds something else. */
const BYTES_MAX = 16_384;

export type SecretValue =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly problem: string };

const problem = (text: string): SecretValue => ({ ok: false, problem: text });

/** `key` names it in a message. */
export function readSecret(
  text: string,
  key: string,
  env: Readonly<Record<string, string | undefined>>,
): SecretValue {
  if (text.startsWith('env:')) {
    const value = env[text.slice(4)]?.trim() ?? '';
    return value
      ? { ok: true, value }
      : problem(`${key}: the daemon has no variable ${text.slice(4)}`);
  }
  if (!text.startsWith('file:')) return { ok: true, value: text };
  const path = text.slice(5).replace(/^~(?=\/)/, env['HOME'] ?? '~');
  const file = isAbsolute(path) ? path : join(env['HOME'] ?? '/', path);
  try {
    if (statSync(file).size > BYTES_MAX) return problem(`${key}: ${file} is too large`);
    const value = readFileSync(file, 'utf8').trim();
    return value ? { ok: true, value } : problem(`${key}: ${file} is empty`);
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    return problem(`${key}: ${file} cannot be read (${code})`);
  }
}
