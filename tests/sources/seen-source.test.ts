// Which panes a person has looked at.

import { describe, expect, it } from 'vitest';
import { SeenPanes } from '../../src/sources/panes/seen-source.ts';
import type { ListedClient } from '../../src/tmux/listing.ts';

const T0 = 1_000_000;

const client = (paneId: string, control = false): ListedClient => ({
  name: '/dev/pts/9',
  pid: 9,
  control,
  sessionId: '$1',
  windowId: '@1',
  paneId,
});

describe('panes that are shown', () => {
  it('are seen after two seconds', () => {
    const seen = new SeenPanes();
    expect(seen.shown([client('%1')], T0)).toEqual([]);
    expect(seen.shown([client('%1')], T0 + 1_999)).toEqual([]);
    expect(seen.shown([client('%1')], T0 + 2_000)).toEqual(['%1']);
    expect(seen.shown([client('%1')], T0 + 3_000)).toEqual(['%1']);
  });

  it('are not seen by passing by: the time counts anew', () => {
    const seen = new SeenPanes();
    seen.shown([client('%1')], T0);
    expect(seen.shown([client('%2')], T0 + 1_500)).toEqual([]);
    expect(seen.shown([client('%1')], T0 + 2_500)).toEqual([]);
    expect(seen.shown([client('%1')], T0 + 4_500)).toEqual(['%1']);
  });

  it('are not seen by a control client, ours or another', () => {
    const seen = new SeenPanes();
    seen.shown([client('%1', true)], T0);
    expect(seen.shown([client('%1', true)], T0 + 60_000)).toEqual([]);
  });

  it('are seen by each of several people', () => {
    const seen = new SeenPanes();
    const both = [client('%1'), client('%2'), client('%1')];
    seen.shown(both, T0);
    expect(seen.shown(both, T0 + 2_000)).toEqual(['%1', '%2']);
  });
});
