// Takes the instance lock and keeps it, listening on its socket, until it is killed.

import { createServer } from 'node:net';
import { acquireInstanceLock, prepareSocket } from '../../src/daemon/life/instance-lock.ts';

const [lockPath = '', socketPath = ''] = process.argv.slice(2);
const say = (line: string): boolean => process.stdout.write(`${line}\n`);

const lock = acquireInstanceLock(lockPath, socketPath);
if (!lock.ok) {
  say(`refused ${lock.refusal.code} ${lock.refusal.message}`);
} else {
  const prepared = await prepareSocket(socketPath, lock.value);
  if (!prepared.ok) throw new Error(prepared.refusal.message);
  createServer().listen(socketPath, () => say(`held ${process.pid}`));
}
