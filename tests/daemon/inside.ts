// A daemon built in the test's own process, in folders of its own, without a tmux server: its
// foundation, what gathers and its doors. Everything is closed when the test ends.

import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Doors } from '../../src/daemon/doors.ts';
import { Foundation, type FoundationOptions } from '../../src/daemon/foundation.ts';
import { claimPlace, type Place } from '../../src/daemon/life/claim-place.ts';
import { Gathering } from '../../src/daemon/watching/gathering.ts';
import { makeFolder } from './program.ts';

export interface Inside {
  readonly folder: string;
  readonly place: Place;
  readonly base: Foundation;
  readonly doors: Doors;
  readonly defects: unknown[];
}

export async function inside(options: FoundationOptions = {}): Promise<Inside> {
  const folder = makeFolder();
  for (const name of ['run', 'state', 'config']) mkdirSync(join(folder, name));
  chmodSync(join(folder, 'run'), 0o700);
  const claimed = await claimPlace(join(folder, 'run', 'agtmux', 'agtmuxd.sock'), {
    HOME: folder,
    XDG_RUNTIME_DIR: join(folder, 'run'),
    XDG_STATE_HOME: join(folder, 'state'),
    XDG_CONFIG_HOME: join(folder, 'config'),
  });
  if (!claimed.ok) throw new Error(claimed.refusal.message);
  const place = claimed.value;
  const base = new Foundation(place, { logLevel: 'silent', ...options });
  const gathering = new Gathering(base, [join(folder, 'tmux')]);
  const defects: unknown[] = [];
  const onDefect = (error: unknown) => defects.push(error);
  const doors = new Doors({ base, gathering, stop: () => {}, onDefect });
  base.begin();
  onTestFinished(async () => {
    await doors[Symbol.asyncDispose]();
    await gathering[Symbol.asyncDispose]();
    base.close();
    place.lock[Symbol.dispose]();
  });
  return { folder, place, base, doors, defects };
}
