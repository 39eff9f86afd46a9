// `npm start`: installs, builds and runs agtmux with the arguments given after `--`. Without any, a
// person at a terminal sees the agents that run here, or a demo where there is none. It is the only
// command that a fresh clone needs, on any Node from 18 on.

import { join } from 'node:path';
import { build, install, root, runMain, runtimeNode, say } from './prepare.mjs';
import { runChild } from './run-child.mjs';
import { agentCount, argumentsFor } from './start-choice.mjs';
import { installMissing } from './system-packages.mjs';

/**
 * @param {readonly string[]} args
 * @param {{ capture?: boolean }} [options]
 */
function runAgtmux(args, options = {}) {
  return runChild(runtimeNode(), [join(root, 'bin', 'agtmux.js'), ...args], options);
}

async function argumentsForPerson() {
  const missing = await installMissing(say, ({ command }) => command === 'tmux');
  if (missing.length > 0) {
    say('      agtmux needs tmux, which is not on this machine (Debian: apt-get install tmux)');
    return [];
  }
  const { output } = await runAgtmux(['list', 'panes', '--json'], { capture: true });
  const chosen = argumentsFor(agentCount(output));
  say('      a daemon of yours watches tmux from now on; agtmux daemon stop ends it');
  if (chosen.length > 0) say('      no agent runs here yet: starting a demo with made-up agents');
  return chosen;
}

await runMain(async () => {
  await install('[1/3]');
  await build('[2/3]');
  say('[3/3] starting agtmux');
  const given = process.argv.slice(2);
  const isPerson = process.stdin.isTTY && process.stdout.isTTY;
  const args = given.length === 0 && isPerson ? await argumentsForPerson() : given;
  const { code } = await runAgtmux(args);
  return code;
});
