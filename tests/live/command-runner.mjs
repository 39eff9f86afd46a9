// A small process that runs commands for a test worker: to fork a worker of some hundred MB takes
// ten times as long. It reads one request a line from the first pipe, answers with one line on the
// second, and ends with its worker.

import { spawnSync } from 'node:child_process';
import { openSync, readSync, writeSync } from 'node:fs';

const [requestsPath = '', repliesPath = ''] = process.argv.slice(2);
const requests = openSync(requestsPath, 'r');
const replies = openSync(repliesPath, 'w');

/** @param {string} line */
function answer(line) {
  const { command, args, env } = JSON.parse(line);
  const options = { env, encoding: 'latin1', maxBuffer: 64 * 1024 ** 2 };
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const problem = status === 0 ? null : (error?.message ?? `${status} ${stderr}`);
  const bytes = Buffer.from(`${JSON.stringify({ status, stdout, problem })}\n`, 'latin1');
  for (let sent = 0; sent < bytes.length; ) sent += writeSync(replies, bytes, sent);
}

const bytes = Buffer.alloc(64 * 1024);
let rest = Buffer.alloc(0);
for (;;) {
  const count = readSync(requests, bytes);
  if (count === 0) break;
  rest = Buffer.concat([rest, bytes.subarray(0, count)]);
  for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
    const line = rest.subarray(0, end).toString('utf8');
    rest = rest.subarray(end + 1);
    answer(line);
  }
}
