// The address that a link for a person begins with, and the link itself. Pure.

import type { NetworkInterfaceInfo } from 'node:os';

export interface LinkParts {
  /** Where the service listens: `http://0.0.0.0:8080`. */
  readonly url: string;
  readonly publicUrl: URL | null;
  /** The addresses of this machine, as the system lists them. */
  readonly interfaces: NodeJS.Dict<readonly NetworkInterfaceInfo[]>;
}

/** The public URL; else the address in the local network, where it listens on all; else its own. */
export function linkBase({ url, publicUrl, interfaces }: LinkParts): string {
  if (publicUrl) return publicUrl.origin;
  const { protocol, hostname, port } = new URL(url);
  if (hostname !== '0.0.0.0' && hostname !== '[::]') return url;
  const outward = Object.values(interfaces)
    .flatMap((each) => each ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80:'));
  const found = outward.find(({ family }) => family === 'IPv4') ?? outward[0];
  const family = found?.family === 'IPv6' ? `[${found.address}]` : found?.address;
  return `${protocol}//${family ?? '127.0.0.1'}:${port}`;
}

/** The code stands in the fragment, which browsers send to nobody. */
export const pairingLink = (base: string, code: string): string => `${base}/pair#${code}`;
