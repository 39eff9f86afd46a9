// How fresh a channel is, by its heartbeats alone. A heartbeat shows that a source could send
// evidence, not what the evidence would be, so it renews no claim (law 5).

import type { EngineConfig } from '../../schema/config.ts';
import type { ChannelStatus } from '../../schema/state.ts';

/** The status of a channel whose last heartbeat was at `beatAtMs`. */
export function channelStatus(
  beatAtMs: number,
  nowMs: number,
  config: EngineConfig,
): ChannelStatus {
  const ageMs = nowMs - beatAtMs;
  if (ageMs > config.channelDownMs) return 'down';
  return ageMs > config.channelFreshMs ? 'stale' : 'fresh';
}
