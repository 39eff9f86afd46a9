// The lock and the socket of the daemon, with real processes that fight, die and stop.

import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  acquireInstanceLock,
  checkSocketPath,
  type InstanceLock,
  prepareFolder,
  prepareSocket,
  readHolder,
  waitForInstanceLock,
} from '../../src/daemon/life/instance-lock.ts';
import { makeFolder, start, until } from './program.ts';

function paths() {
  const folder = makeFolder();
  return { folder, lock: join(folder, 'agtmuxd.lock'), socket: join(folder, 'agtmuxd.sock') };
}

function take(lock: string, socket: string): InstanceLock {
  const taken = acquireInstanceLock(lock, socket);
  if (!taken.ok) throw new Error(taken.refusal.message);
  onTestFinished(() => taken.value[Symbol.dispose]());
  return taken.value;
}

describe('the instance lock', () => {
  it('goes to one of many that want it, and the others learn its holder', async () => {
    const { lock, socket } = paths();
    const programs = Array.from({ length: 5 }, () => start('lock-holder.ts', lock, socket));
    await until(() => {
      expect(programs.filter(({ lines }) => lines.length > 0)).toHaveLength(5);
    });
    const holders = programs.filter(({ lines }) => lines[0]?.startsWith('held'));
    expect(holders).toHaveLength(1);
    const late = acquireInstanceLock(lock, socket);
    expect(late).toMatchObject({
      ok: false,
      refusal: {
        code: 'E_DAEMON_RUNNING',
        message: expect.stringContaining(`pid ${holders[0]?.child.pid}, socket ${socket}`),
      },
    });
  });

  it('is free when its holder is killed, and its note does not speak for the dead', async () => {
    const { lock, socket } = paths();
    const holder = start('lock-holder.ts', lock, socket);
    await until(() => expect(holder.lines).toEqual([`held ${holder.child.pid}`]));
    expect(readHolder(lock)).toEqual({ pid: holder.child.pid, socket });
    holder.child.kill('SIGKILL');
    expect(await holder.ended).toBe('SIGKILL');
    expect(readHolder(lock)).toBeNull();
    take(lock, socket);
    expect(readHolder(lock)).toEqual({ pid: process.pid, socket });
  });

  it('is given back with its note, and belongs to its owner alone', () => {
    const { lock, socket } = paths();
    const first = take(lock, socket);
    expect(statSync(lock).mode & 0o777).toBe(0o600);
    expect(acquireInstanceLock(lock, socket).ok).toBe(false);
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    expect(readHolder(lock)).toBeNull();
    take(lock, socket);
  });

  it('of a daemon that ends is waited for: its socket is gone, its lock not yet', async () => {
    const { lock, socket } = paths();
    const ending = take(lock, socket);
    const next = waitForInstanceLock(lock, socket, 10_000);
    expect(await Promise.race([next, pause(300, 'it waits')])).toBe('it waits');
    ending[Symbol.dispose]();
    const taken = await next;
    expect(taken.ok).toBe(true);
    if (taken.ok) taken.value[Symbol.dispose]();
  });

  it('of a daemon that neither answers nor ends is refused after a while', async () => {
    const { lock, socket } = paths();
    take(lock, socket);
    const refused = await waitForInstanceLock(lock, socket, 200);
    expect(refused).toMatchObject({ ok: false, refusal: { code: 'E_DAEMON_RUNNING' } });
  });

  it('of a daemon that answers is refused at once', async () => {
    const { lock, socket } = paths();
    const holder = start('lock-holder.ts', lock, socket);
    await until(() => expect(holder.lines).toHaveLength(1));
    const startedMs = performance.now();
    const refused = await waitForInstanceLock(lock, socket, 60_000);
    expect(refused).toMatchObject({ ok: false, refusal: { code: 'E_DAEMON_RUNNING' } });
    expect(performance.now() - startedMs).toBeLessThan(10_000);
  });

  it('in a folder that is not there is a refusal', () => {
    const { folder, socket } = paths();
    const taken = acquireInstanceLock(join(folder, 'none', 'lock'), socket);
    expect(taken).toMatchObject({ ok: false, refusal: { code: 'store_unwritable' } });
  });
});

describe('the socket', () => {
  it('that a killed daemon left is removed by the next one', async () => {
    const { lock, socket } = paths();
    const dead = start('lock-holder.ts', lock, socket);
    await until(() => expect(dead.lines).toHaveLength(1));
    dead.child.kill('SIGKILL');
    await dead.ended;
    expect(existsSync(socket)).toBe(true);
    expect(await prepareSocket(socket, take(lock, socket))).toEqual({ ok: true, value: null });
    expect(existsSync(socket)).toBe(false);
  });

  it.each(['alive', 'stopped'])('of a process that is %s is left alone', async (how) => {
    const { folder, lock, socket } = paths();
    const other = start('lock-holder.ts', join(folder, 'other.lock'), socket);
    await until(() => expect(other.lines).toHaveLength(1));
    if (how === 'stopped') other.child.kill('SIGSTOP');
    const prepared = await prepareSocket(socket, take(lock, socket));
    expect(prepared).toMatchObject({ ok: false, refusal: { code: 'E_DAEMON_RUNNING' } });
    expect(existsSync(socket)).toBe(true);
  });

  it('is refused where a file of another kind lies', async () => {
    const { lock, socket } = paths();
    writeFileSync(socket, 'mine');
    const prepared = await prepareSocket(socket, take(lock, socket));
    expect(prepared).toMatchObject({ ok: false, refusal: { code: 'E_NOT_PERMITTED' } });
    expect(existsSync(socket)).toBe(true);
  });

  it('has a path that the system takes whole, counted in bytes', () => {
    expect(checkSocketPath(`/${'x'.repeat(102)}`).ok).toBe(true);
    const long = checkSocketPath(`/${'é'.repeat(60)}`);
    expect(long).toMatchObject({
      ok: false,
      refusal: { code: 'E_SOCKET_PATH_INVALID', message: expect.stringContaining('121 bytes') },
    });
  });
});

describe('the runtime folder', () => {
  it('is made for its owner alone', () => {
    const folder = join(makeFolder(), 'a', 'b');
    expect(prepareFolder(folder).ok).toBe(true);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(prepareFolder(folder).ok).toBe(true);
  });

  it.each([0o750, 0o707, 0o701])('with mode %o is refused', (mode) => {
    const folder = makeFolder();
    chmodSync(folder, mode);
    expect(prepareFolder(folder)).toMatchObject({
      ok: false,
      refusal: { code: 'E_FOLDER_UNSAFE', message: expect.stringContaining(mode.toString(8)) },
    });
  });

  it.skipIf(process.getuid?.() !== 0)('of another user is refused', () => {
    const folder = makeFolder();
    chownSync(folder, 12_345, 12_345);
    expect(prepareFolder(folder)).toMatchObject({
      ok: false,
      refusal: { message: expect.stringContaining('user 12345') },
    });
  });

  it('that is a link or a file is refused', () => {
    const folder = makeFolder();
    mkdirSync(join(folder, 'real'), { mode: 0o700 });
    symlinkSync(join(folder, 'real'), join(folder, 'link'));
    writeFileSync(join(folder, 'file'), '');
    expect(prepareFolder(join(folder, 'link')).ok).toBe(false);
    expect(prepareFolder(join(folder, 'file')).ok).toBe(false);
  });
});
