// This machine's files and processes as the readers of agents' files see them, on the real system.

import { execFileSync } from 'node:child_process';
import { mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LocalFiles } from '../../src/agent-files/files/local-files.ts';
import { listeningSockets } from '../../src/agent-files/files/socket-table.ts';
import { eventually } from '../live/tmux-server.ts';
import { makeFolder } from '../sources/fixture.ts';

const files = new LocalFiles();
const WATCH_MS = 20_000;

describe('the files of this machine', () => {
  it('are read by range, with their facts', async () => {
    const path = join(makeFolder(), 'a');
    writeFileSync(path, 'hello');
    expect((await files.facts(path))?.size).toBe(5);
    const bytes = await files.read(path, { offset: 1, bytesMax: 3 });
    expect(Buffer.from(bytes ?? []).toString()).toBe('ell');
    const rest = await files.read(path, { offset: 4, bytesMax: 100 });
    expect(Buffer.from(rest ?? []).toString()).toBe('o');
  });

  it('are other ones when they were replaced', async () => {
    const path = join(makeFolder(), 'a');
    writeFileSync(path, 'one');
    const before = await files.facts(path);
    writeFileSync(`${path}.new`, 'two');
    renameSync(`${path}.new`, path);
    expect((await files.facts(path))?.inode).not.toBe(before?.inode);
  });

  it('are null where there is none, or no plain one', async () => {
    const folder = makeFolder();
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    for (const path of [join(folder, 'none'), folder, pipe]) {
      expect(await files.facts(path)).toBeNull();
      expect(await files.read(path, { offset: 0, bytesMax: 10 })).toBeNull();
    }
    expect(await files.list(join(folder, 'none'))).toBeNull();
    expect(await files.list(folder)).toEqual(['pipe']);
  });

  it('hold the start of a process, in a file without a size', async () => {
    const bytes = await files.read('/proc/self/stat', { offset: 0, bytesMax: 4_096 });
    expect(Buffer.from(bytes ?? []).toString()).toContain(`${process.pid} (`);
  });
});

describe('the processes of this machine', () => {
  it('give the requested variables', async () => {
    const found = await files.environment(process.pid, ['PATH', 'NO_SUCH_VARIABLE']);
    expect(Object.keys(found ?? {})).toEqual(['PATH']);
    expect(await files.environment(2 ** 30, ['PATH'])).toBeNull();
  });

  it('give the files that they hold open', async () => {
    const path = join(makeFolder(), 'held');
    openSync(path, 'w');
    expect(await files.openFiles(process.pid)).toContain(path);
    expect(await files.openFiles(2 ** 30)).toBeNull();
  });

  it('give the ports at which they listen', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await eventually(() => server.address(), 'it listens');
    const { port } = server.address() as { port: number };
    expect(await files.listeningPorts(process.pid)).toContain(port);
    expect(await files.listeningPorts(1)).not.toContain(port);
  });

  it('count only what listens at 127.0.0.1', () => {
    const row = (local: string, state: string, inode: string): string =>
      `   0: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000 0 0 0 ${inode} 1 0`;
    const table = [
      '  sl  local_address rem_address st tx_queue rx_queue tr tm->when retrnsmt uid timeout inode',
      row('0100007F:1F90', '0A', '11'),
      row('0100007F:1F91', '01', '12'),
      row('0200A8C0:1F92', '0A', '13'),
      row('00000000000000000000000000000000:1F93', '0A', '14'),
      row('00000000000000000000000001000000:1F94', '0A', '15'),
      'broken',
    ].join('\n');
    expect(listeningSockets(table)).toEqual([
      { inode: '11', port: 8080 },
      { inode: '14', port: 8083 },
    ]);
  });
});

describe('a watch', () => {
  const watched = (path: string) => {
    const calls = { count: 0 };
    const watch = files.watch(path, () => {
      calls.count += 1;
    });
    onTestFinished(() => watch[Symbol.dispose]());
    return calls;
  };
  const called = async (calls: { count: number }, change: () => void): Promise<void> => {
    const before = calls.count;
    change();
    await eventually(() => calls.count > before, 'the watch has called', WATCH_MS);
  };

  it('calls back for a file that is written, replaced and removed', async () => {
    const path = join(makeFolder(), 'a');
    const calls = watched(path);
    await called(calls, () => writeFileSync(path, '1'));
    writeFileSync(`${path}.new`, '2');
    await called(calls, () => renameSync(`${path}.new`, path));
    await called(calls, () => writeFileSync(path, '3'));
    await called(calls, () => rmSync(path));
  });

  it('calls back for names in a folder that comes later, goes, and comes again', async () => {
    const folder = join(makeFolder(), 'not', 'yet');
    const calls = watched(folder);
    await called(calls, () => mkdirSync(folder, { recursive: true }));
    await called(calls, () => writeFileSync(join(folder, 'a'), '1'));
    await called(calls, () => rmSync(folder, { recursive: true }));
    await called(calls, () => mkdirSync(folder));
    await called(calls, () => writeFileSync(join(folder, 'b'), '1'));
  });

  it('does not call for other files once it is set', async () => {
    const folder = makeFolder();
    const calls = watched(join(folder, 'a'));
    await called(calls, () => writeFileSync(join(folder, 'a'), '1'));
    const before = calls.count;
    writeFileSync(join(folder, 'b'), '1');
    await called(calls, () => writeFileSync(join(folder, 'a'), '2'));
    expect(calls.count - before).toBeLessThanOrEqual(3);
  });
});
