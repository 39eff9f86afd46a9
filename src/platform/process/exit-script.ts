// A shell script that runs when this process is gone, however it ended: by itself, by an error, by
// kill -9. It waits in a session of its own for the end of a pipe that only we hold, so that
// nothing which ends us ends it too.

import { spawn } from 'node:child_process';

export interface LastWill {
  /** Whether its first part went well; false when it could not be started. */
  readonly ready: Promise<boolean>;
  /** Has it carried out now, and waits until it is done, for so long at most. */
  carryOut(timeoutMs: number): Promise<void>;
}

export interface LastWillSpec {
  /** Run at once. It must end well, or the rest does not run. */
  readonly first: string;
  /** Run when we are gone. */
  readonly last: string;
  /** $1, $2 and so on of both: data is never part of a script. */
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** What it says when its first part went well. */
const READY = 'ready';

/** Leaves a will. Never throws. */
export function leaveWill({ first, last, args, env }: LastWillSpec): LastWill {
  const script = `trap '' INT TERM HUP
PATH=$PATH:/usr/bin:/bin
set -e
${first}
echo ${READY}
set +e
while read -r _; do :; done
${last}
`;
  const child = spawn('/bin/sh', ['-c', script, 'agtmux-last-will', ...args], {
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
    carryOut(timeoutMs) {
      child.stdin.end();
      const timer = setTimeout(end, timeoutMs);
      return over.finally(() => clearTimeout(timer));
    },
  };
}
