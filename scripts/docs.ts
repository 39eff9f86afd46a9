// Writes the reference pages that are generated from tables in the code; with --check it writes
// nothing and fails when a page on disk differs. One entry in `pages` is one generated file.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { problems } from '../src/schema/problem.ts';
import { agentPages } from './agent-docs.ts';
import { renderCli } from './cli-docs.ts';
import { renderConfig } from './config-docs.ts';
import { demoScreens } from './demo-screens.ts';
import { cell } from './docs-cell.ts';
import { renderOperations, renderSchemas, renderWebProtocol } from './operations-docs.ts';
import { isMain, root } from './script-entry.ts';

export type ProblemRow = {
  readonly code: string;
  readonly family: string;
  readonly rpcCode: number;
  readonly httpStatus: number;
  readonly exitCode: number;
  readonly sentence: string;
  readonly hint: string;
};

const families: readonly (readonly [string, string])[] = [
  ['refusal', 'An expected "no": the request was understood and declined. Nothing was done.'],
  ['fault', 'The world misbehaves: a host, a tmux server, a disk. It is retried and reported.'],
  ['evidence', 'Why one piece of evidence was not applied. It is kept and shown by its source.'],
  ['defect', 'A bug of ours. The process ends and starts again from what it had stored.'],
];

function problemTable(rows: readonly ProblemRow[]): string {
  const lines = rows.map((row) =>
    [
      `\`${row.code}\``,
      cell(row.sentence),
      cell(row.hint),
      row.exitCode,
      row.httpStatus,
      row.rpcCode,
    ].join(' | '),
  );
  return [
    '| code | what | what to do | exit code | HTTP | JSON-RPC |',
    '|---|---|---|---|---|---|',
    ...lines.map((line) => `| ${line} |`),
  ].join('\n');
}

// Returns the page on errors: one section a family, one row a code, in the order of the table.
// A family without a section of its own is an error: its rows would be lost.
export function renderErrors(rows: readonly ProblemRow[]): string {
  const knownFamilies = families.map(([family]) => family);
  const unlistedRow = rows.find(({ family }) => !knownFamilies.includes(family));
  if (unlistedRow !== undefined)
    throw new Error(`${unlistedRow.code}: no section for family ${unlistedRow.family}`);
  const sections = families
    .map(([family, text]) => ({ family, text, own: rows.filter((row) => row.family === family) }))
    .filter(({ own }) => own.length > 0)
    .map(({ family, text, own }) => `## ${family}\n\n${text}\n\n${problemTable(own)}\n`);
  return [
    '# Errors\n',
    'Generated from `src/schema/problem.ts` by `npm run docs`; do not edit by hand.',
    'Codes are stable: scripts may match on them. The words may change.\n',
    ...sections,
  ].join('\n');
}

const pages: Readonly<Record<string, () => string | Promise<string>>> = {
  'docs/reference/errors.md': () => renderErrors(problems),
  'docs/reference/cli.md': renderCli,
  'docs/reference/config.md': renderConfig,
  'docs/reference/operations.md': renderOperations,
  'docs/reference/schemas.json': renderSchemas,
  'docs/reference/web-protocol.md': renderWebProtocol,
  'src/demo/screens.json': demoScreens,
  ...agentPages(),
};

function isCurrent(path: string, text: string): boolean {
  return existsSync(path) && readFileSync(path, 'utf8') === text;
}

async function main(check: boolean): Promise<number> {
  const rendered = await Promise.all(
    Object.entries(pages).map(async ([name, render]) => ({
      name,
      path: join(root, name),
      text: await render(),
    })),
  );
  const stale = rendered.filter(({ path, text }) => !isCurrent(path, text));
  for (const { name, path, text } of stale) {
    if (check) {
      process.stderr.write(`${name} is out of date; run npm run docs\n`);
    } else {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      process.stderr.write(`wrote ${name}\n`);
    }
  }
  return check && stale.length > 0 ? 1 : 0;
}

if (isMain(import.meta.url)) process.exitCode = await main(process.argv.includes('--check'));
