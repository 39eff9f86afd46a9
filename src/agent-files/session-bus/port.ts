// The port at which the server of a live opencode or Kilo listens, found by its process. Agents
// open other ports too (a login that waits for the browser), and servers of tools are their
// children, so a port counts only when it answers as the agent's.

import { isFields } from '../../agents/signals/fields.ts';
import type { MachineFiles } from '../files/machine-files.ts';
import { childrenOf } from '../files/process-facts.ts';
import { getJson } from './http.ts';

/** What the agent's own process holds open, and neither a wrapper nor a tool does. */
const ownFile = /\/(?:opencode|kilo)\/(?:log\/[^/]{1,100}\.log|[a-z]{1,20}\.db)$/;
const PORTS_MAX = 4;

export type BusPort =
  | { readonly kind: 'port'; readonly port: number }
  | { readonly kind: 'locked' }
  | { readonly kind: 'none' };

/** The agent's server; locked by a password; or none. */
export async function busPortOf(files: MachineFiles, pid: number): Promise<BusPort> {
  let otherwise: BusPort = { kind: 'none' };
  for (const port of (await portsOf(files, pid)).slice(0, PORTS_MAX)) {
    const answer = await getJson(port, '/session/status');
    // It may be a server of another kind, and the agent's the next.
    if (answer.kind === 'locked') otherwise = answer;
    if (answer.kind === 'json' && isFields(answer.value)) return { kind: 'port', port };
  }
  return otherwise;
}

async function portsOf(files: MachineFiles, pid: number): Promise<readonly number[]> {
  const own = (await files.listeningPorts(pid)) ?? [];
  if (own.length > 0) return own;
  for (const child of await childrenOf(files, pid)) {
    const open = (await files.openFiles(child)) ?? [];
    if (open.some((path) => ownFile.test(path))) return (await files.listeningPorts(child)) ?? [];
  }
  return [];
}
