// The signals that end a command which runs until it is stopped.

/** Calls `end` with the exit code of the first of these signals, until it is disposed of. */
export function onSignals(
  exitCodes: Readonly<Partial<Record<NodeJS.Signals, number>>>,
  end: (exitCode: number) => void,
): Disposable {
  const listeners = Object.entries(exitCodes).map(
    ([name, exitCode]) => [name, () => end(exitCode)] as const,
  );
  for (const [name, listener] of listeners) process.on(name, listener);
  return {
    [Symbol.dispose]() {
      for (const [name, listener] of listeners) process.off(name, listener);
    },
  };
}
