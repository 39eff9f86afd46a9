// What `agtmux run` passes on where there is no terminal; with one it is tests/daemon-live.

import { spawn } from 'node:child_process';
import { expect, it } from 'vitest';

const module = new URL('./wrapped-child.ts', import.meta.url).href;
const program = `const { runWrapped } = await import(${JSON.stringify(module)});
  const [command, ...args] = process.argv.slice(1);
  const exit = await runWrapped({ command, args }, (pid) => console.log('pid', pid));
  console.log(JSON.stringify(exit));`;
const node = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program, '--'];

/** Runs a program wrapped; `onLine` may act on what it prints. */
async function wrapped(
  words: readonly string[],
  onLine: (line: string, wrapper: number) => void = () => {},
): Promise<string> {
  const child = spawn(process.execPath, [...node, ...words], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let out = '';
  for await (const bytes of child.stdout) {
    out += String(bytes);
    for (const line of String(bytes).split('\n')) onLine(line, child.pid ?? 0);
  }
  return out;
}

it('resolves with the exit code, the signal, or the error of a missing program', async () => {
  expect(await wrapped(['sh', '-c', 'exit 7'])).toContain('"code":7,"signal":null');
  expect(await wrapped(['sh', '-c', 'kill -9 $$'])).toContain('"code":null,"signal":"SIGKILL"');
  expect(await wrapped(['/no/such/program'])).toContain('"errorCode":"ENOENT"');
});

it.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR1'] as const)('passes %s on', async (signal) => {
  const name = signal.slice('SIG'.length);
  const script = `trap 'echo got; exit 3' ${name}; echo ready; while :; do sleep 0.05; done`;
  const out = await wrapped(['sh', '-c', script], (line, wrapper) => {
    if (line === 'ready') process.kill(wrapper, signal);
  });
  expect(out.match(/got/g)).toHaveLength(1);
  expect(out).toContain('"code":3');
});
