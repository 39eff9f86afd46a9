// The live screen of a pane over the socket: what is kept of it, and when it is refused.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { coloursOnly } from '../../src/operations/preview.ts';
import { previewSchema } from '../../src/schema/api/preview.ts';
import { id, paneKeyOf, type TargetId } from '../../src/schema/ids.ts';
import { paneFacts, T0 } from '../scenario.ts';
import { Inside } from './fixture.ts';

const looks = { cols: 80, rows: 2, cursor: { x: 1, y: 0 }, inMode: false };

describe('preview', () => {
  it('returns the screen with colours only, and the life of the pane', async () => {
    const inside = await new Inside().serve();
    const client = await inside.connect();
    const { panes } = await client.call('list_panes', {});
    const [pane] = panes;
    const facts = inside.engine.world.panes.get(pane?.pane_key as never)?.facts;
    const panePid = facts?.birth.pid ?? -1;
    inside.screen = { ...looks, panePid, ansi: '\x1b[31mred\x1b[0m\x1b]52;c;aGk=\x07\nsecond\x07' };
    const preview = await client.call('preview', { ref: pane?.pane_key ?? '' });
    expect(previewSchema.parse(preview)).toEqual(preview);
    expect(preview).toMatchObject({
      lines: ['\x1b[31mred\x1b[0m', 'second'],
      pane_key: pane?.pane_key,
      pane_id: facts?.paneId,
      pane_pid: panePid,
      server_pid: facts?.generation.pid,
      target_kind: 'local',
      columns: 80,
    });
  });

  it('refuses the screen of another life, and a pane that is gone', async () => {
    const inside = await new Inside().serve();
    const client = await inside.connect();
    const { panes } = await client.call('list_panes', {});
    const ref = panes[0]?.pane_key ?? '';
    await expect(client.call('preview', { ref })).rejects.toMatchObject({
      code: 'E_REF_NOT_FOUND',
    });
    inside.screen = { ...looks, panePid: 1, ansi: '' };
    await expect(client.call('preview', { ref })).rejects.toMatchObject({
      code: 'E_RUNTIME_STALE',
    });
  });

  it('says how many of its lines have scrolled off', async () => {
    const inside = await new Inside().serve();
    const client = await inside.connect();
    const [pane] = (await client.call('list_panes', {})).panes;
    const ref = pane?.pane_key ?? '';
    const panePid = inside.engine.world.panes.get(ref as never)?.facts?.birth.pid ?? -1;
    inside.screen = { ...looks, rows: 3, panePid, ansi: 'a\nb\nc\nd\n' };
    const seen = (lines: number) => client.call('preview', { ref, lines });
    expect(await seen(10)).toMatchObject({ lines: ['a', 'b', 'c', 'd'], scrolled: 2 });
    expect(await seen(3)).toMatchObject({ lines: ['b', 'c', 'd'], scrolled: 1 });
    expect(await seen(1)).toMatchObject({ lines: ['d'], scrolled: 0 });
  });

  it.each(['preview', 'locate_pane'] as const)('%s has the guards of an action', async (name) => {
    const inside = await new Inside().serve();
    const client = await inside.connect();
    const [pane] = (await client.call('list_panes', {})).panes;
    const ref = pane?.pane_key ?? '';
    const panePid = inside.engine.world.panes.get(ref as never)?.facts?.birth.pid ?? -1;
    inside.screen = { ...looks, panePid, ansi: 'secret' };
    const look = (guards: object) =>
      client.call(name, { ref, ...guards }).then(
        () => 'shown',
        ({ code }) => code as string,
      );
    const runtime = { if_runtime: pane?.runtime_id ?? '' };
    expect(await look({ ...runtime, if_state: pane?.state })).toBe('shown');
    expect(await look({ if_runtime: 'another', force_stale: true })).toBe('E_RUNTIME_STALE');
    expect(await look({ if_state: 'error' })).toBe('E_PRECONDITION_FAILED');
    inside.nowMs += 60_000;
    expect(await look({ if_updated_within_ms: 1 })).toBe('E_PRECONDITION_FAILED');
    expect(await look({})).toBe('shown');
  });

  it('reports an unknown machine as remote, so that no client jumps there', async () => {
    const facts = paneFacts(0, { targetId: id<TargetId>('vm1') });
    const paneKey = paneKeyOf(facts);
    const inside = await new Inside([{ type: 'pane.appeared', atMs: T0, paneKey, facts }]).serve();
    const client = await inside.connect();
    inside.screen = { ...looks, panePid: facts.birth.pid, ansi: '' };
    const preview = await client.call('preview', { ref: paneKey });
    expect(preview).toMatchObject({ target: 'vm1', target_kind: 'ssh' });
  });

  it('leaves no control and no escape but colours in any line', () => {
    const sequence = fc.constantFrom(
      '\x1b[1;31m',
      '\x1b[2J',
      '\x1b]0;',
      '\x1bP',
      '\x9b31m',
      '\x1b',
    );
    const line = fc.array(fc.oneof(sequence, fc.string({ unit: 'binary' })));
    fc.assert(
      fc.property(line, (parts) => {
        const rest = coloursOnly(parts.join('')).replaceAll(
          new RegExp(`${String.fromCharCode(0x1b)}\\[[0-9;:]*m`, 'g'),
          '',
        );
        expect(rest).not.toMatch(/\p{Cc}/u);
      }),
    );
  });
});
