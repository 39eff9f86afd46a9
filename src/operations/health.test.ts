// How adapters go on the wire. The other operations are tested over a socket, in tests/api.

import { expect, test } from 'vitest';
import { adapterList, sourceHealthItems } from './health.ts';

const adapter = {
  agent: 'claude',
  title: 'Claude Code',
  contractVersion: '1',
  health: { status: 'ok' },
  capabilities: {
    eventDriven: true,
    pollingRequired: false,
    supportsWaitingApproval: true,
    supportsWaitingInput: false,
    supportsCompleted: true,
  },
  sources: [{ name: 'claude-hooks' }, { name: 'screen' }],
  screen: { rules: [{}, {}] },
} as const;

test('an adapter is shown with its capabilities, and one that is off with its reason', () => {
  const off = { ...adapter, health: { status: 'disabled', reason: 'by_user' } } as const;
  const problems = [{ file: 'x.toml', problem: 'is broken' }];
  const list = adapterList({ adapters: [adapter, off], problems }, 0);
  expect(list).toMatchObject({ generated_at: '1970-01-01T00:00:00.000Z', problems });
  expect(list.adapters[0]).toEqual({
    agent: 'claude',
    title: 'Claude Code',
    contract_version: '1',
    enabled: true,
    health: 'ok',
    capabilities: {
      event_driven: true,
      polling_required: false,
      supports_waiting_approval: true,
      supports_waiting_input: false,
      supports_completed: true,
    },
    sources: ['claude-hooks', 'screen'],
    rules: 2,
  });
  expect(list.adapters[1]).toMatchObject({ enabled: false, health: 'by_user' });
});

test('a private server that ended with its bundle is no source that is down', () => {
  const [ended, lost] = ['tmux@local:/t/agtmux-review', 'tmux@local:/t/default'];
  const down = { status: 'down' as const, sinceMs: 0 };
  const panes = {
    sightings: () => ({ beatAtMs: new Map() }),
    world: () => ({
      channels: new Map([
        [ended, down],
        [lost, down],
      ]),
    }),
  };
  const bundle = { name: 'review', server: 'private' };
  const channelsWhere = (isWanted: boolean) => {
    const teams = {
      team: () => ({ bundles: new Map([['review', bundle]]) }),
      isWanted: () => isWanted,
      serverOf: () => ({ targetId: 'local', server: '/t/agtmux-review' }),
    };
    const ports = { panes, teams } as unknown as Parameters<typeof sourceHealthItems>[0];
    return sourceHealthItems(ports).map(({ channel }) => channel);
  };
  expect(channelsWhere(false)).toEqual([lost]);
  expect(channelsWhere(true)).toEqual([ended, lost]);
});
