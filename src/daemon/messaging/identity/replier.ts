// Who wrote a reply that came through a spool: the agent or the member whose process ran the
// emitter. Without the processes nobody is believed, whatever pane the environment names.

import { liveRuntime, type World } from '../../../core/world.ts';
import type { PaneKey, PartyId } from '../../../schema/ids.ts';
import type { ProvenCaller } from '../../../schema/relay/message.ts';
import type { SpoolReply } from '../../../sources/spool/spool-reply.ts';

export function replierOf(
  world: World,
  { targetId, pids }: Pick<SpoolReply, 'targetId' | 'pids'>,
  memberOfPane: (paneKey: PaneKey) => PartyId | null,
): Exclude<ProvenCaller, { kind: 'person' }> | null {
  const panes = [...world.panes.values()].filter(
    (pane) => pane.targetId === targetId && pane.goneAtMs === null,
  );
  for (const pid of pids) {
    const ofAgent = panes.find(({ runtimeId }) => liveRuntime(world, runtimeId)?.pid === pid);
    if (ofAgent?.runtimeId) return { kind: 'agent', runtimeId: ofAgent.runtimeId };
    const ofPane = panes.find(({ facts }) => facts?.birth.pid === pid);
    const member = ofPane && memberOfPane(ofPane.paneKey);
    if (member) return { kind: 'member', member };
  }
  return null;
}
