// A tmux that has floating panes (3.7 and newer) for live tests: the installed one, or that of a
// newer Debian, unpacked with its libraries into a folder below the temporary one and kept there.
// Null where neither can be had: no network, another system, no dpkg.

import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isTmuxMissing } from './tmux-server.ts';

const MIRROR = 'https://deb.debian.org/debian';
const FETCH_MS = 60_000;
/** What libraries of tmux need in turn; the rest is named by its package. */
const MORE_PACKAGES = ['libstdc++6', 'libgcc-s1', 'libcap2'];
const PACKAGES_BYTES_MAX = 200_000_000;

/** A folder that holds a program `tmux`, to be put first on the PATH; empty: the PATH has one. */
export async function newerTmux(suite: 'forky' | 'sid'): Promise<string | null> {
  if (isTmuxMissing || (process.env['AGTMUX_MISSING'] ?? '').includes('newer-tmux')) return null;
  if (hasFloatingPanes('tmux')) return '';
  if (process.platform !== 'linux' || process.arch !== 'x64') return null;
  const folder = join(tmpdir(), `agtmux-newer-tmux-${process.getuid?.()}-${suite}`);
  if (!existsSync(join(folder, 'tmux'))) {
    try {
      await unpack(suite, folder);
    } catch {
      return null;
    }
  }
  return hasFloatingPanes(join(folder, 'tmux')) ? folder : null;
}

function hasFloatingPanes(tmux: string): boolean {
  try {
    const [, major, minor] = /(\d+)\.(\d+)/.exec(version(tmux)) ?? [];
    return Number(major) > 3 || (Number(major) === 3 && Number(minor) >= 7);
  } catch {
    return false;
  }
}

const version = (tmux: string): string =>
  execFileSync(tmux, ['-V'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

async function unpack(suite: string, folder: string): Promise<void> {
  const draft = `${folder}.${process.pid}`;
  const root = join(draft, 'root');
  mkdirSync(root, { recursive: true, mode: 0o700 });
  try {
    const index = await fetched(`${MIRROR}/dists/${suite}/main/binary-amd64/Packages.xz`);
    const packages = await decompress(index);
    const depends = field(stanza(packages, 'tmux'), 'Depends');
    const names = depends.split(',').map((each) => each.trim().split(/[ |]/)[0] ?? '');
    const libraries = names.filter((name) => name.startsWith('lib'));
    for (const name of new Set(['tmux', ...libraries, ...MORE_PACKAGES])) {
      const about = stanza(packages, name);
      const bytes = await fetched(`${MIRROR}/${field(about, 'Filename')}`);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      if (sha256 !== field(about, 'SHA256')) throw new Error(`${name} is not what the index says`);
      const file = join(draft, 'package.deb');
      writeFileSync(file, bytes);
      execFileSync('dpkg-deb', ['-x', file, root], { stdio: 'ignore' });
      rmSync(file);
    }
    // The folder is renamed below, and the script knows its final place.
    const libraryPath = join(folder, 'root', 'usr', 'lib', 'x86_64-linux-gnu');
    const loader = join(libraryPath, 'ld-linux-x86-64.so.2');
    const program = join(folder, 'root', 'usr', 'bin', 'tmux');
    const run = `exec '${loader}' --library-path '${libraryPath}' '${program}' "$@"`;
    writeFileSync(join(draft, 'tmux'), `#!/bin/sh\n${run}\n`);
    chmodSync(join(draft, 'tmux'), 0o755);
    renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

async function fetched(url: string): Promise<Buffer> {
  const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_MS) });
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

function decompress(bytes: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('xz', ['-dc'], { stdio: ['pipe', 'pipe', 'ignore'] });
    const parts: Buffer[] = [];
    let size = 0;
    child.once('error', reject);
    child.stdin.on('error', reject);
    child.stdout.on('data', (part: Buffer) => {
      size += part.length;
      if (size > PACKAGES_BYTES_MAX) child.kill();
      else parts.push(part);
    });
    child.once('close', (code) => {
      if (code === 0) resolve(Buffer.concat(parts).toString('utf8'));
      else reject(new Error(`xz: ${code}`));
    });
    child.stdin.end(bytes);
  });
}

/** The lines about one package. */
function stanza(packages: string, name: string): string {
  const start = `\n${packages}`.indexOf(`\nPackage: ${name}\n`);
  if (start < 0) throw new Error(`no package ${name}`);
  const end = packages.indexOf('\n\n', start);
  return packages.slice(start, end < 0 ? undefined : end);
}

function field(about: string, name: string): string {
  const value = new RegExp(`^${name}: (.*)$`, 'm').exec(about)?.[1];
  if (value === undefined) throw new Error(`no ${name}`);
  return value;
}
