// Read-only shares of one agent's screen: made, listed, revoked, and read by the page of the link.
// A share ends with its time, with its agent, and with the token of who made it.

import { createHash } from 'node:crypto';
import { nameToType } from '../../core/view/pane-names.ts';
import { resolveRef } from '../../core/view/resolve-ref.ts';
import { liveRuntime, type PaneRecord, type World } from '../../core/world.ts';
import { id as idOf, type PaneKey } from '../../schema/ids.ts';
import { type Outcome, ok, refuse } from '../../schema/outcome.ts';
import type { ShareItem } from '../../schema/web/share.ts';
import { header } from '../answer/pane-item.ts';
import { isoOf } from '../ports/iso-time.ts';
import { type Operation, operation } from '../ports/operation.ts';
import type { PanesPort } from '../ports/ports.ts';
import type { Share, SharesPort, ShareView } from '../ports/shares-port.ts';
import { sharedRows } from './shared-rows.ts';

const ports = ['panes', 'shares'] as const;
const reading = { scope: 'read', actors: ['user'], ports } as const;
const making = { scope: 'control', actors: ['user'], ports } as const;

const sharePane = operation('share_pane', {
  ...making,
  summary: "Makes a link that shows an agent's screen, read-only, until it expires or ends.",
  run: ({ panes, shares }, { ref, expires_in_ms }, call) => {
    const found = resolveRef(panes.world(), ref, 'act');
    if (!found.ok) return found;
    const pane = found.value;
    const { runtimeId, agent } = pane.row;
    if (!isThere(panes.world(), pane, runtimeId) || runtimeId === null) {
      return refuse('E_PRECONDITION_FAILED', 'no agent is in this pane: a share shows an agent');
    }
    const base = shares.linkBase();
    if (base === null) return refuse('E_WEB_CLOSED', 'no web service is open');
    const place = nameToType(panes.world(), pane);
    const made = shares.create({
      ...{ paneKey: pane.paneKey, runtimeId, place, agent },
      tokenId: call.actor.tokenId ?? null,
      expiresAtMs: call.nowMs() + expires_in_ms,
    });
    if (!made.ok) return made;
    const { share, code } = made.value;
    const item = itemOf(panes.world(), share, true);
    return ok({ ...header(call.nowMs()), share: item, link: `${base}/share/${code}` });
  },
});

const listShares = operation('list_shares', {
  ...reading,
  summary: 'The read-only shares that are open, without their links.',
  run: ({ panes, shares }, _input, call) => ok(listOf(panes, shares, call.nowMs())),
});

const revokeShare = operation('revoke_share', {
  ...making,
  summary: 'Ends a read-only share: its link shows nothing any more.',
  run: ({ panes, shares }, { id }, call) =>
    shares.revoke(id)
      ? ok(listOf(panes, shares, call.nowMs()))
      : refuse('E_SHARE_UNKNOWN', `no share ${id}`),
});

const readShare = operation('read_share', {
  ...reading,
  summary: 'The screen that a read-only share shows, with what looks like a secret hidden.',
  // A person waits for it.
  deadlineMs: 10_000,
  run: async ({ panes, shares }, { code, version }, call) => {
    const share = shares.find(code);
    if (share === null) return refuse('E_SHARE_UNKNOWN', 'no share has this code');
    if (sharedPane(panes.world(), share) === null) return ended();
    const view = await shares.view(share, (signal) => readView(panes, share, signal));
    if (!view.ok) return view;
    // It may have ended, or been revoked, meanwhile: nobody is shown what came after.
    if (shares.find(code) === null) return refuse('E_SHARE_UNKNOWN', 'no share has this code');
    const pane = sharedPane(panes.world(), share);
    if (pane === null) return ended();
    const { lines, columns } = view.value;
    return ok({
      ...header(call.nowMs()),
      agent: pane.row.agent,
      state: pane.row.state,
      expires_at: isoOf(share.expiresAtMs),
      columns,
      version: view.value.version,
      lines: version === view.value.version ? null : [...lines],
    });
  },
});

export const shareOperations: readonly Operation[] = [
  sharePane,
  listShares,
  revokeShare,
  readShare,
];

const ended = () => refuse('E_SHARE_ENDED', 'the agent of this share has ended');

async function readView(
  panes: PanesPort,
  share: Share,
  signal: AbortSignal,
): Promise<Outcome<ShareView>> {
  const pane = sharedPane(panes.world(), share);
  if (pane === null) return ended();
  const screen = await panes.capture(pane, signal);
  if (screen === null || screen.panePid !== pane.facts?.birth.pid) return ended();
  const lines = sharedRows(screen);
  const text = JSON.stringify([screen.cols, lines]);
  const version = createHash('sha256').update(text).digest('base64url').slice(0, 22);
  return ok({ columns: screen.cols, lines, version });
}

/** Null when the agent is gone: what is in its pane by now was never shared. */
function sharedPane(world: World, { paneKey, runtimeId }: Share): PaneRecord | null {
  const pane = world.panes.get(idOf<PaneKey>(paneKey));
  return pane && isThere(world, pane, runtimeId) ? pane : null;
}

const isThere = (world: World, pane: PaneRecord, runtimeId: string | null): boolean =>
  runtimeId !== null &&
  pane.goneAtMs === null &&
  pane.facts !== null &&
  pane.row.presence === 'managed' &&
  pane.row.runtimeId === runtimeId &&
  liveRuntime(world, pane.row.runtimeId) !== null;

const listOf = (panes: PanesPort, shares: SharesPort, nowMs: number) => ({
  ...header(nowMs),
  shares: shares.list().map((each) => itemOf(panes.world(), each, shares.linkBase() !== null)),
});

const itemOf = (world: World, share: Share, isOpen: boolean): ShareItem => ({
  id: share.id,
  pane_key: share.paneKey,
  ref: share.place,
  agent: share.agent,
  created_at: isoOf(share.createdAtMs),
  expires_at: isoOf(share.expiresAtMs),
  status: sharedPane(world, share) === null ? 'ended' : isOpen ? 'live' : 'closed',
  viewed_at: share.viewedAtMs === null ? null : isoOf(share.viewedAtMs),
});
