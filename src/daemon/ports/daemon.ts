// The port of the daemon itself: who it is, its metrics, its alerts, and its end.

import { keysWaiting, withoutSecrets } from '../../config/config-keys.ts';
import type { DaemonPort } from '../../operations/ports/ports.ts';
import { packageVersion } from '../../platform/version.ts';
import { type DaemonInfo, PROTOCOL_VERSION } from '../../schema/api/health.ts';
import type { DaemonCore } from '../daemon-core.ts';

export interface DaemonPortParts {
  readonly core: DaemonCore;
  /** Names this life of the daemon. */
  readonly nonce: string;
  readonly servers: () => DaemonInfo['servers'];
  readonly metrics: () => string;
  readonly stop: (reason: string) => void;
}

export function daemonPort(parts: DaemonPortParts): DaemonPort {
  const { core, nonce, servers, metrics, stop } = parts;
  const { alerts, place, startedAtMs } = core;
  const version = packageVersion();
  return {
    info: () => ({
      protocol: PROTOCOL_VERSION,
      version,
      pid: process.pid,
      nonce,
      started_at: new Date(startedAtMs).toISOString(),
      socket: place.socketPath,
      database: place.paths.databaseFile,
      log_file: place.logFile,
      servers: servers(),
    }),
    config: () => ({
      in_force: withoutSecrets(core.config),
      waiting: keysWaiting(core.config, core.configFile.config).map(
        ({ section, key }) => `${section}.${key}`,
      ),
    }),
    metrics,
    stop,
    alerts: (query) => alerts.list(query),
    acknowledgeAlert: (alertId) => alerts.acknowledge(alertId),
    resolveAlert: (alertId) => alerts.resolve(alertId),
  };
}
