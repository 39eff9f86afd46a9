// The hosts that keep the contract of src/tmux/host.ts: this machine, and the same one over ssh.
// Both see the same tmux servers, processes and files, so their answers can be compared.

import { LocalFiles } from '../../src/agent-files/files/local-files.ts';
import type { MachineFiles } from '../../src/agent-files/files/machine-files.ts';
import { LocalProcesses } from '../../src/platform/process/processes.ts';
import { RemoteFiles } from '../../src/ssh/remote/remote-files.ts';
import { RemoteProcesses } from '../../src/ssh/remote/remote-processes.ts';
import { type Host, type HostProcesses, localHost } from '../../src/tmux/host.ts';
import { isTmuxMissing, privateTmux } from '../live/tmux-server.ts';
import { hostOn } from '../ssh/live-host.ts';
import { isSshdMissing, TestSshd } from '../ssh/sshd.ts';

/** One way to reach a machine, with everything that is asked of one. */
export interface TestedHost extends AsyncDisposable {
  readonly host: Host;
  readonly processes: HostProcesses;
  readonly files: Omit<MachineFiles, 'listeningPorts'>;
}

export interface HostKind {
  readonly kind: string;
  readonly isMissing: boolean;
  readonly open: () => Promise<TestedHost>;
}

async function openLocal(): Promise<TestedHost> {
  const { folder, [Symbol.dispose]: close } = privateTmux();
  return {
    host: localHost,
    processes: new LocalProcesses(folder),
    files: new LocalFiles(),
    [Symbol.asyncDispose]: async () => close(),
  };
}

async function openSsh(): Promise<TestedHost> {
  const sshd = await TestSshd.start();
  const host = await hostOn(sshd);
  const files = new RemoteFiles({
    probe: host,
    home: () => host.facts?.home ?? '/',
    isConnected: () => host.facts !== null,
  });
  return {
    host,
    processes: new RemoteProcesses(host),
    files,
    [Symbol.asyncDispose]: async () => {
      files[Symbol.dispose]();
      await host[Symbol.asyncDispose]();
      await sshd[Symbol.asyncDispose]();
    },
  };
}

export const hostKinds: readonly HostKind[] = [
  { kind: 'this machine', isMissing: isTmuxMissing, open: openLocal },
  { kind: 'a machine over ssh', isMissing: isSshdMissing, open: openSsh },
];
