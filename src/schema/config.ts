// Every constant of the engine in one place, with its default and its reason. The daemon reads them
// from config.toml and hands them to the world in `daemon.started`, so that replay uses the same.

import { z } from 'zod';

const ms = (defaultMs: number) => z.number().int().positive().default(defaultMs);

export const engineConfigSchema = z.object({
  /** A level claim not read again for so long falls; an edge claim of a dead channel too. */
  staleSignalMs: ms(30_000),
  /** Evidence may precede the start that we know of its runtime by so much (clocks, polling). */
  bindWindowMs: ms(5_000),
  /** Evidence that found no runtime waits so long before it is dropped. */
  pendingBindMs: ms(30_000),
  /** An action must start within this time of the snapshot it was asked on. */
  actionSnapshotMs: ms(30_000),
  /** `completed` is news for so long, then it is `idle`. */
  completedMs: ms(120_000),
  /** A gone pane is remembered so long, so that late evidence cannot bind to its successor. */
  tombstoneMs: ms(120_000),
  /** A channel is fresh so long after a beat, and down after `channelDownMs`. */
  channelFreshMs: ms(3_000),
  channelDownMs: ms(15_000),
  /** A better level source that still says otherwise this long after a claim ends it. */
  settleMs: ms(1_000),
  /** A worse level source that still says otherwise this long after an event ends it too. */
  settleWorseMs: ms(5_000),
  /** The same for a screen, against a source that could have told the end, while nothing moves. */
  settleScreenMs: ms(15_000),
  /** How long an event source that would have told a completion is given to tell it. */
  restSilenceMs: ms(500),
  /** After a start, rows wait so long for the process and one level source. */
  reconfirmMs: ms(2_000),
  /** Event times further than this from ingestion are not believed. */
  clockSkewMs: ms(10_000),
  /** Running with no sign of work for so long asks for attention. */
  stuckMs: ms(600_000),
  /** How long claims with no anchored rule behind them must hold. */
  unanchoredIdleMs: ms(4_000),
  unanchoredPromoteMs: ms(8_000),
  unanchoredDemoteMs: ms(45_000),
  pollIntervalMs: ms(1_000),
});
export type EngineConfig = z.infer<typeof engineConfigSchema>;

export const defaultEngineConfig: EngineConfig = engineConfigSchema.parse({});
