#!/usr/bin/env node
// The entry. It checks the Node version before loading anything newer, and is kept to syntax that
// every Node since 14 parses, so that an old Node prints a sentence and not a stack.

import { fileURLToPath } from 'node:url';

// EX_CONFIG of sysexits: the machine is set up wrongly, not the command.
const EXIT_CONFIG = 78;

function isNewEnough() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 18);
}

function refuse(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exitCode = EXIT_CONFIG;
}

function refuseOldNode() {
  refuse(`agtmux needs Node 22.18 or newer; this is ${process.version} at ${process.execPath}.`);
}

// In a checkout, installing has put a current Node beside us; an installed copy has none.
// The child is the program: signals go to it, and its end is our end.
async function runOnNewerNode(node) {
  const { spawn } = await import('node:child_process');
  const child = spawn(node, process.argv.slice(1), {
    stdio: 'inherit',
    env: { ...process.env, AGTMUX_REEXEC: '1' },
  });
  const listeners = ['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => {
    const listener = () => child.kill(signal);
    process.on(signal, listener);
    return [signal, listener];
  });
  child.once('error', refuseOldNode);
  child.once('exit', (code, signal) => {
    for (const [name, listener] of listeners) process.off(name, listener);
    if (signal !== null) process.kill(process.pid, signal);
    else process.exitCode = code;
  });
}

async function runHere() {
  // The mark is for this hop only; programs that we start must not inherit it.
  delete process.env.AGTMUX_REEXEC;
  const main = new URL('../dist/cli/main.js', import.meta.url).href;
  let cli;
  try {
    cli = await import(main);
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND' || error.url !== main) throw error;
    refuse('agtmux is not built in this checkout; run `npm start` there once.');
    return;
  }
  process.exitCode = await cli.runCli(process.argv);
}

// Looked for in its own package: not every npm links a program called node into .bin.
const newerNode = fileURLToPath(
  new URL(`../node_modules/node-${process.platform}-${process.arch}/bin/node`, import.meta.url),
);

// What only an old Node needs is loaded only there: each module costs a quick command its time.
async function findNewerNode() {
  const { existsSync } = await import('node:fs');
  if (existsSync(newerNode) && process.env.AGTMUX_REEXEC === undefined) {
    await runOnNewerNode(newerNode);
  } else refuseOldNode();
}

await (isNewEnough() ? runHere() : findNewerNode());
