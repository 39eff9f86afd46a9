// `npm test`: installs, builds and runs every test; arguments after `--` go to vitest. `--quick`
// runs the pure suites, which need neither the build nor system packages.
// The last line it prints is always `N passed, N failed`, alone, for programs that read it.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, install, root, runMain, runtimeNode, say } from './prepare.mjs';
import { runChild } from './run-child.mjs';
import { installSystemPackages } from './system-packages.mjs';
import { closingLines, countResults } from './test-results.mjs';

/** @param {string} path */
function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * @param {readonly string[]} args
 * @param {readonly string[]} missing
 */
async function runVitest(args, missing) {
  const folder = mkdtempSync(join(tmpdir(), 'agtmux-test-'));
  const report = join(folder, 'report.json');
  try {
    const { code } = await runChild(
      runtimeNode(),
      [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', ...args],
      {
        cwd: root,
        env: { ...process.env, AGTMUX_MISSING: missing.join(','), AGTMUX_TEST_REPORT: report },
      },
    );
    for (const line of closingLines(countResults(readReport(report), code))) {
      process.stdout.write(`${line}\n`);
    }
    return code;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const [first, ...rest] = process.argv.slice(2);

async function testQuickly() {
  await install('[1/2]');
  say('[2/2] running the pure suites');
  return runVitest(['--project', 'unit', ...rest], []);
}

async function testAll() {
  await install('[1/4]');
  say('[2/4] looking for system packages ...');
  const missing = await installSystemPackages(say);
  await build('[3/4]');
  say('[4/4] running tests');
  return runVitest(process.argv.slice(2), missing);
}

await runMain(first === '--quick' ? testQuickly : testAll);
