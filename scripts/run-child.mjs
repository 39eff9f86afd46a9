// Runs one program to its end for the start, test and check scripts, and passes signals on to it.
// Plain JavaScript for Node 18 and newer: it runs before anything is installed.

import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const passedSignals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

// The exit code a shell would report: 128 plus the signal's number when a signal ended the child.
/**
 * @param {number | null} code
 * @param {NodeJS.Signals | null} signal
 */
function exitCodeOf(code, signal) {
  if (code !== null) return code;
  return 128 + (signal === null ? 0 : constants.signals[signal]);
}

// Resolves to { code, output }. `output` is what the child wrote to stderr and stdout when
// `capture` is set, else empty. A program that cannot be started gives code 127.
/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, capture?: boolean }} [options]
 * @returns {Promise<{ code: number, output: string }>}
 */
export function runChild(command, args, options = {}) {
  const { cwd, env, capture = false } = options;
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      env: env ?? process.env,
      stdio: capture ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    });
    let output = '';
    child.stdout?.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
    const listeners = passedSignals.map((signal) => {
      const listener = () => child.kill(signal);
      process.on(signal, listener);
      return /** @type {const} */ ([signal, listener]);
    });
    /** @param {{ code: number, output: string }} result */
    const finish = (result) => {
      for (const [signal, listener] of listeners) process.off(signal, listener);
      resolve(result);
    };
    child.once('error', (error) => finish({ code: 127, output: `${output}${error.message}\n` }));
    child.once('close', (code, signal) => finish({ code: exitCodeOf(code, signal), output }));
  });
}
