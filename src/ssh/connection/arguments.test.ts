import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import {
  channelArguments,
  checkDestination,
  loginEnvironment,
  masterArguments,
} from './arguments.ts';

const isSshMissing = spawnSync('ssh', ['-V']).error !== undefined;

const address = {
  destination: 'vm1',
  controlPath: '/run/100%/c',
  extraArguments: ['-F', 'mine'],
} as const;

describe('the arguments of ssh', () => {
  it("log in with the user's configuration and without a prompt", () => {
    const args = masterArguments(address);
    expect(args.slice(0, 2)).toEqual(['-F', 'mine']);
    expect(args.slice(-2)).toEqual(['--', 'vm1']);
    for (const option of [
      'BatchMode=yes',
      'ControlMaster=yes',
      'ControlPersist=no',
      'ClearAllForwardings=yes',
      'ControlPath="/run/100%%/c"',
    ]) {
      expect(args).toContain(option);
    }
    // Whom to trust is for the user to say.
    expect(args.join(' ')).not.toContain('HostKey');
  });

  it('open channels without a configuration and without a way to log in', () => {
    const args = channelArguments(address);
    expect(args.slice(0, 2)).toEqual(['-F', '/dev/null']);
    expect(args).toContain('ControlMaster=no');
    expect(args).toContain('ProxyCommand=false');
    expect(args.slice(-3)).toEqual(['--', 'vm1', 'exec /bin/sh']);
    expect(args).not.toContain('mine');
  });

  it.skipIf(isSshMissing)('has a socket in any folder, by the word of ssh itself', () => {
    const controlPath = '/run/it\'s "100%" \\o/c';
    for (const argumentsOf of [masterArguments, channelArguments]) {
      const args = argumentsOf({ ...address, controlPath, extraArguments: ['-F', '/dev/null'] });
      const read = spawnSync('ssh', ['-G', ...args], { encoding: 'utf8' });
      expect(read.stdout.split('\n')).toContain(`controlpath ${controlPath}`);
    }
  });

  it('open no window for a password', () => {
    expect(loginEnvironment({ PATH: '/bin', DISPLAY: ':0', SSH_ASKPASS: 'x' })).toEqual({
      PATH: '/bin',
      SSH_ASKPASS_REQUIRE: 'never',
    });
  });

  it.each(['vm1', 'me@vm1.example.org', 'ssh://me@[::1]:2222', 'DOM+me@h', 'a_b-c'])(
    'takes the destination %s',
    (destination) => expect(() => checkDestination(destination)).not.toThrow(),
  );

  it.each(['-oProxyCommand=x', '', 'a b', 'a;b', '`x`', 'x'.repeat(300)])(
    'refuses the destination %j',
    (destination) => expect(() => checkDestination(destination)).toThrow('destination'),
  );
});
