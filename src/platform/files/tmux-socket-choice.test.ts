import { describe, expect, it } from 'vitest';
import { mainSockets } from './tmux-socket-choice.ts';

const choice = (env: Record<string, string>, ...named: readonly string[]) =>
  mainSockets({ named, env, uid: 1000 });

describe('the tmux servers that are meant', () => {
  const usual = '/tmp/tmux-1000/default';

  it('are tmux’s default one where nothing was said', () => {
    expect(choice({})).toEqual([usual]);
    expect(choice({ TMUX_TMPDIR: '/run/me' })).toEqual(['/run/me/tmux-1000/default']);
  });

  it('are the default one also where the first command ran inside another one', () => {
    expect(choice({ TMUX: '/tmp/tmux-1000/outer,12,0' })).toEqual(['/tmp/tmux-1000/outer', usual]);
  });

  it('are only those that were named, by option before path before name', () => {
    const env = {
      TMUX: '/tmp/tmux-1000/outer,12,0',
      AGTMUX_TMUX_SOCKET_NAME: 'work',
      AGTMUX_TMUX_SOCKET_PATH: '/tmp/mine',
    };
    expect(choice(env, '/tmp/a', '/tmp/b')).toEqual(['/tmp/a', '/tmp/b']);
    expect(choice(env)).toEqual(['/tmp/mine']);
    expect(choice({ ...env, AGTMUX_TMUX_SOCKET_PATH: '' })).toEqual(['/tmp/tmux-1000/work']);
  });
});
