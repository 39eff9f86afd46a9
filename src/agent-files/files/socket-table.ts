// The kernel's table of TCP sockets (/proc/net/tcp and tcp6) as text: which of them listen where a
// program of this machine reaches them at 127.0.0.1.

export interface SocketRow {
  readonly inode: string;
  readonly port: number;
}

/** The state of a socket that listens. */
const LISTEN = '0A';
// Words of four bytes, each in the order of a little-endian machine; any address is reached too.
// ::1 is not: whoever connects to 127.0.0.1 finds another program there.
const loopback: ReadonlySet<string> = new Set([
  '0100007F',
  '00000000',
  '0000000000000000FFFF00000100007F',
  '00000000000000000000000000000000',
]);

/** The sockets that listen on loopback. Lines of another shape are left out. */
export function listeningSockets(table: string): readonly SocketRow[] {
  const rows: SocketRow[] = [];
  for (const line of table.split('\n')) {
    // sl local_address rem_address st queues timers retransmits uid timeout inode
    const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
    const [address = '', port = ''] = local.split(':');
    if (state !== LISTEN || !loopback.has(address)) continue;
    if (/^\d+$/.test(inode)) rows.push({ inode, port: Number.parseInt(port, 16) });
  }
  return rows;
}
