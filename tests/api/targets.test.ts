// Targets through the door: added, connected, listed with their health, renamed, removed.

import { describe, expect, it } from 'vitest';
import { T0 } from '../scenario.ts';
import { Inside } from './fixture.ts';

const down = { health: 'down', detail: 'the host does not answer', lastSeenAtMs: null } as const;

describe('a target', () => {
  it('that is added is watched, and listed with its health and why', async () => {
    const inside = await new Inside().serve();
    const client = await inside.connect();
    const added = await client.call('add_target', { name: 'vm1', kind: 'ssh' });
    expect(added).toMatchObject({ target: 'vm1', connection_ref: 'vm1', health: 'degraded' });
    expect(inside.targetWatches).toMatchObject([{ target: { name: 'vm1' } }]);
    inside.targetWatches[0]?.is(down);
    const { targets } = await client.call('list_targets', {});
    expect(targets).toMatchObject([
      { name: 'local', kind: 'local', health: 'ok', detail: null },
      { name: 'vm1', health: 'down', detail: 'the host does not answer', last_seen_at: null },
    ]);
  });

  it('that is down makes a listing partial, and says so', async () => {
    const inside = await new Inside().serve();
    const client = await inside.connect();
    await client.call('add_target', { name: 'vm1', kind: 'ssh', connection_ref: 'me@vm1' });
    expect(await client.call('list_panes', {})).toMatchObject({
      partial: true,
      responded_targets: ['local'],
      target_errors: [{ target: 'vm1', message: 'vm1 has not answered yet: connecting' }],
    });
    await client.call('connect_target', { name: 'vm1' });
    expect(await client.call('list_panes', {})).toMatchObject({
      partial: false,
      requested_targets: ['local', 'vm1'],
      responded_targets: ['local', 'vm1'],
      target_errors: [],
    });
    inside.targetWatches[0]?.is(down);
    // Its own watch may be a new one that has had no answer yet.
    const { targets } = await client.call('list_targets', {});
    expect(targets[1]?.last_seen_at).toBe(new Date(T0).toISOString());
    expect(await client.call('list_panes', {})).toMatchObject({
      partial: true,
      requested_targets: ['local', 'vm1'],
      responded_targets: ['local'],
      target_errors: [{ target: 'vm1', code: 'target_unreachable' }],
    });
  });

  it('is tried at once by connect, which answers how it is then', async () => {
    const inside = await new Inside().serve();
    const client = await inside.connect();
    await client.call('add_target', { name: 'vm1', kind: 'ssh' });
    expect(await client.call('connect_target', { name: 'vm1' })).toMatchObject({ health: 'ok' });
    await expect(client.call('connect_target', { name: 'vm2' })).rejects.toMatchObject({
      code: 'E_TARGET_UNKNOWN',
    });
  });

  it('that is removed is no longer watched and not listed', async () => {
    const inside = await new Inside().serve();
    const client = await inside.connect();
    await client.call('add_target', { name: 'vm1', kind: 'ssh' });
    await client.call('remove_target', { name: 'vm1' });
    expect(inside.targetWatches).toMatchObject([{ isClosed: true }]);
    expect((await client.call('list_targets', {})).targets).toHaveLength(1);
    await expect(client.call('remove_target', { name: 'local' })).rejects.toMatchObject({
      code: 'E_PRECONDITION_FAILED',
      hint: expect.stringContaining('agtmux daemon stop'),
    });
  });

  it('has a name of its own; this machine is there always, as local', async () => {
    const inside = await new Inside().serve();
    const client = await inside.connect();
    await client.call('add_target', { name: 'vm1', kind: 'ssh' });
    const mine = await client.call('add_target', { name: 'local', kind: 'local' });
    expect(mine).toMatchObject({ target: 'local', kind: 'local', health: 'ok' });
    for (const [name, kind] of [
      ['vm1', 'ssh'],
      ['vm1', 'local'],
      ['local', 'ssh'],
      ['host', 'local'],
    ] as const) {
      const again = client.call('add_target', { name, kind });
      await expect(again).rejects.toMatchObject({ code: 'E_TARGET_EXISTS' });
    }
  });

  it.each(['-oProxyCommand=x', 'a b', 'a\nb', '', 'me@vm1:22', '127.0.0.1:9'])(
    'is not reached by %j',
    async (host) => {
      const client = await (await new Inside().serve()).connect();
      const input = { name: 'vm1', kind: 'ssh', connection_ref: host } as const;
      await expect(client.call('add_target', input)).rejects.toMatchObject({
        code: 'E_INPUT_INVALID',
      });
    },
  );

  it.each(['ssh://me:hunter2@vm1', 'me:hunter2@vm1', 'ssh://me:hunt@er2@vm1:22', 'ssh://:x@vm1'])(
    'is not added with the password in %s, and the refusal does not repeat it',
    async (host) => {
      const client = await (await new Inside().serve()).connect();
      const input = { name: 'vm1', kind: 'ssh', connection_ref: host } as const;
      const error = await client.call('add_target', input).catch((caught: unknown) => caught);
      expect(error).toMatchObject({ code: 'E_INPUT_INVALID' });
      expect((error as Error).message).toMatch(/must hold no password/);
      expect((error as Error).message).not.toContain('hunt');
    },
  );

  it.each(['ssh://me@vm1:22', 'me@[::1]', 'ssh://vm1:22'])('may be reached by %s', async (host) => {
    const client = await (await new Inside().serve()).connect();
    const input = { name: 'vm1', kind: 'ssh', connection_ref: host } as const;
    expect(await client.call('add_target', input)).toMatchObject({ connection_ref: host });
  });

  it.each(['-x', 'a/b', 'a+b', '..', ''])('is not called %j', async (name) => {
    const client = await (await new Inside().serve()).connect();
    const adding = client.call('add_target', { name, kind: 'ssh' });
    await expect(adding).rejects.toMatchObject({ code: 'E_INPUT_INVALID' });
  });
});
