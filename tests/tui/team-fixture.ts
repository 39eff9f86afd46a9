// Messages and teams as the daemon answers with them, for the tests of their pages.

import type { BundleItem, BundleList, TeamMemberItem } from '../../src/schema/relay/bundle-api.ts';
import type {
  Inbox,
  MessageItem,
  PartyItem,
  ReceiptItem,
} from '../../src/schema/relay/message-schemas.ts';
import { NOW } from '../cli/fixture.ts';
import { ago } from './fixture.ts';

export const party = (
  id: string,
  name: string = id.replace(/^\w+:/, ''),
  bundle: string | null = null,
): PartyItem => ({
  ...{ id, name, bundle, ref: null },
  kind: id.startsWith('operator:') ? 'operator' : 'member',
});

export const ada: PartyItem = party('operator:ada');
export const coder: PartyItem = party('member:shop/coder', 'coder', 'shop');
export const tester: PartyItem = party('member:shop/tester', 'tester', 'shop');

export const receipt = (recipient: PartyItem, fields: Partial<ReceiptItem> = {}): ReceiptItem => ({
  ...{ recipient, copy: false, status: 'delivered', code: null, reason: null },
  ...{ reply_channel: null, settled_at: null, read_at: null, replied_at: null },
  ...fields,
});

export const messageItem = (id: string, fields: Partial<MessageItem> = {}): MessageItem => ({
  ...{ message_id: id, thread_id: `t-${id}`, reply_to: null, bundle: null, from: coder },
  ...{ subject: null, body: `the body of ${id}`, attachments: [], created_at: ago(60) },
  ...{ expires_at: ago(-3_600), receipts: [receipt(ada)] },
  ...fields,
});

export const inboxOf = (messages: readonly MessageItem[], me: PartyItem = ada): Inbox => ({
  ...{ schema_version: 1, generated_at: NOW, party: me, unread_count: 0 },
  messages: [...messages],
});

/** A thread with a reply that waits, one that is new, and one between others. */
export const talk: readonly MessageItem[] = [
  messageItem('m1', {
    ...{ thread_id: 'one', subject: 'The parser of dates', created_at: ago(900) },
    body: [
      ...['I have changed src/parser.ts:', '', '\t- dates without a zone are local'],
      ...['\t- 日本語 too', '', 'Please look at it.'],
    ].join('\n'),
    attachments: ['/home/dev/project/notes.md'],
    receipts: [
      receipt(ada, { status: 'replied', read_at: ago(600) }),
      receipt(tester, { status: 'read', copy: true }),
    ],
  }),
  messageItem('m2', {
    ...{ thread_id: 'one', reply_to: 'm1', from: ada, created_at: ago(120) },
    body: 'Good. And leap seconds?',
    receipts: [
      receipt(coder, {
        ...{
          status: 'queued',
          reason: 'it is running; it is typed when the agent rests, at the latest in 2h',
        },
      }),
    ],
  }),
  messageItem('m3', { thread_id: 'two', subject: 'Which database?', created_at: ago(30) }),
  messageItem('m4', {
    ...{ thread_id: 'three', from: tester, created_at: ago(7_200), body: 'All 14 tests pass.' },
    receipts: [
      receipt(coder, { status: 'failed', code: 'expired', reason: 'it never came to rest' }),
    ],
  }),
];

export const member = (id: string, fields: Partial<TeamMemberItem> = {}): TeamMemberItem => ({
  ...{ id, name: null, transport: 'tmux', coder: 'claude', policy: null },
  ...{ directory: '/home/dev/project', state: null, reason_code: null, agent: null },
  ...{ presence: 'absent', restarts: 0, pane_id: null, ref: null },
  ...fields,
});

export const bundleItem = (id: string, fields: Partial<BundleItem> = {}): BundleItem => ({
  ...{ id, file: `/home/dev/${id}.toml`, target: 'local', server: null, autostart: false },
  ...{ groups: [], restart: 'never', state: 'down', startup_health: null },
  ...{ state_reason_code: null, state_reason: null, ready_session_count: 0 },
  ...{ startup_failure_count: 0, recent_startup_failures: [], sessions: [member('coder')] },
  ...fields,
});

export const bundleListOf = (
  bundles: readonly BundleItem[],
  problems: BundleList['problems'] = [],
): BundleList => ({
  ...{ schema_version: 1, generated_at: NOW },
  bundles: [...bundles],
  problems,
});

/** One that is up and lacks a member, one that is down, and a broken file. */
export const teams: BundleList = bundleListOf(
  [
    bundleItem('shop', {
      ...{ state: 'up', startup_health: 'degraded', groups: ['night'], restart: 'on-failure' },
      ...{ state_reason: '1 of 3 members could not be started', ready_session_count: 2 },
      sessions: [
        member('coder', {
          ...{ presence: 'live', state: 'waiting_approval', agent: 'claude', pane_id: '%1' },
          ...{ ref: 'pane:local/work/@0/%1', restarts: 2 },
        }),
        member('reviewer', { presence: 'live', state: 'idle', agent: 'codex', name: '審査' }),
        member('tester', { presence: 'dead', coder: 'pytest' }),
      ],
      recent_startup_failures: [
        {
          ...{ bundle_name: 'shop', session_id: 'tester', transport: 'tmux', timestamp: ago(95) },
          ...{ code: 'runtime_startup_failed', reason: 'its command ended with exit code 127' },
          ...{ sequence: 3, details: { cause: 'sh: 1: pytest: not found' } },
        },
      ],
    }),
    bundleItem('docs', { target: 'vm1' }),
  ],
  [
    {
      ...{ code: 'E_CONFIG_INVALID', file: '/home/dev/odd.toml', line: 3, key: 'sessions.coder' },
      message: 'no coder has this id',
    },
  ],
);
