import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Fault } from '../../src/platform/fault.ts';
import { Spool, type SpoolProblem } from '../../src/sources/spool/spool.ts';
import type { SpoolEvent } from '../../src/sources/spool/spool-file.ts';
import { repeats } from '../length.ts';
import { EmitterLab, emitter, until } from './emitter-run.ts';

let lab: EmitterLab;
let spool: Spool | null = null;
let events: SpoolEvent[];
let problems: SpoolProblem[];

beforeEach(() => {
  lab = new EmitterLab();
  events = [];
  problems = [];
});
afterEach(() => {
  close();
  lab[Symbol.dispose]();
});

function close(): void {
  spool?.[Symbol.dispose]();
  spool = null;
}

type Take = (batch: readonly SpoolEvent[]) => void;

const takeAll: Take = (batch) => void events.push(...batch);

function open(
  take: Take = takeAll,
  times: { readonly keepMs?: number; readonly sweepMs?: number } = {},
): Spool {
  const onProblem = (each: SpoolProblem): void => void problems.push(each);
  spool = new Spool({ folder: lab.spool, onEvents: take, onProblem, keepMs: 0, ...times });
  return spool;
}

/** No sweep comes while a test runs. */
const NEVER_MS = 3_600_000;

let serial = 0;
const ids = (): readonly string[] => events.map((event) => event.event_id);

/** A good event as the emitter would leave it. */
function leave(headers: readonly string[] = [], payload = '{}'): string {
  serial += 1;
  const id = `${1_700_000_000_000_000 + serial}-1`;
  const lines = ['agtmux-event 1', `id: ${id}`, 'source: s', 'event: Stop', ...headers, '', ''];
  mkdirSync(lab.spool, { recursive: true, mode: 0o700 });
  writeFileSync(join(lab.spool, `${id}.event`), lines.join('\n') + payload, { mode: 0o600 });
  return id;
}

/** The same in the emitter's own way: its content, and an empty file that says that it is whole. */
function leaveContent(): string {
  const id = leave();
  const path = join(lab.spool, `${id}.event`);
  renameSync(path, join(lab.spool, `.${id}.tmp`));
  writeFileSync(path, '', { mode: 0o600 });
  return id;
}

const left = (): readonly string[] => readdirSync(lab.spool).filter((name) => name !== 'refused');
const refusedCount = (): number => {
  const folder = join(lab.spool, 'refused');
  return existsSync(folder) ? readdirSync(folder).length : 0;
};

describe('events that were emitted while nobody read', () => {
  it('all come once, in the order of their sessions, from four agents at a time', async () => {
    // Each of four agents emits its events one after the other, as hooks are run.
    const perAgent = repeats(250);
    const loop = `i=0; while [ $i -lt ${perAgent} ]; do i=$((i+1))
      echo "{\\"n\\":$i}" | "$0" --source s --event Stop --session "$1"; done`;
    const all = 'for s in a b c d; do sh -c "$1" "$0" "$s" & done; wait';
    const run = spawnSync('sh', ['-c', all, emitter, loop], {
      env: { PATH: '/usr/bin:/bin', AGTMUX_SPOOL: lab.spool },
      timeout: 55_000,
    });
    expect(run.status).toBe(0);
    expect(lab.names()).toHaveLength(4 * perAgent);
    open();
    await until('all are read', () => lab.names().length === 0);
    expect(new Set(ids()).size).toBe(4 * perAgent);
    expect(events).toHaveLength(4 * perAgent);
    for (const session of ['a', 'b', 'c', 'd']) {
      const own = events.filter((event) => event.session_key === session);
      const numbers = own.map((event) => (event.payload as { n: number }).n);
      expect(numbers).toEqual(Array.from({ length: perAgent }, (_, index) => index + 1));
      const seqs = own.map((event) => event.source_seq as number);
      expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
    }
    expect(problems).toEqual([]);
    expect(left()).toEqual(['.seq']);
  });

  it('come again with the same ids after a crash between the commit and the delete', async () => {
    const eventIds = [leave(), leave(), leave()];
    const kept = join(lab.folder, 'kept');
    // What a crash leaves behind: the events were taken, and the files are still there.
    open((batch) => {
      events.push(...batch);
      spawnSync('cp', ['-a', lab.spool, kept]);
    });
    await until('they are read', () => events.length === 3);
    close();
    rmSync(lab.spool, { recursive: true });
    renameSync(kept, lab.spool);
    open();
    await until('they are read again', () => events.length === 6);
    expect(ids()).toEqual([...eventIds, ...eventIds]);
    await until('they are deleted', () => left().length === 0);
  });

  it('stay when the store cannot take them, and are tried again', async () => {
    const eventIds = [leave(), leave()];
    let failures = 0;
    const reader = open((batch) => {
      failures += 1;
      if (failures < 3) throw new Fault('store_full', { about: 'the store' });
      events.push(...batch);
    });
    await until('it failed', () => failures === 1);
    expect(reader.healthy()).toBe(false);
    expect(left()).toHaveLength(2);
    reader.read();
    expect(problems).toHaveLength(1);
    reader.read();
    expect(ids()).toEqual(eventIds);
    expect(reader.healthy()).toBe(true);
  });

  it('are read by rounds that leave time for others', async () => {
    for (let index = 0; index < 350; index += 1) leave();
    const sizes: number[] = [];
    let turns = 0;
    const turnsAt: number[] = [];
    open((batch) => {
      sizes.push(batch.length);
      turnsAt.push(turns);
      setImmediate(() => {
        turns += 1;
      });
    });
    await until('all are read', () => left().length === 0);
    expect(turnsAt).toEqual([0, 1, 2, 3]);
    expect(sizes).toEqual([100, 100, 100, 50]);
  });
});

describe('events that come while the spool is open', () => {
  it('are handed on by the watch, without a sweep', async () => {
    const reader = open(takeAll, { sweepMs: NEVER_MS });
    await until('it is ready', () => reader.healthy());
    lab.run();
    await until('it is read', () => events.length === 1);
    expect(statSync(lab.spool).mode & 0o777).toBe(0o700);
  });

  it('are handed on at once when a wake-up came', async () => {
    const reader = open();
    await until('it is ready', () => reader.healthy());
    const id = leave();
    reader.read();
    expect(ids()).toEqual([id]);
  });

  it('stay a while for those who watch from elsewhere, and are handed on once', async () => {
    const reader = open(takeAll, { keepMs: 1_000, sweepMs: 100 });
    const eventIds = [leave(), leave()];
    await until('they are read', () => events.length === 2);
    const readAt = performance.now();
    reader.read();
    eventIds.push(leave());
    reader.read();
    expect(left()).toHaveLength(3);
    await until('they are deleted', () => left().length === 0);
    expect(performance.now() - readAt).toBeGreaterThan(900);
    expect(ids()).toEqual(eventIds);
    expect(problems).toEqual([]);
  });

  it('are whole and come once to each of two who read at the same time', async () => {
    const others: string[] = [];
    const reader = open(takeAll, { keepMs: 60_000 });
    using other = new Spool({
      folder: lab.spool,
      onEvents: (batch) => others.push(...batch.map((event) => event.event_id)),
      onProblem: (each) => void problems.push(each),
    });
    const eventIds: string[] = [];
    for (let index = 0; index < 50; index += 1) {
      eventIds.push(leaveContent());
      if (index % 2 === 0) reader.read();
      else other.read();
    }
    await until('both have them', () => events.length >= 50 && others.length >= 50);
    expect([ids(), others]).toEqual([eventIds, eventIds]);
    expect(problems).toEqual([]);
    expect(left().toSorted()).toEqual(eventIds.map((id) => `${id}.event`));
  });

  it('are not kept without end, however young they are', async () => {
    for (let index = 0; index < 5_400; index += 1) leave();
    open(takeAll, { keepMs: 3_600_000 });
    await until('all are read', () => events.length === 5_400);
    expect(left()).toHaveLength(5_000);
  });

  it('come through a folder that was removed and made again', async () => {
    const reader = open();
    await until('it is ready', () => reader.healthy());
    rmSync(lab.spool, { recursive: true });
    await until('it is made again', () => existsSync(lab.spool));
    rmSync(lab.spool, { recursive: true });
    lab.run();
    await until('it is read by the sweep', () => events.length === 1);
    // Each of them comes just after a reading: at least one well before the next sweep, so the
    // watch is on the new folder.
    const lagsMs: number[] = [];
    for (let count = 2; count < 6; count += 1) {
      const startedMs = performance.now();
      lab.run();
      await until('it is read', () => events.length === count);
      lagsMs.push(performance.now() - startedMs);
    }
    expect(Math.min(...lagsMs)).toBeLessThan(1_000);
  });

  it('are not read half written; what was left so over an hour ago is removed', async () => {
    leave();
    const [fresh, old] = ['.1700000000000000-7.tmp', '.1700000000000000-8.tmp'];
    for (const name of [fresh, old]) writeFileSync(join(lab.spool, name), 'half');
    const twoHoursAgo = Date.now() / 1_000 - 7_200;
    utimesSync(join(lab.spool, old), twoHoursAgo, twoHoursAgo);
    const waiting = leaveContent();
    utimesSync(join(lab.spool, `.${waiting}.tmp`), twoHoursAgo, twoHoursAgo);
    // An old event waits while the folder is swept: the store takes nothing until then.
    open((batch) => {
      if (existsSync(join(lab.spool, old))) throw new Fault('store_full', { about: 'the store' });
      events.push(...batch);
    });
    await until('the old one is gone', () => events.length === 2);
    expect(left()).toEqual([fresh]);
    expect(ids().at(-1)).toBe(waiting);
    expect(refusedCount()).toBe(0);
  });
});

describe('hostile entries', () => {
  const named = (): string => `${1_600_000_000_000_000 + serial}-1.event`;
  const put = (content: string | Uint8Array, mode = 0o600): string => {
    serial += 1;
    writeFileSync(join(lab.spool, named()), content, { mode });
    return named();
  };
  const good = 'agtmux-event 1\nid: x\nsource: s\n\n';

  const kinds: Readonly<Record<string, () => string>> = {
    'a huge file': () => put('x'.repeat(600_000)),
    'binary rubbish': () => put(Uint8Array.from({ length: 999 }, (_, n) => (n * 7) % 256)),
    'a wrong header': () => put('agtmux-event 9\n\n'),
    'an id that is not its name': () => put(good),
    'a payload that is nested without end': () =>
      `${leave([], `${'{"":'.repeat(50_000)}1${'}'.repeat(50_000)}`)}.event`,
    'an empty file': () => put(''),
    'a link where the content should be': () => {
      const name = put('');
      symlinkSync('/etc/passwd', join(lab.spool, `.${name.replace('.event', '.tmp')}`));
      return name;
    },
    'a symbolic link': () => {
      serial += 1;
      symlinkSync('/etc/passwd', join(lab.spool, named()));
      return named();
    },
    'a link to nothing': () => {
      serial += 1;
      symlinkSync('nothing', join(lab.spool, named()));
      return named();
    },
    'a FIFO': () => {
      serial += 1;
      spawnSync('mkfifo', ['-m', '600', join(lab.spool, named())]);
      return named();
    },
    'a file that others may write to': () => {
      const name = put(good);
      chmodSync(join(lab.spool, name), 0o666);
      return name;
    },
    'a name that is not ours': () => {
      const name = `it's "\u001b[31m" \n; rm`;
      writeFileSync(join(lab.spool, name), good);
      return name;
    },
    'a hidden name that is not ours': () => {
      writeFileSync(join(lab.spool, '.other'), good);
      return '.other';
    },
  };

  it.each(Object.keys(kinds))(
    '%s is refused, reported and set aside, and delays no other event',
    async (kind) => {
      const id = leave();
      const name = kinds[kind]?.() as string;
      open();
      await until('the good one is read', () => events.length === 1 && left().length === 0);
      expect(ids()).toEqual([id]);
      expect(problems).toEqual([{ file: name, problem: expect.any(String) }]);
      expect(refusedCount()).toBe(1);
    },
  );

  it.skipIf(process.getuid?.() !== 0)('a file of another owner is refused', async () => {
    const id = leave();
    const foreign = `${leave()}.event`;
    chownSync(join(lab.spool, foreign), 65_534, 65_534);
    open();
    await until('both are done', () => left().length === 0);
    expect(ids()).toEqual([id]);
    expect(problems).toEqual([{ file: foreign, problem: 'it belongs to another user' }]);
  });

  it.skipIf(process.getuid?.() !== 0)('a device is refused', async () => {
    const name = `${leave()}.event`;
    rmSync(join(lab.spool, name));
    spawnSync('mknod', ['-m', '600', join(lab.spool, name), 'c', '1', '5']);
    open();
    await until('it is done', () => left().length === 0 && problems.length === 1);
    expect(problems).toEqual([{ file: name, problem: 'it is not a plain file' }]);
  });

  it.skipIf(process.getuid?.() !== 0)('a spool of another owner is not used', async () => {
    leave();
    chownSync(lab.spool, 65_534, 65_534);
    const reader = open();
    await until('it is reported', () => problems.length === 1);
    expect(reader.healthy()).toBe(false);
    expect(events).toEqual([]);
  });

  it('a folder stays where it is and is reported once', async () => {
    const name = named();
    mkdirSync(join(lab.spool, name), { recursive: true, mode: 0o700 });
    const reader = open();
    await until('it is reported', () => problems.length === 1);
    const id = leave();
    reader.read();
    await until('it is read', () => events.length === 1);
    for (let index = 0; index < 3; index += 1) reader.read();
    expect(ids()).toEqual([id]);
    expect(problems).toHaveLength(1);
    expect(left()).toEqual([name]);
  });

  it('what is set aside is bounded, and goes nowhere through a link', async () => {
    mkdirSync(lab.spool, { mode: 0o700 });
    for (let index = 0; index < 130; index += 1) put('rubbish');
    open();
    await until('all are refused', () => left().length === 0);
    expect(problems).toHaveLength(130);
    expect(refusedCount()).toBe(100);
    close();
    rmSync(join(lab.spool, 'refused'), { recursive: true });
    const outside = join(lab.folder, 'outside');
    mkdirSync(outside);
    symlinkSync(outside, join(lab.spool, 'refused'));
    const name = put('rubbish');
    open();
    await until('it is reported', () => problems.length === 131);
    expect(readdirSync(outside)).toEqual([]);
    expect(readFileSync(join(lab.spool, name), 'utf8')).toBe('rubbish');
  });

  it.each(['a link', 'open to others', 'a file'])(
    'a spool that is %s is not used',
    async (kind) => {
      leave();
      const real = join(lab.folder, 'real');
      if (kind === 'open to others') chmodSync(lab.spool, 0o777);
      else renameSync(lab.spool, real);
      if (kind === 'a link') symlinkSync(real, lab.spool);
      if (kind === 'a file') writeFileSync(lab.spool, '');
      const reader = open();
      await until('it is reported', () => problems.length === 1);
      reader.read();
      expect(reader.healthy()).toBe(false);
      expect(events).toEqual([]);
      expect(problems).toHaveLength(1);
      rmSync(lab.spool, { recursive: true });
      leave();
      reader.read();
      expect(events).toHaveLength(1);
      expect(reader.healthy()).toBe(true);
    },
  );
});
