// A program that answers hello and daemon_stop as a daemon would, and holds an instance lock. Tests
// of the client start it: node fake-daemon.mjs <socket> <version> <protocol> <starts file>.

import { appendFileSync, existsSync, mkdirSync, rmdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';

const [, , socketPath = '', version = '', protocol = '1', startsFile = ''] = process.argv;
const lock = `${socketPath}.lock`;

// One that was started late must not begin when the test is over.
if (existsSync(`${socketPath}.closed`)) process.exit(75);
try {
  mkdirSync(lock);
} catch {
  process.stderr.write('another daemon runs\n');
  process.exit(75);
}
rmSync(socketPath, { force: true });
appendFileSync(startsFile, `${version}\n`);

const results = {
  hello: () => ({
    protocol: Number(protocol),
    version,
    pid: process.pid,
    nonce: String(process.pid),
  }),
  daemon_stop: () => ({ ok: true }),
};

const server = createServer((socket) => {
  socket.on('error', () => socket.destroy());
  socket.on('data', (bytes) => {
    for (const line of bytes.toString().split('\n').filter(Boolean)) {
      const { id, method, params } = JSON.parse(line);
      socket.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: results[method]() })}\n`);
      if (method === 'daemon_stop') stop(params.reason);
    }
  });
});

function stop(reason) {
  appendFileSync(startsFile, `stopped ${reason}\n`);
  // As a daemon does: nobody can connect any more, and the lock is held for a while.
  rmSync(socketPath, { force: true });
  server.close();
  setTimeout(() => {
    rmdirSync(lock);
    process.exit(0);
  }, 500);
}

server.listen(socketPath);
// Nothing outlives its test for long, whatever happens to the test.
setTimeout(() => process.exit(1), 60_000);
