// A program in the pane of a member that speaks to the daemon by itself, and claims to be others:
// node fake-forger.mjs SOCKET OUTPUT VICTIM_PID. It writes the replies, by name, as JSON.

import { closeSync, openSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';

const [socketPath, output, victimPid] = process.argv.slice(2);
const replies = {};

/** One connection, its calls one after the other. */
async function session(name, calls) {
  const socket = connect(socketPath);
  socket.setEncoding('utf8');
  const waiting = [];
  let buffered = '';
  socket.on('data', (text) => {
    const lines = (buffered + text).split('\n');
    buffered = lines.pop() ?? '';
    for (const line of lines) waiting.shift()?.(JSON.parse(line));
  });
  socket.on('error', () => {});
  let id = 0;
  const call = (method, params) =>
    new Promise((resolve) => {
      id += 1;
      waiting.push(resolve);
      socket.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
  const last = await calls(call);
  replies[name] = last.error?.data?.code ?? last.error?.code ?? 'done';
  socket.destroy();
}

const message = { to: ['red/victim'], message: 'forged by a socket' };
await session('says nothing', (call) => call('send_message', message));
await session('names a sender', async (call) => {
  await prove(call, process.pid);
  return call('send_message', { ...message, sender: 'operator:root' });
});
await session('is the process of another member', async (call) => {
  const proof = await prove(call, Number(victimPid));
  return proof.error ? proof : call('send_message', message);
});
await session('proves nothing', async (call) => call('prove_identity', { pid: process.pid }));
await session('wants to be a person', async (call) => {
  await prove(call, process.pid);
  return call('send_message', { ...message, as: 'root' });
});
await session('writes 1 MB', async (call) => {
  await prove(call, process.pid);
  return call('send_message', { ...message, message: 'x'.repeat(1_000_000) });
});
writeFileSync(`${output}.tmp`, JSON.stringify(replies));
writeFileSync(output, JSON.stringify(replies));

async function prove(call, pid) {
  const { result } = await call('begin_proof', {});
  const file = openSync(result.path, 'r+');
  const proof = await call('prove_identity', { pid });
  closeSync(file);
  return proof;
}
