// `agtmux target` and the listings of several targets, on the command line.

import { describe, expect, test } from 'vitest';
import { eventually } from '../live/tmux-server.ts';
import { isSshdMissing } from '../ssh/sshd.ts';
import { Fleet, REACH_MS } from './fleet.ts';

const LONG_MS = 180_000;

describe.skipIf(isSshdMissing)('agtmux target', () => {
  test(
    'adds, connects, lists and removes, in words and as JSON',
    async () => {
      await using fleet = await Fleet.start({ vm1: {} });
      const agtmux = (...args: readonly string[]) => fleet.live.cli('target', ...args);
      const refusal = (code: number, err: string) => ({
        code,
        out: '',
        err: expect.stringContaining(err),
      });

      const added = await agtmux('add', 'build', '--kind', 'ssh', '--ssh-target', 'vm1');
      expect(added).toEqual({
        code: 0,
        out: 'build is watched by ssh vm1, and connected\n',
        err: '',
      });
      const taken = await agtmux('add', 'build', '--ssh-target', 'other');
      expect(taken).toEqual(refusal(75, 'E_TARGET_EXISTS: target build exists already'));
      for (const host of ['-oProxyCommand=x', '$(x)', 'a b', '']) {
        const bad = await agtmux('add', 'bad', `--ssh-target=${host}`);
        expect({ host, ...bad }).toMatchObject({ host, ...refusal(64, 'E_INPUT_INVALID') });
      }
      expect(await agtmux('add', '--', '-x')).toEqual(refusal(64, 'E_INPUT_INVALID'));
      expect(await agtmux('add', 'here', '--kind', 'local')).toEqual(refusal(75, 'as local'));

      expect(await agtmux('connect', 'build')).toEqual({ code: 0, out: 'build: ok\n', err: '' });
      expect(await agtmux('connect', 'nobody')).toEqual(refusal(66, 'E_TARGET_UNKNOWN'));
      const connected = await agtmux('connect', 'build', '--json');
      expect(JSON.parse(connected.out)).toMatchObject({ target: 'build', health: 'ok' });

      const { out: table } = await agtmux('list');
      expect(table).toMatch(/^TARGET +KIND +HEALTH +ANSWERED +HOST/);
      expect(table).toMatch(/^build +ssh +ok +\d+s ago +vm1/m);
      const { targets } = JSON.parse((await agtmux('list', '--json')).out);
      expect(targets.map(({ name }: { name: string }) => name)).toEqual(['local', 'vm1', 'build']);
      expect(targets.map(({ name }: { name: string }) => name)).not.toContain('bad');

      expect(await agtmux('remove', 'build')).toEqual(refusal(64, '--yes'));
      expect(await agtmux('remove', 'local', '--yes')).toEqual(refusal(75, 'always watched'));
      const removed = await agtmux('remove', 'build', '--yes');
      expect(removed).toEqual({ code: 0, out: 'build is no longer watched\n', err: '' });
      expect(await agtmux('remove', 'build', '--yes')).toEqual(refusal(66, 'E_TARGET_UNKNOWN'));
      await fleet.homeNeverStalled();
    },
    LONG_MS,
  );

  test(
    'is what listings show, filter by and group by',
    async () => {
      await using fleet = await Fleet.start({ vm1: {}, vm2: {} });
      for (const name of ['vm1', 'vm2']) await fleet.shows(name, 'running');
      const agtmux = fleet.live.cli.bind(fleet.live);
      const json = async (...args: readonly string[]) =>
        JSON.parse((await agtmux(...args, '--json')).out);
      const targetsOf = (items: readonly { identity: { target: string } }[]): readonly string[] =>
        items.map(({ identity }) => identity.target).sort();

      const all = ['local', 'vm1', 'vm2'];
      expect(targetsOf((await json('list', 'panes')).panes)).toEqual(all);
      expect(targetsOf((await json('list', 'windows')).windows)).toEqual(all);
      const { sessions } = await json('list', 'sessions');
      // Two of them have the same name: each stands for itself.
      expect(targetsOf(sessions)).toEqual(all);
      const { sessions: merged } = await json('list', 'sessions', '--group-by', 'session-name');
      expect(merged).toHaveLength(2);
      expect((await json('list', 'panes')).summary.by_target).toMatchObject({ vm1: { agents: 1 } });

      const { out: table } = await agtmux('list', 'panes');
      expect(table).toMatch(/^.*running .* vm1\/work:0\.0 +vm1 /m);
      expect(table).toMatch(/ home:0\.0 +local /);
      const watched = await agtmux('watch', '--once', '--format', 'jsonl', '--target', 'vm2');
      const events = watched.out.trimEnd().split('\n');
      expect(events.map((line) => JSON.parse(line).identity.target)).toEqual(['vm2']);

      for (const scope of ['panes', 'windows', 'sessions']) {
        const one = await json('list', scope, '--target', 'vm1');
        expect(targetsOf(one[scope])).toEqual(['vm1']);
        expect(one).toMatchObject({ requested_targets: ['vm1'], responded_targets: ['vm1'] });
        const none = await agtmux('list', scope, '--target', 'nobody');
        expect(none).toMatchObject({ code: 66, out: '' });
        expect(none.err).toContain('E_TARGET_UNKNOWN: target nobody does not exist');
        const stream = ['watch', '--once', '--scope', scope, '--target', 'nobody', '--format'];
        expect(await agtmux(...stream, 'jsonl')).toMatchObject({ code: 66 });
        expect(await agtmux(...stream, 'table')).toMatchObject({ code: 66 });
      }
      const ref = (await fleet.row('vm1'))?.ref ?? '';
      expect(ref).toMatch(/^pane:vm1\//);
      expect((await json('explain', ref)).pane).toMatchObject({ target: 'vm1', state: 'running' });
      const screen = await eventually(
        () => fleet.client.call('preview', { ref }).catch(() => null),
        'its screen can be looked at',
        REACH_MS,
      );
      expect(JSON.stringify(screen)).toContain('esc to interrupt');
      expect(
        await agtmux('emit', `--pane=${ref}`, '--agent=claude', '--type=waiting_input'),
      ).toEqual({ code: 0, out: expect.any(String), err: '' });
      await fleet.until('vm1', 'waiting_input');
      await fleet.homeNeverStalled();
    },
    LONG_MS,
  );
});
