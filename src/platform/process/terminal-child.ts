// A child that has our terminal: it reads the keys and paints, while we only wait for its end.

import { type ChildProcess, spawn } from 'node:child_process';
import type { ChildExit, ChildSpec } from './child.ts';

export interface TerminalChild {
  readonly exited: Promise<ChildExit>;
  kill(signal: NodeJS.Signals): void;
}

/** Starts it with our own input and output. Never throws: what cannot be started exits so. */
export function startInTerminal({ command, args, env, cwd }: ChildSpec): TerminalChild {
  const { promise: exited, resolve } = Promise.withResolvers<ChildExit>();
  const options = { ...(env && { env }), ...(cwd !== undefined && { cwd }) };
  const child: ChildProcess = spawn(command, args, { ...options, stdio: 'inherit' });
  child.once('error', (error) => resolve({ code: null, signal: null, error: error.message }));
  child.once('exit', (code, signal) => resolve({ code, signal, error: null }));
  return {
    exited,
    kill: (signal) => {
      child.kill(signal);
    },
  };
}
