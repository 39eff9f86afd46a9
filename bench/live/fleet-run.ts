// How long a listing takes while some of its targets are dead: one refuses the connection, one is
// frozen, one refuses the login. A request to the daemon must wait for none of them.

import { monoMs, until } from './clock.ts';
import { makeSession } from './fake-panes.ts';
import { startDaemonFarFrom } from './far-daemon.ts';
import { type Check, type Spread, spreadOf } from './figures.ts';
import { agtmuxBin, DEFAULT_SOCKET, Place } from './place.ts';
import { timedRun } from './timed-run.ts';

/** Ten with these: refused, frozen, unauthorised. */
const LIVING = 7;
const DEAD = ['dead1', 'dead2', 'dead3'] as const;
const DOWN_MS = 60_000;

export interface FleetFigures {
  /** One `list_panes` request. */
  readonly listing: Spread;
  /** `agtmux list panes`, from its start to its end. */
  readonly command: Spread;
  readonly bareNode: Spread;
  readonly requested: number;
  readonly responded: number;
  readonly errors: readonly string[];
  /** Panes of the living ones. */
  readonly panes: number;
}

export async function measureFleet(counts: {
  readonly listings: number;
  readonly commands: number;
}): Promise<FleetFigures> {
  const names = Array.from({ length: LIVING }, (_, index) => `vm${index + 1}`);
  using stack = new DisposableStack();
  const placeOf = (): Place => {
    const place = stack.use(new Place(DEFAULT_SOCKET));
    makeSession(place, 'work', ['claude', 'shell', 'shell']);
    return place;
  };
  const [refused, frozen, unauthorised] = DEAD;
  const places = Object.fromEntries(
    [...names, frozen, unauthorised].map((name) => [name, placeOf()]),
  );
  const nobody = `Host ${refused}\n  HostName 127.0.0.1\n  Port 1\n`;
  await using daemon = await startDaemonFarFrom(places, { deadConfig: nobody });
  await daemon.add(refused);
  daemon.sshds.get(frozen)?.freeze();
  const shut = daemon.sshds.get(unauthorised);
  shut?.refuseLogins();
  shut?.cut();
  const client = await daemon.connect();
  await until('three are down', DOWN_MS, async () => {
    const { targets } = await client.call('list_targets', {});
    return targets.filter(({ health }) => health === 'down').length === DEAD.length;
  });
  await until('the agents of the others are known', DOWN_MS, async () => {
    const { summary } = await client.call('list_panes', {});
    return names.every((name) => summary.by_target[name]?.agents === 1);
  });
  const listingsMs: number[] = [];
  for (let count = 0; count < counts.listings; count += 1) {
    const startedMs = monoMs();
    await client.call('list_panes', {});
    listingsMs.push(monoMs() - startedMs);
  }
  const { env } = daemon.home;
  const list = [agtmuxBin, 'list', 'panes', '--socket-path', daemon.socketPath];
  const command: number[] = [];
  const bareNode: number[] = [];
  for (let count = 0; count < counts.commands; count += 1) {
    for (const [times, args] of [
      [command, list],
      [bareNode, ['-e', '0']],
    ] as const) {
      const { startedMs, endedMs } = await timedRun(process.execPath, args, { env });
      times.push(endedMs - startedMs);
    }
  }
  const last = await client.call('list_panes', {});
  client.close();
  daemon.sshds.get(frozen)?.thaw();
  return {
    listing: spreadOf(listingsMs),
    command: spreadOf(command),
    bareNode: spreadOf(bareNode),
    requested: last.requested_targets.length,
    responded: last.responded_targets.length,
    errors: last.target_errors.map(({ target, message }) => `${target}: ${message}`),
    panes: last.panes.filter(({ target }) => names.includes(target)).length,
  };
}

/** All targets are requested, the living ones respond, and no request waits for the dead ones. */
export function fleetChecks(figures: FleetFigures): readonly Check[] {
  const { listing, command, requested, responded, panes } = figures;
  const missing = LIVING + DEAD.length + 1 - requested + Math.abs(LIVING + 1 - responded);
  return [
    { name: 'list_panes, the longest', value: listing.maxMs, limit: 100, unit: 'ms' },
    { name: 'agtmux list panes, p50', value: command.p50Ms, limit: 100, unit: 'ms' },
    { name: 'targets reported wrongly', value: missing, limit: 1, unit: '' },
    { name: 'panes missing', value: LIVING * 3 - panes, limit: 1, unit: '' },
  ];
}
