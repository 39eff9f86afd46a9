// Brings a working tree to the point where agtmux can run: packages installed, bundle built, a
// Node new enough found. Used by start, test and check. Plain JavaScript for Node 18 and newer,
// because it runs on whatever Node the machine has, before anything is installed.

import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runChild } from './run-child.mjs';
import { takeTreeLock } from './tree-lock.mjs';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

// The oldest Node that runs our sources and has every node:sqlite option that we use.
const NODE_FLOOR = [22, 18];

// Installing takes about 15 s on a warm link; a line every 10 s shows progress.
const PROGRESS_MS = 10_000;

const networkTrouble =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT)\b/;

// Progress goes to stderr: stdout belongs to the program that is started.
/** @param {string} line */
export function say(line) {
  process.stderr.write(`${line}\n`);
}

/** @param {string} version */
export function isNewEnough(version) {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  const [floorMajor = 0, floorMinor = 0] = NODE_FLOOR;
  return major > floorMajor || (major === floorMajor && minor >= floorMinor);
}

// Whether npm on this Node installs the tools whole; the strictest of them asks for these versions.
/** @param {string} version */
export function runsTheTools(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22;
}

const runtimePackage = `node-${process.platform}-${process.arch}`;
const runtimeProgram = join(root, 'node_modules', runtimePackage, 'bin', 'node');

// The Node to run the product with: the one of tools/runtime, else this one when new enough.
export function runtimeNode() {
  if (existsSync(runtimeProgram)) return runtimeProgram;
  if (isNewEnough(process.versions.node)) return process.execPath;
  throw new Error(
    `agtmux needs Node ${NODE_FLOOR.join('.')} or newer; this is ${process.version} and ` +
      `tools/runtime has no Node for ${process.platform}-${process.arch}. Install a newer Node.`,
  );
}

// npm 11 links this Node where every `npm run` finds it first; npm 10, which comes with Node 20,
// does not link a program called node.
function linkRuntime() {
  const link = join(root, 'node_modules', '.bin', 'node');
  if (existsSync(link) || !existsSync(runtimeProgram)) return;
  rmSync(link, { force: true });
  symlinkSync(join('..', runtimePackage, 'bin', 'node'), link);
}

// npm removes node_modules while it works, so it must not run on the Node that lives there.
export function environmentOutsideTree() {
  const path = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => !folder.startsWith(join(root, 'node_modules')))
    .join(delimiter);
  return { ...process.env, PATH: path };
}

// What the installed tree must agree with. Node's platform is part of it because a copied tree
// holds binaries for the machine it came from.
function wantedStamp() {
  const hash = createHash('sha256');
  hash.update(readFileSync(join(root, 'package-lock.json')));
  hash.update(`${process.platform}-${process.arch}`);
  return hash.digest('hex');
}

const stampPath = join(root, 'node_modules', '.agtmux-stamp');

function isInstalled() {
  return existsSync(stampPath) && readFileSync(stampPath, 'utf8') === wantedStamp();
}

// One sentence for what went wrong in npm's output.
/** @param {string} output */
export function installTrouble(output) {
  const found = networkTrouble.exec(output);
  if (found !== null) {
    return (
      `The npm registry could not be reached (${found[1]}). ` +
      'Check the network, a proxy, or `npm config get registry`, and run the same command again.'
    );
  }
  if (/\bENOSPC\b/.test(output)) return 'The disk is full: installing needs about 400 MB.';
  if (/\b(EACCES|EPERM|EROFS)\b/.test(output)) return 'This folder is not writable.';
  if (/\bE404\b/.test(output)) return 'The npm registry lacks one of the packages named above.';
  return 'npm ci failed; its output is above.';
}

/**
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env
 */
async function npmInstall(args, env) {
  const { code, output } = await runChild(
    'npm',
    ['ci', '--loglevel=error', '--no-audit', '--no-fund', ...args],
    { cwd: root, env, capture: true },
  );
  if (code === 0) return;
  // npm prints a long stack when the network is down; our sentence replaces it.
  if (!networkTrouble.test(output)) say(output.trimEnd());
  throw new Error(installTrouble(output));
}

// npm silently skips an optional package that does not support the Node it runs on, and the tools'
// binaries are such packages. So on an old Node this fetches the new Node first, copies it aside,
// and installs everything with it.
async function installOnNewerNode() {
  const env = environmentOutsideTree();
  await npmInstall(['--workspace=tools/runtime'], env);
  const folder = mkdtempSync(join(tmpdir(), 'agtmux-node-'));
  try {
    copyFileSync(runtimeNode(), join(folder, 'node'));
    await npmInstall([], { ...env, PATH: `${folder}${delimiter}${env.PATH}` });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function installNow() {
  const started = Date.now();
  const ticker = setInterval(() => {
    say(`      still installing (${Math.round((Date.now() - started) / 1000)} s)`);
  }, PROGRESS_MS);
  try {
    if (runsTheTools(process.versions.node)) await npmInstall([], environmentOutsideTree());
    else await installOnNewerNode();
  } finally {
    clearInterval(ticker);
  }
  linkRuntime();
  writeFileSync(stampPath, wantedStamp());
}

/** @param {number} pid */
function sayWaiting(pid) {
  say(`      waiting for another agtmux command in this folder (process ${pid})`);
}

// Installs when node_modules is missing or does not match the lock file; says which.
/** @param {string} step such as "[1/3]" */
export async function install(step) {
  if (isInstalled()) {
    say(`${step} packages are installed`);
    return;
  }
  say(`${step} installing packages ...`);
  const release = await takeTreeLock(root, sayWaiting);
  try {
    if (!isInstalled()) await installNow();
  } finally {
    release();
  }
}

// Builds the bundle when a source is newer than it. The build takes the lock itself.
/** @param {string} step */
export async function build(step) {
  say(`${step} building ...`);
  const { code } = await runChild(runtimeNode(), [join(root, 'scripts', 'build.ts')], {
    cwd: root,
  });
  if (code !== 0) throw new Error('The build failed; the messages above say where.');
}

// Runs an entry script: its result is the exit code, an error is one sentence and exit code 1.
/** @param {() => Promise<number>} main */
export async function runMain(main) {
  try {
    process.exitCode = await main();
  } catch (error) {
    say(`agtmux: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}
