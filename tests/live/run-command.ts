// Runs short commands from a small process, one for each test worker, and waits for their output.

import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Reply {
  /** Null when a signal ended it or it did not start. */
  readonly status: number | null;
  /** A character for each byte. */
  readonly stdout: string;
  /** Its exit code and what it wrote to stderr, or why it did not start; null where all is well. */
  readonly problem: string | null;
}

interface Runner {
  readonly requests: number;
  readonly replies: number;
}

let runner: Runner | null = null;

function startRunner(): Runner {
  const folder = mkdtempSync(join(tmpdir(), 'agtmux-runner-'));
  const pipes = ['requests', 'replies'].map((name) => join(folder, name));
  execFileSync('mkfifo', pipes);
  const program = fileURLToPath(new URL('command-runner.mjs', import.meta.url));
  spawn(process.execPath, [program, ...pipes], { stdio: ['ignore', 'ignore', 'inherit'] }).unref();
  const [requests = '', replies = ''] = pipes;
  // Each waits for the other end.
  const opened = { requests: openSync(requests, 'w'), replies: openSync(replies, 'r') };
  rmSync(folder, { recursive: true });
  return opened;
}

function replyTo(request: object): Reply {
  runner ??= startRunner();
  writeSync(runner.requests, `${JSON.stringify(request)}\n`);
  const part = Buffer.alloc(64 * 1024);
  const parts: Buffer[] = [];
  for (;;) {
    const count = readSync(runner.replies, part);
    if (count === 0) throw new Error('the process that runs commands has ended');
    parts.push(Buffer.from(part.subarray(0, count)));
    if (part[count - 1] === 10) return JSON.parse(Buffer.concat(parts).toString('latin1'));
  }
}

/** What the command printed, as UTF-8; throws where it does not end with 0. */
export function outputOf(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): string {
  const { status, stdout, problem } = replyTo({ command, args, env });
  if (status === 0) return Buffer.from(stdout, 'latin1').toString('utf8');
  throw new Error(`${command} ${args.join(' ')}: ${problem}`);
}
