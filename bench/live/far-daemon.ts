// A daemon whose panes are on other machines: each place has its own sshd on loopback.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TestSshd } from '../../tests/ssh/sshd.ts';
import { until } from './clock.ts';
import { type LiveDaemon, startDaemon } from './live-daemon.ts';
import { Place } from './place.ts';

/** A login and a first look, on a machine that is busy with other things. */
const REACHED_MS = 30_000;

export interface FarDaemon extends LiveDaemon {
  /** Where the daemon runs. */
  readonly home: Place;
  /** By the names of their targets. */
  readonly sshds: ReadonlyMap<string, TestSshd>;
  /** Watches another machine of the ssh configuration. */
  add(name: string): Promise<void>;
  /** Waits until these answer. */
  reached(names: readonly string[]): Promise<void>;
}

/** Starts an sshd for each place, made with the default socket, and a daemon that has them all. */
export async function startDaemonFarFrom(
  places: Readonly<Record<string, Place>>,
  { deadConfig = '', toml = '' }: { readonly deadConfig?: string; readonly toml?: string } = {},
): Promise<FarDaemon> {
  const home = new Place();
  home.tmux('new-session', '-d', '-s', 'home', '/bin/sh');
  const sshds = new Map<string, TestSshd>();
  let config = deadConfig;
  for (const [name, place] of Object.entries(places)) {
    const sshd = await TestSshd.start({ env: environmentOf(place) });
    sshds.set(name, sshd);
    // It kills before it waits.
    home.atEnd(() => void sshd.stop());
    config += sshd.clientConfig.replace('Host testhost', `Host ${name}`);
  }
  const file = join(home.folder, 'ssh_config');
  writeFileSync(file, config, { mode: 0o600 });
  home.configure(`[ssh]\nconfig_file = ${JSON.stringify(file)}\n${toml}`);
  const daemon = await startDaemon(home);
  const client = await daemon.connect();
  const add = async (name: string): Promise<void> => {
    await client.call('add_target', { name, kind: 'ssh' });
  };
  const reached = (names: readonly string[]): Promise<void> =>
    until('every target answers', REACHED_MS, async () => {
      const { targets } = await client.call('list_targets', {});
      return names.every((name) =>
        targets.some((each) => each.name === name && each.health === 'ok'),
      );
    });
  for (const name of sshds.keys()) await add(name);
  await reached([...sshds.keys()]);
  return {
    ...daemon,
    home,
    sshds,
    add,
    reached,
    async [Symbol.asyncDispose]() {
      client.close();
      await daemon[Symbol.asyncDispose]();
      for (const sshd of sshds.values()) await sshd[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

/** A login gets the place's own tmux server and state folder. */
const environmentOf = ({ folder, env }: Place): Record<string, string> => ({
  TMUX_TMPDIR: folder,
  XDG_STATE_HOME: env['XDG_STATE_HOME'] ?? '',
});
