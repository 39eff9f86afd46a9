// How fresh a channel is: a matter of its heartbeats alone. Heartbeats say that a source could
// speak, never what it would say, so they renew no claim (law 5).

import type { EngineConfig } from '../../schema/config.ts';
import type { ChannelStatus } from '../../schema/state.ts';

/** The status of a channel that last beat at `beatAtMs`. */
export function channelStatus(
  beatAtMs: number,
  nowMs: number,
  config: EngineConfig,
): ChannelStatus {
  const ageMs = nowMs - beatAtMs;
  if (ageMs > config.channelDownMs) return 'down';
  return ageMs > config.channelFreshMs ? 'stale' : 'fresh';
}
