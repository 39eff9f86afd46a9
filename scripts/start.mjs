// `npm start`: installs, builds and runs agtmux with the arguments given after `--`.
// It is the only command that a fresh clone needs, on any Node from 18 on.

import { join } from 'node:path';
import { build, install, root, runMain, runtimeNode, say } from './prepare.mjs';
import { runChild } from './run-child.mjs';

await runMain(async () => {
  await install('[1/3]');
  await build('[2/3]');
  say('[3/3] starting agtmux');
  const entry = join(root, 'bin', 'agtmux.js');
  const { code } = await runChild(runtimeNode(), [entry, ...process.argv.slice(2)]);
  return code;
});
