// The spool of a real host, read from afar: beside those who read it there, with what cannot be
// taken in it, and where it is not there at all.

import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type SpoolHost, SshSpool } from '../../src/daemon/watching/ssh-spool.ts';
import { Fault } from '../../src/platform/fault.ts';
import { Spool } from '../../src/sources/spool/spool.ts';
import { isEventName } from '../../src/sources/spool/spool-file.ts';
import { repeats } from '../length.ts';
import { eventually, privateTmux } from '../live/tmux-server.ts';
import { hostOn } from '../ssh/live-host.ts';
import { isSshdMissing, TestSshd } from '../ssh/sshd.ts';

const EVENTS = repeats(200);
const LONG_MS = 60_000;
const SWEEP_MS = 200;
/** No sweep comes while a test runs. */
const NEVER_MS = 3_600_000;

describe.skipIf(isSshdMissing)('the spool of another machine', () => {
  const opened: (AsyncDisposable | Disposable)[] = [];
  afterEach(async () => {
    for (const each of opened.splice(0).reverse()) {
      if (Symbol.asyncDispose in each) await each[Symbol.asyncDispose]();
      else each[Symbol.dispose]();
    }
  });
  const keep = <T extends AsyncDisposable | Disposable>(resource: T): T => {
    opened.push(resource);
    return resource;
  };

  /** A host with a tmux server of its own, which need not run. */
  async function start() {
    const tmux = keep(privateTmux(join(`tmux-${process.getuid?.() ?? 0}`, 'default')));
    const sshd = keep(await TestSshd.start({ env: { TMUX_TMPDIR: tmux.folder } }));
    const folder = join(sshd.home, '.local', 'state', 'agtmux', 'spool');
    return { tmux, folder, host: keep(await hostOn(sshd)) };
  }

  /** One who reads it from afar, and what came to it. */
  function readFrom(host: SpoolHost, sweepMs = SWEEP_MS, nowMs: () => number = Date.now) {
    const far = { ids: [] as string[], problems: [] as string[], reads: 0, isFull: false };
    const spool = new SshSpool({
      host,
      sweepMs,
      nowMs,
      onEvents: (events) => {
        if (far.isFull) throw new Fault('store_full', { about: 'the store' });
        far.ids.push(...events.map(({ event_id: eventId }) => eventId));
      },
      onRead: () => {
        far.reads += 1;
      },
      onProblem: (problem) => far.problems.push(problem),
    });
    return { far, spool: keep(spool) };
  }

  let serial = 0;
  function leave(folder: string, atMs = Date.now(), payload = '{}'): string {
    serial += 1;
    const id = `${atMs * 1_000 + (serial % 1_000)}-${serial}`;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const text = `agtmux-event 1\nid: ${id}\nsource: s\nagent: claude\nevent: Stop\n\n${payload}`;
    writeFileSync(join(folder, `.${id}.tmp`), text, { mode: 0o600 });
    writeFileSync(join(folder, `${id}.event`), '', { mode: 0o600 });
    return id;
  }

  it(
    'is read whole by its own daemon and by two others, each event once',
    async () => {
      const { folder, host } = await start();
      const [we, third] = [readFrom(host), readFrom(host)];
      const own: string[] = [];
      const problems: unknown[] = [];
      const ownDaemon = keep(
        new Spool({
          folder,
          onEvents: (events) => own.push(...events.map(({ event_id: eventId }) => eventId)),
          onProblem: (problem) => problems.push(problem),
        }),
      );
      const eventIds: string[] = [];
      for (let count = 0; count < EVENTS; count += 1) {
        eventIds.push(leave(folder));
        // As a wake-up does: all of them at the same moment.
        for (const { spool } of [we, third]) spool.wake();
        ownDaemon.read();
        await eventually(() => own.length === eventIds.length, 'its own daemon has it');
      }
      for (const { far } of [we, third]) {
        await eventually(() => far.ids.length >= EVENTS, 'we have all of them');
        const { reads } = far;
        await eventually(() => far.reads > reads + 1, 'it was read again');
        expect(far.ids).toEqual(eventIds);
        expect(far.problems).toEqual([]);
      }
      expect(own).toEqual(eventIds);
      expect(problems).toEqual([]);
    },
    LONG_MS,
  );

  it(
    'loses nothing that could not be stored, nor what was emitted while nobody read',
    async () => {
      const { folder, host } = await start();
      const hourAgo = Date.now() - 3_600_000;
      const old = Array.from({ length: 450 }, (_, index) => leave(folder, hourAgo + index));
      const first = readFrom(host);
      first.far.isFull = true;
      await eventually(() => first.far.reads > 1, 'it was tried');
      expect(first.far.ids).toEqual([]);
      first.far.isFull = false;
      const young = leave(folder);
      await eventually(() => first.far.ids.length > 450, 'all have come', 20_000);
      expect(first.far.ids).toEqual([...old, young]);
      // The old ones go, since we have them; the young one is there for others, and for a new life.
      const left = (): readonly string[] => readdirSync(folder).filter(isEventName);
      await eventually(() => left().length < 450, 'old ones are deleted');
      expect(left()).toContain(`${young}.event`);
      first.spool[Symbol.dispose]();
      const second = readFrom(host);
      await eventually(() => second.far.ids.includes(young), 'it comes again, with its id');
    },
    LONG_MS,
  );

  it(
    'is read on after an event from the future, by a clock with fractions of a microsecond',
    async () => {
      const { folder, host } = await start();
      const { far, spool } = readFrom(host, NEVER_MS, () => Date.now() + 0.1234);
      const future = leave(folder, Date.now() + 3_600_000);
      spool.wake();
      await eventually(() => far.ids.includes(future), 'the one from the future has come');
      const next = leave(folder);
      spool.wake();
      await eventually(() => far.ids.includes(next), 'the next has come');
      expect(far.ids).toEqual([future, next]);
    },
    LONG_MS,
  );

  it(
    'is read again for a wake-up that comes while an answer is on its way',
    async () => {
      const { folder, host } = await start();
      const held = Promise.withResolvers<void>();
      const asked = Promise.withResolvers<void>();
      const slow: SpoolHost = {
        facts: host.facts,
        secret: host.secret,
        noteClock: (reading) => host.noteClock(reading),
        async ask(request) {
          const answer = await host.ask(request);
          if (request.command !== 'agtmux_spool_read') return answer;
          asked.resolve();
          await held.promise;
          return answer;
        },
      };
      const { far, spool } = readFrom(slow, NEVER_MS);
      const first = leave(folder);
      spool.wake();
      await asked.promise;
      const second = leave(folder);
      spool.wake();
      held.resolve();
      await eventually(() => far.ids.includes(second), 'the second has come');
      expect(far.ids).toEqual([first, second]);
    },
    LONG_MS,
  );

  it(
    'refuses what is nested without end, and goes on',
    async () => {
      const { folder, host } = await start();
      const deep = leave(folder, Date.now(), `${'{"":'.repeat(50_000)}1${'}'.repeat(50_000)}`);
      const next = leave(folder);
      const { far } = readFrom(host);
      await eventually(() => far.ids.includes(next), 'the next has come');
      expect(far.ids).toEqual([next]);
      const problem = `${deep}.event: its payload has more than 500 levels`;
      await eventually(() => far.problems.includes(problem), 'it is refused');
      expect(readdirSync(join(folder, 'refused'))).toEqual([`${deep}.event`]);
    },
    LONG_MS,
  );

  it(
    'is not read round after round for what can be neither taken nor moved',
    async () => {
      const { folder, host } = await start();
      for (let count = 0; count < 100; count += 1) {
        mkdirSync(join(folder, `${Date.now() * 1_000 + count}-1.event`), {
          recursive: true,
          mode: 0o700,
        });
      }
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const { far, spool } = readFrom(host, NEVER_MS);
      spool.wake();
      await eventually(() => far.problems.length === 100, 'all of it is read');
      const { reads } = far;
      const beside = readFrom(host);
      await eventually(() => beside.far.reads >= 4, 'others read it again and again', 20_000);
      expect(far.reads).toBe(reads);
      expect(far.problems).toHaveLength(100);
      const id = leave(folder);
      spool.wake();
      await eventually(() => far.ids.includes(id), 'what can be taken is');
    },
    LONG_MS,
  );

  it(
    'gives no events while it is absent, and is found where the panes have it',
    async () => {
      const { tmux, folder, host } = await start();
      const lookups = { count: 0 };
      const asker: SpoolHost = {
        facts: host.facts,
        secret: host.secret,
        noteClock: (reading) => host.noteClock(reading),
        ask(request) {
          lookups.count += 1;
          return host.ask(request);
        },
      };
      const { far, spool } = readFrom(asker);
      await eventually(() => lookups.count > 3, 'it is looked for again and again');
      expect(far.reads).toBe(0);
      const elsewhere = join(tmux.folder, 'events');
      tmux.newSession('one');
      tmux.run('set-environment', '-g', 'AGTMUX_SPOOL', elsewhere);
      const id = leave(elsewhere);
      spool.wake();
      await eventually(() => far.ids.includes(id), 'it is read where it is');
      expect(far.reads).toBeGreaterThan(0);
      expect(folder).not.toBe(elsewhere);
    },
    LONG_MS,
  );
});
