// What a command says where the daemon does not watch the tmux server that its person means.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { paneItem, paneList, Refused, runHere, SmallDaemon } from './fixture.ts';

const info = {
  protocol: 1,
  version: '0.1.0',
  pid: 77,
  nonce: 'n',
  started_at: '2026-01-31T12:00:00.000Z',
  socket: '/s',
  database: '/d',
  log_file: null,
};

describe('where the daemon does not watch the tmux server that is meant', () => {
  let daemon: SmallDaemon;

  beforeEach(async () => {
    daemon = new SmallDaemon();
    await daemon.start();
    daemon.handlers['list_panes'] = () => paneList([paneItem()]);
    for (const name of ['TMUX', 'TMUX_PANE', 'AGTMUX_TMUX_SOCKET_PATH', 'AGTMUX_TMUX_SOCKET_NAME'])
      vi.stubEnv(name, undefined);
    vi.stubEnv('TMUX_TMPDIR', daemon.folder);
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await daemon[Symbol.asyncDispose]();
  });

  const agtmux = (...args: readonly string[]) => runHere(...args, '-s', daemon.socketPath);
  const watchOnly = (...paths: readonly string[]): void => {
    const rest = { target: 'local', status: 'connected', detail: null, panes: 5, taps: 0 };
    const servers = paths.map((server) => ({ ...rest, server }));
    daemon.handlers['daemon_info'] = () => ({ ...info, servers });
  };
  const socketOf = (name: string): string => {
    const folder = join(daemon.folder, `tmux-${process.getuid?.() ?? 0}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, name), '');
    return join(folder, name);
  };

  it('says so to a person in it, and how to change that', async () => {
    const [usual, other] = [socketOf('default'), socketOf('other')];
    watchOnly(usual);
    vi.stubEnv('TMUX', `${usual},1,0`);
    expect(await agtmux('list', 'panes')).toMatchObject({ code: 0, err: '' });
    vi.stubEnv('TMUX', `${other},1,0`);
    const { code, err } = await agtmux('list', 'panes');
    expect(code).toBe(0);
    expect(err).toContain(`does not watch this tmux server (${other}). Add "${other}" to`);
    vi.stubEnv('AGTMUX_TMUX_SOCKET_PATH', usual);
    expect(await agtmux('list', 'panes')).toMatchObject({ code: 0, err: '' });
  });

  it('says so outside of tmux, where the usual server is meant and is there', async () => {
    watchOnly('/tmp/elsewhere');
    expect(await agtmux('list', 'panes')).toMatchObject({ code: 0, err: '' });
    const usual = socketOf('default');
    const { err } = await agtmux('list', 'panes');
    expect(err).toContain(`does not watch your tmux server (${usual})`);
  });

  it('says so where a pane is not found', async () => {
    const usual = socketOf('default');
    watchOnly('/tmp/elsewhere');
    daemon.handlers['explain'] = () =>
      new Refused('E_REF_NOT_FOUND', -32_001, 'no pane is called "api:0"', '');
    const { code, err } = await agtmux('explain', 'api:0');
    expect(code).toBe(66);
    expect(err).toContain(`does not watch your tmux server (${usual})`);
  });
});
