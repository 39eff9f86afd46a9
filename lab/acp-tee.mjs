// Stands between agtmux and an agent that speaks ACP: passes both ways on as they come, and notes
// when the agent wrote each message and when it ended, in the file that its first argument names.

import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';

const [file, command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
appendFileSync(file, `${JSON.stringify({ atMs: Date.now(), what: 'pid', pid: child.pid })}\n`);
process.stdin.pipe(child.stdin);
child.stdin.on('error', () => {});

let rest = '';
child.stdout.setEncoding('utf8').on('data', (text) => {
  const atMs = Date.now();
  process.stdout.write(text);
  const lines = (rest + text).split('\n');
  rest = lines.pop();
  for (const line of lines) note(line, atMs);
});

function note(line, atMs) {
  try {
    const { method, params, result, error } = JSON.parse(line);
    const what = method ?? (result?.stopReason ? 'stop' : error ? 'error' : 'reply');
    const detail = params?.update?.sessionUpdate ?? result?.stopReason ?? error?.message;
    appendFileSync(file, `${JSON.stringify({ atMs, what, detail })}\n`);
  } catch {
    // No message: a banner.
  }
}

child.on('error', () => process.exit(127));
child.on('exit', (code, signal) => {
  appendFileSync(file, `${JSON.stringify({ atMs: Date.now(), what: 'exit' })}\n`);
  if (signal) process.kill(process.pid, signal);
  else process.exit(code);
});
