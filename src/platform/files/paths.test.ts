import { describe, expect, it } from 'vitest';
import { resolvePaths } from './paths.ts';

const home = '/home/someone';

describe('resolvePaths', () => {
  it('falls back to the folders that XDG names when no variable is set', () => {
    expect(resolvePaths({ env: {}, uid: 1000, home })).toEqual({
      configDir: '/home/someone/.config/agtmux',
      configFile: '/home/someone/.config/agtmux/config.toml',
      stateDir: '/home/someone/.local/state/agtmux',
      databaseFile: '/home/someone/.local/state/agtmux/agtmux.db',
      runtimeDir: '/tmp/agtmux-1000',
      socketFile: '/tmp/agtmux-1000/agtmuxd.sock',
    });
  });

  it('follows each XDG variable on its own', () => {
    const env = {
      XDG_CONFIG_HOME: '/c',
      XDG_STATE_HOME: '/s',
      XDG_RUNTIME_DIR: '/run/user/7',
    };
    const paths = resolvePaths({ env, uid: 7, home });
    expect(paths.configDir).toBe('/c/agtmux');
    expect(paths.stateDir).toBe('/s/agtmux');
    expect(paths.socketFile).toBe('/run/user/7/agtmux/agtmuxd.sock');
  });

  it('ignores empty and relative values, as the XDG rules ask', () => {
    const env = { XDG_CONFIG_HOME: '', XDG_STATE_HOME: 'state', XDG_RUNTIME_DIR: './run' };
    expect(resolvePaths({ env, uid: 5, home })).toEqual(resolvePaths({ env: {}, uid: 5, home }));
  });

  it('keeps two users apart when both share /tmp', () => {
    const one = resolvePaths({ env: {}, uid: 1, home }).runtimeDir;
    const two = resolvePaths({ env: {}, uid: 2, home }).runtimeDir;
    expect(one).not.toBe(two);
  });

  it('does not look at the process environment', () => {
    const before = resolvePaths({ env: {}, uid: 1, home });
    const kept = process.env['XDG_STATE_HOME'];
    process.env['XDG_STATE_HOME'] = '/elsewhere';
    try {
      expect(resolvePaths({ env: {}, uid: 1, home })).toEqual(before);
    } finally {
      if (kept === undefined) delete process.env['XDG_STATE_HOME'];
      else process.env['XDG_STATE_HOME'] = kept;
    }
  });
});
