// An SshHost on a test's own sshd, and the waits that the ssh suites share.

import { SshHost, type SshHostOptions } from '../../src/ssh/ssh-host.ts';
import { eventually } from '../live/tmux-server.ts';
import type { TestSshd } from './sshd.ts';

/** A host on this sshd, started; connected unless an option says otherwise. */
export async function hostOn(
  sshd: TestSshd,
  options: Partial<SshHostOptions> = {},
): Promise<SshHost> {
  const host = startHost(sshd, options);
  await connected(host);
  return host;
}

export function startHost(sshd: TestSshd, options: Partial<SshHostOptions> = {}): SshHost {
  const host = new SshHost({
    destination: 'testhost',
    runtimeDir: sshd.runtimeDir,
    extraArguments: sshd.clientArguments,
    ...options,
  });
  host.start();
  return host;
}

export async function connected(host: SshHost): Promise<void> {
  await eventually(() => host.facts, 'the host is connected', 20_000);
}

export const LIMITS = { timeoutMs: 10_000, stdoutBytesMax: 1_000_000 } as const;
