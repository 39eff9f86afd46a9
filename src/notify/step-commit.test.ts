// What of many decisions a notification lists.

import { expect, it } from 'vitest';
import type { Episode } from '../schema/notify/episode.ts';
import type { NotifyKind } from '../schema/notify/notify-kind.ts';
import { emptyNotifyMemory } from '../schema/notify/user-notification.ts';
import { emptyPolicy } from './policy/policy.ts';
import { commitOf } from './step-commit.ts';

function itemsOf(kinds: readonly NotifyKind[]) {
  const subject = { agent: 'claude', target: 'local', sessions: ['work'], isSubagent: false };
  const decisions = kinds.map((kind, index) => {
    const episode = { episodeId: `e${index}`, paneKey: `p${index}`, kind, subject, sinceMs: 0 };
    const reason = 'digest' as const;
    return { episode: episode as unknown as Episode, reason, notificationId: 'n1' };
  });
  const commit = commitOf(
    { policy: emptyPolicy, memory: emptyNotifyMemory },
    { state: { ...emptyPolicy, sentCount: 1 }, decisions, dueMs: null },
    { nowMs: 1, isOn: true, contentOf: () => null },
  );
  return commit?.notifications[0];
}

it('a digest of thousands lists one of each kind, for channels of that kind alone', () => {
  const many = Array.from({ length: 5_000 }, () => 'completion' as const);
  const digest = itemsOf([...many, 'approval', 'error', 'approval']);
  expect(digest?.items).toHaveLength(20);
  expect(digest?.moreCount).toBe(4_983);
  expect(new Set(digest?.items.map(({ kind }) => kind))).toEqual(
    new Set(['completion', 'approval', 'error']),
  );
});

it('a digest that has room for all lists them in their order', () => {
  const kinds = ['completion', 'completion', 'approval'] as const;
  expect(itemsOf(kinds)?.items.map(({ kind }) => kind)).toEqual(kinds);
});
