// The files of this machine and what /proc shows of its processes, for the readers of what agents
// write. Whatever cannot be read is null; every read is bounded.

import { constants, readdirSync, readlinkSync } from 'node:fs';
import { type FileHandle, open, opendir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { LocalWatch } from './local-watch.ts';
import type { FileFacts, FileRange, MachineFiles } from './machine-files.ts';
import { listeningSockets, type SocketRow } from './socket-table.ts';

/** Names listed at most; more than a folder of sessions has. */
const NAMES_MAX = 20_000;
/** The kernel's own limit for the environment of a process is of this order. */
const ENVIRONMENT_BYTES_MAX = 2 * 1024 * 1024;
/** An agent holds tens of files open. */
const OPEN_FILES_MAX = 1_024;
/** A line for each connection of the machine: 26,000 of them. */
const SOCKET_TABLE_BYTES_MAX = 4 * 1024 * 1024;
const PART_BYTES = 64 * 1024;

export class LocalFiles implements MachineFiles {
  readonly home: string = homedir();

  async facts(path: string): Promise<FileFacts | null> {
    const stats = await orNull(stat(path, { bigint: true }));
    if (!stats?.isFile()) return null;
    return {
      size: Number(stats.size),
      modifiedAtMs: Number(stats.mtimeMs),
      inode: `${stats.dev}:${stats.ino}`,
    };
  }

  async read(path: string, range: FileRange): Promise<Uint8Array | null> {
    // A pipe under the name of a file would wait for its writer.
    const file = await orNull(open(path, constants.O_RDONLY | constants.O_NONBLOCK));
    if (file === null) return null;
    try {
      return (await file.stat()).isFile() ? await readRange(file, range) : null;
    } catch {
      return null;
    } finally {
      await file.close();
    }
  }

  async list(folder: string): Promise<readonly string[] | null> {
    const names: string[] = [];
    try {
      for await (const { name } of await opendir(folder, { bufferSize: 512 })) {
        names.push(name);
        if (names.length >= NAMES_MAX) break;
      }
    } catch {
      return null;
    }
    return names;
  }

  async environment(
    pid: number,
    names: readonly string[],
  ): Promise<Readonly<Record<string, string>> | null> {
    const range = { offset: 0, bytesMax: ENVIRONMENT_BYTES_MAX };
    const bytes = await this.read(`/proc/${pid}/environ`, range);
    if (bytes === null) return null;
    const found: Record<string, string> = {};
    for (const entry of Buffer.from(bytes).toString('utf8').split('\0')) {
      const name = names.find((each) => entry.startsWith(`${each}=`));
      if (name !== undefined) found[name] ??= entry.slice(name.length + 1);
    }
    return found;
  }

  async openFiles(pid: number): Promise<readonly string[] | null> {
    const links = linksOf(pid);
    return links === null ? null : links.filter((link) => link.startsWith('/'));
  }

  async listeningPorts(pid: number): Promise<readonly number[] | null> {
    const links = linksOf(pid);
    if (links === null) return null;
    // A process in another network namespace has its own loopback: that port is not its port here.
    const own = networkOf('self');
    if (own === null || own !== networkOf(pid)) return [];
    const inodes = new Set(links.map((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1]));
    const tables = await Promise.all([this.#sockets(pid, 'tcp'), this.#sockets(pid, 'tcp6')]);
    const held = tables.flat().filter(({ inode }) => inodes.has(inode));
    return [...new Set(held.map(({ port }) => port))];
  }

  watch(path: string, onChange: () => void): Disposable {
    return new LocalWatch(path, onChange);
  }

  async #sockets(pid: number, table: 'tcp' | 'tcp6'): Promise<readonly SocketRow[]> {
    const range = { offset: 0, bytesMax: SOCKET_TABLE_BYTES_MAX };
    const bytes = await this.read(`/proc/${pid}/net/${table}`, range);
    return bytes === null ? [] : listeningSockets(Buffer.from(bytes).toString('latin1'));
  }
}

/** Files of /proc have no size and return a part at each read, so the buffer grows. */
async function readRange(file: FileHandle, { offset, bytesMax }: FileRange): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  while (length < bytesMax) {
    const part = Buffer.allocUnsafe(Math.min(PART_BYTES, bytesMax - length));
    const { bytesRead } = await file.read(part, 0, part.length, offset + length);
    if (bytesRead === 0) break;
    parts.push(part.subarray(0, bytesRead));
    length += bytesRead;
  }
  return Buffer.concat(parts);
}

const networkOf = (pid: number | 'self'): string | null => linkOf(`/proc/${pid}/ns/net`);

// /proc waits for no disk, and a trip to another thread for each link costs more than the link.
function linksOf(pid: number): readonly string[] | null {
  const folder = `/proc/${pid}/fd`;
  try {
    const names = readdirSync(folder).slice(0, OPEN_FILES_MAX);
    return names.map((name) => linkOf(join(folder, name))).filter((link) => link !== null);
  } catch {
    return null;
  }
}

function linkOf(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

const orNull = <Value>(promise: Promise<Value>): Promise<Value | null> => promise.catch(() => null);
