// A shell script that runs when this process is gone, however it ended: by itself, by an error, by
// kill -9. It waits in a session of its own for the end of a pipe that only we hold, so that a
// signal to our process group does not end it.

import { spawn } from 'node:child_process';

export interface ExitScript {
  /** Whether its first part succeeded; false when it could not be started. */
  readonly ready: Promise<boolean>;
  /** Runs the last part now and waits for its end, for at most this long. */
  runNow(timeoutMs: number): Promise<void>;
}

export interface ExitScriptSpec {
  /** Run at once. When it fails, the rest does not run. */
  readonly first: string;
  /** Run when this process has ended. */
  readonly last: string;
  /** $1, $2 and so on of both: data is never part of a script. */
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** What it prints when its first part has succeeded. */
const READY = 'ready';

/** Starts the script that waits for our end. Never throws. */
export function startExitScript({ first, last, args, env }: ExitScriptSpec): ExitScript {
  const script = `trap '' INT TERM HUP
PATH=$PATH:/usr/bin:/bin
set -e
${first}
echo ${READY}
set +e
while read -r _; do :; done
${last}
`;
  const child = spawn('/bin/sh', ['-c', script, 'agtmux-exit-script', ...args], {
    cwd: '/',
    detached: true,
    env,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const { promise: ready, resolve } = Promise.withResolvers<boolean>();
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => resolve(text.startsWith(READY)));
  child.once('error', () => {
    resolve(false);
    end();
  });
  child.once('exit', () => {
    resolve(false);
    end();
  });
  for (const stream of [child.stdin, child.stdout]) stream.on('error', () => {});
  return {
    ready,
    runNow(timeoutMs) {
      child.stdin.end();
      const timer = setTimeout(end, timeoutMs);
      return over.finally(() => clearTimeout(timer));
    },
  };
}
