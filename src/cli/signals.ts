// The signals that end a command which runs until it is stopped.

import { EXIT_HUNG_UP, EXIT_INTERRUPTED, EXIT_TERMINATED } from './exit-codes.ts';

const exitCodes = {
  SIGINT: EXIT_INTERRUPTED,
  SIGTERM: EXIT_TERMINATED,
  SIGHUP: EXIT_HUNG_UP,
} as const;

/** Calls `end` with the exit code of each signal that comes, until it is disposed of. */
export function onSignals(
  end: (exitCode: number, signal: keyof typeof exitCodes) => void,
): Disposable {
  const listeners = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map(
    (name) => [name, () => end(exitCodes[name], name)] as const,
  );
  for (const [name, listener] of listeners) process.on(name, listener);
  return {
    [Symbol.dispose]() {
      for (const [name, listener] of listeners) process.off(name, listener);
    },
  };
}
