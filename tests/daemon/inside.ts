// A daemon built in the test's own process, in folders of its own, without a tmux server: its
// foundation, what gathers and its doors. Everything is closed when the test ends.

import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { ApiServer } from '../../src/daemon/api-server.ts';
import { DaemonCore, type DaemonCoreOptions } from '../../src/daemon/daemon-core.ts';
import { claimDaemonPaths, type DaemonPaths } from '../../src/daemon/life/daemon-paths.ts';
import { Notifications } from '../../src/daemon/notifying/notifications.ts';
import { openAcpMembers } from '../../src/daemon/open-acting.ts';
import { teamsPort } from '../../src/daemon/ports/teams.ts';
import { Collectors } from '../../src/daemon/watching/collectors.ts';
import { emptyTeamState } from '../../src/relay/config/team-state.ts';
import { makeFolder } from './program.ts';

export interface Inside {
  readonly folder: string;
  readonly place: DaemonPaths;
  readonly base: DaemonCore;
  readonly gathering: Collectors;
  readonly doors: ApiServer;
  readonly defects: unknown[];
}

export async function inside(options: DaemonCoreOptions = {}): Promise<Inside> {
  const folder = makeFolder();
  for (const name of ['run', 'state', 'config']) mkdirSync(join(folder, name));
  chmodSync(join(folder, 'run'), 0o700);
  const claimed = await claimDaemonPaths(join(folder, 'run', 'agtmux', 'agtmuxd.sock'), {
    HOME: folder,
    XDG_RUNTIME_DIR: join(folder, 'run'),
    XDG_STATE_HOME: join(folder, 'state'),
    XDG_CONFIG_HOME: join(folder, 'config'),
  });
  if (!claimed.ok) throw new Error(claimed.refusal.message);
  const place = claimed.value;
  const base = new DaemonCore(place, { logLevel: 'silent', ...options });
  const gathering = new Collectors(base, () => [join(folder, 'tmux'), ...base.config.tmux.sockets]);
  const defects: unknown[] = [];
  const onDefect = (error: unknown) => defects.push(error);
  const status = { on: false, servers: [] };
  const hud = { status: () => status, set: async () => status };
  const notifications = new Notifications({
    core: base,
    shownPanes: () => gathering.watchers.shownPanes(),
    onClick: () => {},
  });
  const doors = new ApiServer({
    core: base,
    collectors: gathering,
    hud,
    acp: openAcpMembers(base, gathering, onDefect),
    teams: teamsPort({
      nowMs: base.nowMs,
      state: () => emptyTeamState,
      fresh: () => emptyTeamState,
      world: () => base.engine.world,
      table: base.store.bundles,
      installId: () => '00000000000000aa',
      tmuxOf: (target) => gathering.tmuxOf(target),
      watchServer: (server, isWatched) => gathering.watchServer(server, isWatched),
    }),
    notifications: notifications.parts,
    stop: () => {},
    onDefect,
  });
  base.begin();
  notifications.begin();
  onTestFinished(async () => {
    await doors[Symbol.asyncDispose]();
    await notifications[Symbol.asyncDispose]();
    await gathering[Symbol.asyncDispose]();
    base[Symbol.dispose]();
    place.lock[Symbol.dispose]();
  });
  return { folder, place, base, gathering, doors, defects };
}
