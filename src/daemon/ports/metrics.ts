// The counters of the daemon over its readings of now; what they are is health/daemon-metrics.ts.

import type { DaemonCore } from '../daemon-core.ts';
import { DaemonMetrics, type MetricReaders } from '../health/daemon-metrics.ts';

export const openMetrics = (
  core: DaemonCore,
  readers: Omit<MetricReaders, 'panes' | 'channels'>,
): DaemonMetrics =>
  new DaemonMetrics(
    {
      ...readers,
      panes: () => [...core.shownWorld().panes.values()].map(({ row }) => row),
      channels: () =>
        [...core.engine.world.channels].map(([channel, { status }]) => ({ channel, status })),
    },
    core.health,
  );
