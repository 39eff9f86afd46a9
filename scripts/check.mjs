// `npm run check`: format and lint, types, tidy rules, generated docs unchanged, status rows true.
// Every step runs even when an earlier one failed, so that one run shows every problem.

import { join } from 'node:path';
import { install, root, runMain, runtimeNode, say } from './prepare.mjs';
import { runChild } from './run-child.mjs';

const steps = /** @type {const} */ ([
  ['format and lint', ['node_modules/@biomejs/biome/bin/biome', 'ci', '--error-on-warnings', '.']],
  ['types', ['node_modules/typescript/bin/tsc', '-b']],
  ['tidy', ['node_modules/vitest/vitest.mjs', 'run', 'tests/tidy.test.ts']],
  ['generated docs', ['scripts/docs.ts', '--check']],
  ['status rows', ['scripts/status.ts', '--check']],
]);

await runMain(async () => {
  await install('[0/5]');
  const failed = [];
  for (const [index, [name, [script, ...args]]] of steps.entries()) {
    say(`[${index + 1}/${steps.length}] ${name}`);
    const { code } = await runChild(runtimeNode(), [join(root, script), ...args], { cwd: root });
    if (code !== 0) failed.push(name);
  }
  say(failed.length === 0 ? 'check: all good' : `check failed: ${failed.join(', ')}`);
  return failed.length === 0 ? 0 : 1;
});
