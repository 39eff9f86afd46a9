// Which silent channels deserve an alert: those by which a live agent is observed. When all of
// them have ended, silence is expected.

import type { World } from '../../core/world.ts';
import type { ChannelName } from '../../schema/ids.ts';
import type { AppliedBatch } from '../engine/engine.ts';
import type { AlertSignal } from './alert-rules.ts';

/** Signals for the channels that a batch changed; `world` is the one after the batch. */
export function channelSignals(
  world: World,
  { changes }: Pick<AppliedBatch, 'changes'>,
): readonly AlertSignal[] {
  const channels = new Set(
    changes.flatMap((each) => (each.kind === 'channel' ? each.channel : [])),
  );
  // A runtime that ends or starts changes which channels are used.
  if (changes.some(({ kind }) => kind === 'runtime')) {
    const silent = [...world.channels].filter(([, { status }]) => status !== 'fresh');
    for (const [channel] of silent) channels.add(channel);
  }
  if (channels.size === 0) return [];
  const used = usedChannels(world);
  return [...channels].map((channel) => ({
    kind: 'channel',
    channel,
    status: used.has(channel) ? (world.channels.get(channel)?.status ?? 'fresh') : 'unused',
  }));
}

function usedChannels(world: World): ReadonlySet<ChannelName> {
  const used = new Set<ChannelName>();
  for (const { endedAtMs, sources } of world.runtimes.values()) {
    if (endedAtMs !== null) continue;
    for (const { channel } of sources.values()) used.add(channel);
  }
  return used;
}
