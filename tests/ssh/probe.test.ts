// The probe on real hosts, with each of the shells that a host may have as /bin/sh: processes as
// they are at home, the spool, the ends of files, and what happens when it is not answered.

import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { launchProgram } from '../../src/platform/process/launch.ts';
import { type LocalProcess, LocalProcesses } from '../../src/platform/process/processes.ts';
import { shellQuote } from '../../src/platform/text/shell-quote.ts';
import type { HostFacts } from '../../src/ssh/remote/host-facts.ts';
import { RemoteFiles } from '../../src/ssh/remote/remote-files.ts';
import { type ProcessProbe, RemoteProcesses } from '../../src/ssh/remote/remote-processes.ts';
import { lookAtRemoteSocket } from '../../src/ssh/remote/remote-socket.ts';
import {
  findRemoteSpool,
  readRemoteSpool,
  refuseInRemoteSpool,
  removeFromRemoteSpool,
} from '../../src/ssh/remote/remote-spool.ts';
import { cursorAfter, freshCursor } from '../../src/ssh/remote/spool-cursor.ts';
import type { SshHost } from '../../src/ssh/ssh-host.ts';
import { eventually, isAlive, type PrivateTmux, privateTmux } from '../live/tmux-server.ts';
import { hostOn } from './live-host.ts';
import { canHide, isMissing, isSshdMissing, type SshdOptions, TestSshd } from './sshd.ts';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
});
function keep<T extends AsyncDisposable>(resource: T): T {
  opened.push(resource);
  return resource;
}

async function start(options: SshdOptions): Promise<{ sshd: TestSshd; host: SshHost }> {
  const sshd = keep(await TestSshd.start(options));
  return { sshd, host: keep(await hostOn(sshd)) };
}

function keepTmux(): PrivateTmux {
  const tmux = privateTmux();
  keep({ [Symbol.asyncDispose]: async () => tmux[Symbol.dispose]() });
  return tmux;
}

const filesOf = (host: SshHost): RemoteFiles =>
  new RemoteFiles({
    probe: host,
    home: () => factsOf(host).home,
    isConnected: () => host.facts !== null,
  });

function factsOf(host: SshHost): HostFacts {
  if (host.facts === null) throw new Error('the host is not connected');
  return host.facts;
}

const shell = realpathSync('/bin/sh');
const kinds: readonly (readonly [string, SshdOptions, boolean])[] = [
  ['the shell of this machine', {}, true],
  ['BusyBox', { isBusybox: true }, canHide && !isMissing('busybox')],
  [
    'bash as sh',
    { mounts: [{ from: '/bin/bash', over: shell }] },
    canHide && existsSync('/bin/bash'),
  ],
];

describe.skipIf(isSshdMissing)('the probe', () => {
  for (const [kind, options, isPossible] of kinds) {
    describe.skipIf(!isPossible)(`with ${kind}`, () => {
      // One for all cases, with an empty home for each.
      let sshd: TestSshd;
      let host: SshHost;
      beforeAll(async () => {
        sshd = await TestSshd.start(options);
        host = await hostOn(sshd);
      });
      beforeEach(() => sshd.emptyHome());
      afterAll(async () => {
        await host?.[Symbol.asyncDispose]();
        await sshd?.[Symbol.asyncDispose]();
      });

      it('reads the processes of a pane as they are read on the machine itself', async () => {
        const tmux = keepTmux();
        const script = `sleep 600 & exec -a 'my (odd) name' bash -c 'sleep 601; :' 'é x' $'a\\nb'`;
        tmux.newSession('one', `bash -c ${shellQuote(script)}`);
        const panePid = Number(tmux.run('display-message', '-p', '#{pane_pid}'));
        const local = new LocalProcesses(tmux.folder);
        const settled = (): boolean => {
          const tree = local.tree(panePid) ?? [];
          const isAsleep = tree.every(({ stat }) => stat.startsWith('S'));
          return isAsleep && tree.filter(({ comm }) => comm === 'sleep').length === 2;
        };
        await eventually(settled, 'the pane has its two children');
        // Processor time is read at home only.
        const expected = (local.tree(panePid) ?? []).map(({ cpu: _cpu, ...seen }) => seen);

        for (const processReading of ['tree', 'scan'] as const) {
          const remote = new RemoteProcesses(reading(host, processReading));
          expect(remote.tree(panePid)).toBeNull();
          expect(await remote.refresh([panePid])).toBe('read');
          expect(byPid(remote.tree(panePid))).toEqual(byPid(expected));
          expect(remote.startedAtMs(panePid)).toBe(local.startedAtMs(panePid));
          const sign = remote.signOf(panePid);
          await remote.refresh([panePid]);
          expect(remote.signOf(panePid)).toBe(sign);
          expect(byPid(remote.tree(panePid))).toEqual(byPid(expected));
        }
      });

      it('notices a program that replaces another by exec, and its end', async () => {
        const tmux = keepTmux();
        tmux.newSession('one', `sh -c 'read -r _; exec sleep 600'`);
        const panePid = Number(tmux.run('display-message', '-p', '#{pane_pid}'));
        const remote = new RemoteProcesses(host);
        const argv = async (): Promise<readonly string[] | undefined> => {
          await remote.refresh([panePid]);
          return remote.tree(panePid)?.[0]?.argv;
        };
        // Until then it is a copy of tmux.
        await eventually(async () => (await argv())?.includes('-c'), 'the first arguments');
        tmux.run('send-keys', 'Enter');
        await eventually(async () => (await argv())?.[0] === 'sleep', 'the new arguments');
        process.kill(panePid, 'SIGKILL');
        await eventually(async () => (await argv()) === undefined, 'it is gone');
        expect(remote.signOf(panePid)).toBeNull();
      });

      it('reads what is new in the spool, and all of it again from the start', async () => {
        const place = await spoolOf(host);
        const absent = await readRemoteSpool(host, place, { cursor: freshCursor, nowMs: Date.now });
        expect(absent).toMatchObject({ files: [], isAbsent: true, problem: null });
        for (const event of ['one', 'two', 'three']) emit(sshd, event);
        const first = await readRemoteSpool(host, place, { cursor: freshCursor, nowMs: Date.now });
        expect(first).toMatchObject({ isAbsent: false, hasMore: false });
        expect(first.files.map(({ bytes }) => payloadOf(bytes))).toEqual(['one', 'two', 'three']);
        const names = first.files.map(({ name }) => name);
        const cursor = cursorAfter(freshCursor, names, Date.now());
        emit(sshd, 'four');
        const second = await readRemoteSpool(host, place, { cursor, nowMs: Date.now });
        expect(second.files.map(({ bytes }) => payloadOf(bytes))).toEqual(['four']);
        expect(
          (await readRemoteSpool(host, place, { cursor: freshCursor, nowMs: Date.now })).files,
        ).toHaveLength(4);
      });

      it('deletes from the spool what is old and was taken, and nothing else', async () => {
        emit(sshd, 'new');
        const place = await spoolOf(host);
        const minutesAgo = (minutes: number): string =>
          `${(Date.now() - minutes * 60_000) * 1_000}-1.event`;
        const [old, taken, young] = [minutesAgo(60), minutesAgo(30), minutesAgo(9)];
        const others = ['1-1.event', '1.event', 'x.event', `.${old}.tmp`];
        for (const name of [old, taken, young, ...others]) {
          writeFileSync(join(place.folder, name), '');
        }
        const left = (): readonly string[] => readdirSync(place.folder);
        await removeFromRemoteSpool(host, place, Number(taken.slice(0, 16)) - 1);
        expect(left()).not.toContain(old);
        expect(left()).toContain(taken);
        await removeFromRemoteSpool(host, place, Number.MAX_SAFE_INTEGER);
        expect(left()).not.toContain(taken);
        expect(left()).toEqual(expect.arrayContaining([young, ...others]));
        expect(left().filter((name) => name.endsWith('.event'))).toHaveLength(5);
      });

      it('finds the spool by the environment of the panes, not its own', async () => {
        const tmux = keepTmux();
        const find = (): Promise<string | null> => findRemoteSpool(host, tmux.socketPath);
        const atHome = join(sshd.home, '.local', 'state', 'agtmux', 'spool');
        expect(await find()).toBe(atHome);
        tmux.newSession('one');
        expect(await find()).toBe(atHome);
        tmux.run('set-environment', '-g', 'XDG_STATE_HOME', '/é state');
        expect(await find()).toBe('/é state/agtmux/spool');
        tmux.run('set-environment', '-g', 'AGTMUX_SPOOL', '/own place');
        expect(await find()).toBe('/own place');
        tmux.run('set-environment', '-g', 'AGTMUX_SPOOL', 'relative');
        expect(await find()).toBe('/é state/agtmux/spool');
        tmux.run('set-environment', '-g', 'XDG_STATE_HOME', '/a\nb');
        expect(await find()).toBeNull();
      });

      it('refuses hostile files of the spool and sets them aside', async () => {
        emit(sshd, 'good');
        const place = await spoolOf(host);
        const { folder } = place;
        const name = (digit: number): string => `${String(digit).repeat(16)}-1.event`;
        writeFileSync(join(sshd.home, 'secret'), 'secret');
        symlinkSync(join(sshd.home, 'secret'), join(folder, name(2)));
        execFileSync('mkfifo', [join(folder, name(3))]);
        mkdirSync(join(folder, name(4)));
        writeFileSync(join(folder, name(5)), '');
        truncateSync(join(folder, name(5)), 600_000);
        writeFileSync(join(folder, name(6)), 'open');
        chmodSync(join(folder, name(6)), 0o666);
        writeFileSync(join(folder, "7'; touch x #.event"), '');
        const { files, refused } = await readRemoteSpool(host, place, {
          cursor: freshCursor,
          nowMs: Date.now,
        });
        expect(files.map(({ bytes }) => payloadOf(bytes))).toEqual(['good']);
        const problems = new Map(refused.map((each) => [each.name, each.problem]));
        expect(Object.fromEntries(problems)).toEqual({
          [name(2)]: 'it is a symbolic link',
          [name(3)]: 'it is not a plain file',
          [name(4)]: 'it is not a plain file',
          [name(5)]: 'it is larger than 524288 bytes',
          [name(6)]: 'others may write to it',
        });
        await refuseInRemoteSpool(host, place, [...problems.keys()]);
        const again = await readRemoteSpool(host, place, { cursor: freshCursor, nowMs: Date.now });
        expect(again.refused.map((each) => each.name)).toEqual([name(4)]);
        expect(readdirSync(join(folder, 'refused'))).toHaveLength(4);
        chmodSync(folder, 0o777);
        const open = await readRemoteSpool(host, place, { cursor: freshCursor, nowMs: Date.now });
        expect(open.problem).toBe('others may write to it');
      });

      it('reads ranges of files and names in folders', async () => {
        using files = filesOf(host);
        const bytes = randomBytes(200_000);
        const path = join(sshd.home, "it's é.bin");
        writeFileSync(path, bytes);
        const { size, ino, mtimeMs } = statSync(path);
        const facts = await files.facts(path);
        expect(facts).toMatchObject({ size, inode: String(ino) });
        expect(Math.floor((facts?.modifiedAtMs ?? 0) / 1_000)).toBe(Math.floor(mtimeMs / 1_000));
        const piece = await files.read(path, { offset: 150_000, bytesMax: 20_000 });
        expect(bytes.subarray(150_000, 170_000).equals(piece ?? Buffer.alloc(0))).toBe(true);
        expect(await files.read(path, { offset: 199_990, bytesMax: 100 })).toHaveLength(10);
        expect(await files.read(path, { offset: 300_000, bytesMax: 100 })).toHaveLength(0);
        expect(await files.list(sshd.home)).toContain("it's é.bin");
        execFileSync('mkfifo', [join(sshd.home, 'pipe')]);
        for (const unfit of ['pipe', 'none', '.']) {
          const each = join(sshd.home, unfit);
          expect(await files.facts(each)).toBeNull();
          expect(await files.read(each, { offset: 0, bytesMax: 10 })).toBeNull();
        }
        expect(await files.list(path)).toBeNull();
      });

      it('reads variables and open files of a process', async () => {
        using files = filesOf(host);
        const path = join(sshd.home, 'a -> b.log');
        const descriptor = openSync(path, 'w');
        const env = { LAB_HOME: '/x\nLAB_FORGED=1', LAB_FORGED: 'no', OTHER: 'x' };
        const child = spawn('sleep', ['1000'], { env, stdio: ['ignore', descriptor, 'ignore'] });
        try {
          const pid = child.pid ?? 0;
          await eventually(
            async () => (await files.openFiles(pid))?.includes(path) === true,
            'it has begun',
          );
          const variables = await files.environment(pid, ['LAB_HOME', 'LAB_FORGED', 'LAB_NONE']);
          expect(variables).toEqual({ LAB_HOME: '/x\u0001LAB_FORGED=1', LAB_FORGED: 'no' });
          expect(await files.openFiles(2 ** 22 + 1)).toBeNull();
          expect(await files.environment(2 ** 22 + 1, ['LAB_HOME'])).toBeNull();
        } finally {
          child.kill();
          closeSync(descriptor);
        }
      });

      it('calls back when a file or a folder changes, also within a second', async () => {
        using files = filesOf(host);
        const path = join(sshd.home, 'status.json');
        const changes = { file: 0, folder: 0 };
        using _file = files.watch(path, () => (changes.file += 1));
        using _folder = files.watch(sshd.home, () => (changes.folder += 1));
        // The first look is what later ones are compared with.
        await eventually(async () => {
          writeFileSync(join(sshd.home, randomBytes(4).toString('hex')), '');
          return changes.folder > 0;
        }, 'the folder is looked at');
        writeFileSync(path, 'busy');
        await eventually(() => changes.file > 0, 'it has come');
        const before = changes.file;
        writeFileSync(path, 'idle');
        await eventually(() => changes.file > before, 'its words are others');
      });

      it('finds out whether a tmux server listens, and starts none', async () => {
        const tmux = keepTmux();
        expect(await lookAtRemoteSocket(host, tmux.socketPath)).toBe('absent');
        tmux.newSession('one');
        expect(await lookAtRemoteSocket(host, tmux.socketPath)).toBe('listens');
        tmux.killServer();
        const look = (): Promise<string> => lookAtRemoteSocket(host, tmux.socketPath);
        await eventually(async () => (await look()) === 'silent', 'it has ended');
        expect(await look()).toBe('silent');
        const { signal } = new AbortController();
        expect(await host.probe(tmux.socketPath, signal)).toMatchObject({ listens: false });
        await expect(host.probe(tmux.socketPath, AbortSignal.abort())).rejects.toThrow('cancelled');
      });

      it('discards a late answer, so that the next one is right', async () => {
        const tmux = keepTmux();
        tmux.newSession('one');
        const serverPid = tmux.serverPid();
        process.kill(serverPid, 'SIGSTOP');
        try {
          const words = [tmux.socketPath];
          const late = host.ask({ command: 'agtmux_socket', words, deadlineMs: 200 });
          await expect(late).rejects.toThrow('did not answer in time');
        } finally {
          process.kill(serverPid, 'SIGCONT');
        }
        const facts = await host.ask({ command: 'agtmux_facts', deadlineMs: 10_000 });
        expect(facts).toContain('home=');
        expect(await lookAtRemoteSocket(host, tmux.socketPath)).toBe('listens');
      });
    });
  }

  it('knows how far the clock of the host is off', async () => {
    const { host } = await start({});
    expect(factsOf(host).clockShiftMs).toBe(0);
    const folder = TestSshd.emptyFolder();
    keep(folder);
    const date = join(folder.path, 'date');
    writeFileSync(date, '#!/bin/sh\nexec /bin/date -d "+1 hour" "$@"\n', { mode: 0o755 });
    const { host: ahead } = await start({ env: { PATH: `${folder.path}:/usr/bin:/bin` } });
    expect(Math.abs(factsOf(ahead).clockShiftMs + 3_600_000)).toBeLessThan(2_000);
  });

  it('reports the start of a process by our clock, the same each time', async () => {
    const { host } = await start({});
    const local = new LocalProcesses(keepTmux().folder).startedAtMs(process.pid) as number;
    const facts = factsOf(host);
    const pins = new Map<string, number>();
    const seen = async (change: Partial<HostFacts>): Promise<number | null> => {
      const asker = { facts: { ...facts, ...change }, secret: host.secret };
      const remote = new RemoteProcesses({ ...asker, ask: (each) => host.ask(each) }, { pins });
      await remote.refresh([process.pid]);
      return remote.startedAtMs(process.pid);
    };
    const bootedAtMs = (facts.bootedAtMs ?? 0) + 3_600_000;
    const ahead = { bootedAtMs, clockShiftMs: -3_600_000 };
    expect(await seen(ahead)).toBe(local);
    // Measured anew, a little otherwise; then its clock is set right.
    expect(await seen({ ...ahead, clockShiftMs: -3_600_020 })).toBe(local);
    expect(await seen({})).toBe(local);
    const byPs = { processReading: 'ps', bootId: 'other', clockShiftMs: -3_600_000 } as const;
    const shifted = await seen(byPs);
    expect(Math.abs((shifted ?? 0) + 3_600_000 - local)).toBeLessThanOrEqual(1_000);
    expect(await seen({ ...byPs, clockShiftMs: -3_600_020 })).toBe(shifted);
  });

  it('reads processes by ps where there is no /proc', async () => {
    const { host } = await start({});
    const tmux = keepTmux();
    tmux.newSession('one', `sh -c 'sleep 600; :' word`);
    const panePid = Number(tmux.run('display-message', '-p', '#{pane_pid}'));
    const local = new LocalProcesses(tmux.folder);
    const hasChild = (): boolean => local.tree(panePid)?.[1]?.comm === 'sleep';
    await eventually(hasChild, 'the pane has a child');
    const remote = new RemoteProcesses(reading(host, 'ps'));
    await remote.refresh([panePid]);
    const rows = byPid(remote.tree(panePid)).map(({ pid, comm, argv }) => ({ pid, comm, argv }));
    expect(rows).toMatchObject(
      byPid(local.tree(panePid)).map(({ pid, comm, argv }) => ({
        pid,
        comm,
        argv: argv.join(' ').split(' '),
      })),
    );
    const startedAtMs = remote.startedAtMs(panePid) ?? 0;
    expect(Math.abs(startedAtMs - (local.startedAtMs(panePid) ?? 0))).toBeLessThanOrEqual(1_000);
  });

  it.skipIf(!canHide)('reports processes as unsupported where it cannot see any', async () => {
    const empty = TestSshd.emptyFolder();
    keep(empty);
    const { host } = await start({ mounts: [{ from: empty.path, over: '/proc' }] });
    expect(factsOf(host).processReading).toBe('none');
    const remote = new RemoteProcesses(host);
    expect(await remote.refresh([1])).toBe('unsupported');
    expect(remote.tree(1)).toBeNull();
    expect(remote.signOf(1)).toBeNull();
  });

  it('ends the taps of a link that has fallen silent, and no others', async () => {
    const { sshd, host } = await start({});
    const tmux = keepTmux();
    const sessionId = tmux.newSession('one');
    const flags = ['-f', 'ignore-size,pause-after=1'];
    const server = ['-N', '-S', tmux.socketPath, '-C'];
    const attach = [...server, 'attach-session', '-E', ...flags, '-t', sessionId];
    const pids: number[] = [];
    for (let count = 0; count < 2; count += 1) {
      const channel = await host.open('tap', attach);
      const child = launchProgram(channel.launch, {
        readyDeadlineMs: 10_000,
        onReady: (pid) => pids.push(pid ?? 0),
        onStdout() {},
        onExit: () => channel.release(),
      });
      keep({
        [Symbol.asyncDispose]: async () => {
          child.kill('SIGKILL');
          await child.exited;
        },
      });
    }
    const clients = (): string => tmux.run('list-clients', '-F', '#{client_pid}');
    const isAttached = (): boolean => pids.every((pid) => clients().includes(String(pid)));
    await eventually(() => pids.length === 2 && isAttached(), 'both taps are attached');
    const [tap = 0, other = 0] = pids;
    const asks = vi.spyOn(host, 'ask');
    host.setTapPids([tap]);
    // Five beats of 3 s last longer than the watchdog waits: they keep it away.
    const beats = () => asks.mock.calls.filter(([{ command }]) => command === 'agtmux_beat');
    await eventually(() => beats().length >= 5, 'five beats', 40_000);
    expect(isAlive(tap)).toBe(true);
    sshd.freeze();
    await eventually(() => !clients().includes(String(tap)), 'the tap is ended', 40_000);
    expect(isAlive(other)).toBe(true);
    sshd.thaw();
    await host[Symbol.asyncDispose]();
    await eventually(() => sshd.sessionPids().length === 0, 'nothing runs on the host');
  }, 90_000);
});

/** Where its emitter leaves events outside of any tmux. */
async function spoolOf(host: SshHost): Promise<{ folder: string; uid: number }> {
  const folder = await findRemoteSpool(host, '/nowhere/default');
  return { folder: folder ?? '', uid: factsOf(host).uid };
}

/** The host, read in another way than it would be. */
function reading(host: SshHost, processReading: HostFacts['processReading']): ProcessProbe {
  return {
    facts: { ...factsOf(host), processReading },
    secret: host.secret,
    ask: (request) => host.ask(request),
  };
}

const byPid = (tree: readonly LocalProcess[] | null): readonly LocalProcess[] =>
  [...(tree ?? [])].sort((a, b) => a.pid - b.pid);

const emitter = new URL('../../emitter/agtmux-emit', import.meta.url).pathname;

function emit(sshd: TestSshd, payload: string): void {
  const args = ['--source', 'test-hooks', '--agent', 'claude', '--event', 'Stop', payload];
  const env = { PATH: process.env['PATH'] ?? '', HOME: sshd.home };
  execFileSync(emitter, args, { env, stdio: 'ignore' });
}

function payloadOf(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString('utf8');
  return text.slice(text.indexOf('\n\n') + 2);
}
