#!/usr/bin/env node
// The entry. It checks the Node version before loading anything newer, and is kept to syntax that
// every Node since 14 parses, so that an old Node prints a sentence and not a stack.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
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
function runOnNewerNode(node) {
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
  const main = new URL('../dist/cli/main.js', import.meta.url);
  if (!existsSync(fileURLToPath(main))) {
    refuse('agtmux is not built in this checkout; run `npm start` there once.');
    return;
  }
  const { runCli } = await import(main.href);
  process.exitCode = await runCli(process.argv);
}

// Looked for in its own package: not every npm links a program called node into .bin.
const newerNode = fileURLToPath(
  new URL(`../node_modules/node-${process.platform}-${process.arch}/bin/node`, import.meta.url),
);

if (isNewEnough()) await runHere();
else if (existsSync(newerNode) && process.env.AGTMUX_REEXEC === undefined)
  runOnNewerNode(newerNode);
else refuseOldNode();
