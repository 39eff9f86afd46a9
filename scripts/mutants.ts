// `npm run test:mutants`: breaks one law at a time with a small patch and requires a failing test.
// A mutant that survives means that no test checks the law.

import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Mutant, mutants } from './mutants-list.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const AT_ONCE = 2;
/** What the laws need to run; vitest.config.ts imports from scripts. */
const parts = ['src', 'tests', 'scripts', 'package.json', 'vitest.config.ts', 'tsconfig.base.json'];
/** A mutant may loop for ever; a run of the laws takes some ten seconds. */
const DEADLINE_MS = 240_000;

type Verdict = 'killed' | 'survived' | 'not applied';

/** Copies the sources and applies one patch; false when its text is not found exactly once. */
function applyPatch(mutant: Mutant, folder: string): boolean {
  for (const part of parts) {
    cpSync(join(root, part), join(folder, part), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const path = join(folder, mutant.file);
  const before = readFileSync(path, 'utf8');
  if (before.split(mutant.find).length !== 2) return false;
  writeFileSync(
    path,
    before.replace(mutant.find, () => mutant.replace),
  );
  return true;
}

function runLaws(mutant: Mutant, folder: string): Promise<Verdict> {
  const vitest = join(folder, 'node_modules', 'vitest', 'vitest.mjs');
  const isFile = mutant.law.endsWith('.test.ts');
  const tests = isFile ? [mutant.law] : ['tests/laws', '-t', `law ${mutant.law}:`];
  const args = [vitest, 'run', '--project', 'unit', ...tests];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: 'ignore' });
  return new Promise((resolve, reject) => {
    const deadline = setTimeout(() => child.kill('SIGKILL'), DEADLINE_MS);
    child.once('error', reject);
    child.once('exit', (code) => {
      clearTimeout(deadline);
      resolve(code === 0 ? 'survived' : 'killed');
    });
  });
}

async function runMutant(mutant: Mutant): Promise<Verdict> {
  const folder = mkdtempSync(join(tmpdir(), 'agtmux-mutant-'));
  try {
    return applyPatch(mutant, folder) ? await runLaws(mutant, folder) : 'not applied';
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The laws must pass without a patch, or every mutant would look killed. */
const untouched: Mutant = {
  law: '\\d+',
  file: 'package.json',
  find: '"name": "agtmux"',
  replace: '"name": "agtmux"',
  breaks: 'nothing',
};

async function main(): Promise<void> {
  const control = await runMutant(untouched);
  if (control !== 'survived') throw new Error('the laws fail, or do not start, without a patch');
  const queue = [...mutants];
  let survivors = 0;
  const worker = async (): Promise<void> => {
    for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
      const verdict = await runMutant(mutant);
      if (verdict !== 'killed') survivors += 1;
      process.stdout.write(`${mutant.law.padStart(2)}  ${verdict}  ${mutant.breaks}\n`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  process.stdout.write(`${mutants.length - survivors} killed, ${survivors} survived\n`);
  if (survivors > 0) process.exitCode = 1;
}

await main();
