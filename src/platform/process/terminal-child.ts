// A child that has our terminal: it reads the keys and paints, while we only wait for its end. Its
// input is ours, or text that we give it.

import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import type { ChildExit, ChildSpec } from './child.ts';

export interface TerminalChild {
  readonly exited: Promise<ChildExit>;
  kill(signal: NodeJS.Signals): void;
}

/** A child that shows on our terminal what it is given. */
export interface TextChild extends TerminalChild {
  /** False when it reads no more. While it has enough, this waits. */
  write(text: string): Promise<boolean>;
  endInput(): void;
}

/** Starts it with our own input and output. Never throws: what cannot be started exits so. */
export function startInTerminal(spec: ChildSpec): TerminalChild {
  return watched(start(spec, 'inherit'));
}

/** Starts it with our output. Null: it cannot be started. */
export async function startWithText(spec: ChildSpec): Promise<TextChild | null> {
  const child = start(spec, ['pipe', 'inherit', 'inherit']);
  const watch = watched(child);
  const isStarted = await new Promise<boolean>((resolve) => {
    child.once('spawn', () => resolve(true));
    child.once('error', () => resolve(false));
  });
  const { stdin } = child;
  if (!isStarted || stdin === null) return null;
  // It may end before it has read everything.
  stdin.on('error', () => stdin.destroy());
  const write = async (text: string): Promise<boolean> => {
    if (!stdin.writable) return false;
    if (!stdin.write(text)) {
      const drained = Promise.withResolvers<void>();
      stdin.once('drain', drained.resolve);
      stdin.once('close', drained.resolve);
      await drained.promise;
    }
    return stdin.writable;
  };
  return { ...watch, write, endInput: () => stdin.end() };
}

function start({ command, args, env, cwd }: ChildSpec, stdio: StdioOptions): ChildProcess {
  const options = { ...(env && { env }), ...(cwd !== undefined && { cwd }) };
  return spawn(command, args, { ...options, stdio });
}

function watched(child: ChildProcess): TerminalChild {
  const { promise: exited, resolve } = Promise.withResolvers<ChildExit>();
  child.once('error', (error) => resolve({ code: null, signal: null, error: error.message }));
  child.once('exit', (code, signal) => resolve({ code, signal, error: null }));
  return {
    exited,
    kill: (signal) => {
      child.kill(signal);
    },
  };
}
