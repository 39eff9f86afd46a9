// A machine to be watched over ssh: a real sshd on loopback whose user has a tmux server.

import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isEventName } from '../../src/sources/spool/spool-file.ts';
import { type PrivateTmux, privateTmux } from '../live/tmux-server.ts';
import { type SshdOptions, TestSshd } from '../ssh/sshd.ts';
import type { LiveDaemon } from './live-daemon.ts';

export class RemoteHost implements AsyncDisposable {
  readonly tmux: PrivateTmux;
  readonly sshd: TestSshd;

  private constructor(tmux: PrivateTmux, sshd: TestSshd) {
    this.tmux = tmux;
    this.sshd = sshd;
  }

  static async start(options: SshdOptions = {}): Promise<RemoteHost> {
    const tmux = privateTmux(join(`tmux-${process.getuid?.() ?? 0}`, 'default'));
    const env = { TMUX_TMPDIR: tmux.folder, ...options.env };
    return new RemoteHost(tmux, await TestSshd.start({ ...options, env }));
  }

  /** The events that wait in the spool of whoever logs in there. */
  spoolFiles(): readonly string[] {
    const folder = join(this.sshd.home, '.local', 'state', 'agtmux', 'spool');
    return existsSync(folder) ? readdirSync(folder).filter(isEventName) : [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.sshd[Symbol.asyncDispose]();
    this.tmux[Symbol.dispose]();
  }
}

/** Lets a daemon know the hosts, each by its name. */
export function introduce(live: LiveDaemon, hosts: Readonly<Record<string, RemoteHost>>): void {
  const file = join(live.folder, 'ssh_config');
  const blocks = Object.entries(hosts).map(([name, { sshd }]) =>
    sshd.clientConfig.replace('Host testhost', `Host ${name}`),
  );
  writeFileSync(file, blocks.join('\n'));
  chmodSync(file, 0o600);
  live.configure(`[ssh]\nconfig_file = ${JSON.stringify(file)}\n`);
}
