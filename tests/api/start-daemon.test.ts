// Finding or starting a daemon: one for many callers, hand-over to a newer version, clear failures.

import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { root } from '../../scripts/script-entry.ts';
import { connectDaemon, type DaemonClient } from '../../src/client/client.ts';
import {
  ALREADY_RUNNING_EXIT,
  CLIENT_PROTOCOL,
  compareVersions,
  ensureDaemon,
} from '../../src/client/start-daemon.ts';
import { PROTOCOL_VERSION } from '../../src/schema/api/health.ts';
import { problemOf } from '../../src/schema/problem.ts';
import { makeFolder } from './fixture.ts';
import { until } from './wait.ts';

const fake = join(root, 'tests/api/fake-daemon.mjs');

class Place {
  readonly folder = makeFolder();
  readonly socketPath = join(this.folder, 'd.sock');
  readonly startsFile = join(this.folder, 'starts');

  constructor() {
    // Whoever still runs there ends before the folder goes.
    onTestFinished(async () => {
      writeFileSync(`${this.socketPath}.closed`, '');
      const client = await connectDaemon({ socketPath: this.socketPath }).catch(() => null);
      if (!client) return;
      await client.call('daemon_stop', { reason: 'test' });
      client.close();
      await until('it has ended', () => !existsSync(`${this.socketPath}.lock`));
    });
  }

  /** As a program of `version` does; the daemon it would start has that version too. */
  async ensure(version: string, protocol = 1): Promise<DaemonClient> {
    const args = [fake, this.socketPath, version, String(protocol), this.startsFile];
    const start = { command: process.execPath, args, stderrFile: join(this.folder, 'words') };
    const startTimeoutMs = 30_000;
    const { socketPath } = this;
    const client = await ensureDaemon({ socketPath, version, start, startTimeoutMs });
    onTestFinished(() => client.close());
    return client;
  }

  starts(): string[] {
    return readFileSync(this.startsFile, 'utf8').trim().split('\n');
  }
}

describe('a daemon is found or started', () => {
  test('many concurrent callers start one daemon and all use it', async () => {
    const place = new Place();
    const clients = await Promise.all(Array.from({ length: 6 }, () => place.ensure('0.1.0')));
    const pids = await Promise.all(clients.map((each) => each.call('hello', {})));
    expect(new Set(pids.map(({ pid }) => pid)).size).toBe(1);
    expect(place.starts()).toEqual(['0.1.0']);
    await place.ensure('0.1.0');
    expect(place.starts()).toEqual(['0.1.0']);
  });

  test('a socket file without a listener is replaced by a new daemon', async () => {
    const place = new Place();
    writeFileSync(place.socketPath, '');
    const client = await place.ensure('0.1.0');
    expect((await client.call('hello', {})).version).toBe('0.1.0');
  });

  test('an older daemon is asked to hand over to the newer program', async () => {
    const place = new Place();
    const before = await (await place.ensure('0.1.0')).call('hello', {});
    const after = await (await place.ensure('0.2.0')).call('hello', {});
    expect(after.version).toBe('0.2.0');
    expect(after.pid).not.toBe(before.pid);
    expect(place.starts()).toEqual(['0.1.0', 'stopped upgrade', '0.2.0']);
  });

  test('an older program uses a newer daemon of the same protocol', async () => {
    const place = new Place();
    await place.ensure('0.2.0');
    const client = await place.ensure('0.1.0');
    expect((await client.call('hello', {})).version).toBe('0.2.0');
    expect(place.starts()).toEqual(['0.2.0']);
  });

  test('an older program is refused by a newer daemon with another protocol', async () => {
    const place = new Place();
    const newer = await place.ensure('9.0.0', 2);
    newer.close();
    await expect(place.ensure('0.1.0')).rejects.toMatchObject({ code: 'E_DAEMON_NEWER' });
    expect(place.starts()).toEqual(['9.0.0']);
  });
});

describe('a daemon that does not start', () => {
  test('is reported with the end of its stderr', async () => {
    const { folder, socketPath } = new Place();
    const stderrFile = join(folder, 'words');
    writeFileSync(stderrFile, 'words of an earlier life\n');
    const script = 'process.stderr.write("config.toml:3: what is this\\n"); process.exit(78)';
    const start = { command: process.execPath, args: ['-e', script], stderrFile };
    const options = { socketPath, version: '0.1.0', start, startTimeoutMs: 3_000 };
    const error = await ensureDaemon(options).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'E_DAEMON_START_FAILED' });
    expect((error as Error).message).toContain('config.toml:3: what is this');
    expect((error as Error).message).not.toContain('earlier life');
  });

  test('is reported as soon as its process has failed', async () => {
    const place = new Place();
    const { socketPath, startsFile } = place;
    // A daemon that answers later would be found by a wait.
    const load = `import(${JSON.stringify(fake)})`;
    const later = `process.argv.splice(1, 0, 'x'); setTimeout(() => ${load}, 2000)`;
    const script = `require('node:child_process').spawn(process.execPath,
      ['-e', ${JSON.stringify(later)}, ...process.argv.slice(1)],
      { detached: true, stdio: 'ignore' }).unref(); process.exit(78)`;
    const args = ['-e', script, socketPath, '0.1.0', '1', startsFile];
    const start = { command: process.execPath, args };
    await expect(ensureDaemon({ socketPath, version: '0.1.0', start })).rejects.toMatchObject({
      code: 'E_DAEMON_START_FAILED',
    });
    writeFileSync(`${socketPath}.closed`, '');
  });

  test('does not follow a link to the file for its stderr', async () => {
    const { folder, socketPath } = new Place();
    const theirs = join(folder, 'theirs');
    writeFileSync(theirs, 'mine');
    symlinkSync(theirs, join(folder, 'words'));
    const args = ['-e', 'console.error("x")'];
    const start = { command: process.execPath, args, stderrFile: join(folder, 'words') };
    await expect(ensureDaemon({ socketPath, version: '0.1.0', start })).rejects.toThrow();
    expect(readFileSync(theirs, 'utf8')).toBe('mine');
  });

  test('is reported at once when there is no such program', async () => {
    const { folder, socketPath } = new Place();
    const start = { command: join(folder, 'nothing'), args: [] };
    await expect(ensureDaemon({ socketPath, version: '0.1.0', start })).rejects.toMatchObject({
      code: 'E_DAEMON_START_FAILED',
    });
  });
});

test.each([
  ['0.1.0', '0.1.0', 0],
  ['0.2.0', '0.1.9', 1],
  ['0.10.0', '0.9.0', 1],
  ['1.0.0-rc.1', '1.0.0', -1],
  ['1.0.0', '1.0.0-rc.1', 1],
  ['1.0.0+build', '1.0.0', 0],
  ['what', '0.0.0', 0],
])('%s against %s', (a, b, sign) => {
  expect(Math.sign(compareVersions(a, b))).toBe(sign);
});

test('client and daemon of one package speak the same protocol', () => {
  expect(CLIENT_PROTOCOL).toBe(PROTOCOL_VERSION);
  expect(ALREADY_RUNNING_EXIT).toBe(problemOf('E_DAEMON_RUNNING').exitCode);
});
