// Files of one folder for browsers. Nothing outside of it is served, by whatever path or link, and
// no hidden file.

import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { extname, join, sep } from 'node:path';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

/** Where the file is that a path of a request names, in a folder; null where there is none. */
export async function findStaticFile(folder: string, pathname: string): Promise<string | null> {
  const parts = partsOf(pathname);
  if (parts === null) return null;
  try {
    const top = await realpath(folder);
    const found = await realpath(join(top, ...parts));
    const isFolder = (await stat(found)).isDirectory();
    const file = isFolder ? await realpath(join(found, 'index.html')) : found;
    // A link may lead out of the folder.
    const isInside = file.startsWith(`${top}${sep}`);
    return isInside && (await stat(file)).isFile() ? file : null;
  } catch {
    return null;
  }
}

/** Null for a path with a part that is no plain name. */
function partsOf(pathname: string): readonly string[] | null {
  let decoded: string;
  try {
    decoded = decodeURIComponent(pathname);
  } catch {
    return null;
  }
  const parts = decoded.split('/').filter((part) => part !== '');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for control characters.
  return parts.some((part) => part.startsWith('.') || /[\\\u0000-\u001f]/.test(part))
    ? null
    : parts;
}

/** Sends the file; the headers that all replies have are set already. */
export function sendStaticFile(file: string, response: ServerResponse): void {
  const type = types[extname(file).toLowerCase()] ?? 'application/octet-stream';
  const stream = createReadStream(file);
  stream.on('open', () => response.writeHead(200, { 'Content-Type': type }));
  // It went away meanwhile, or the client did.
  stream.on('error', () => response.destroy());
  response.on('close', () => stream.destroy());
  stream.pipe(response);
}
