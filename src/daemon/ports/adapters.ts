// The port of adapters: the agents that are recognised, and their switches.

import { adapterList } from '../../operations/health.ts';
import type { AdaptersPort } from '../../operations/ports/ports.ts';
import type { DaemonCore } from '../daemon-core.ts';

export function adaptersPort({ adapters, nowMs }: DaemonCore): AdaptersPort {
  const list = () => adapterList(adapters.registry, nowMs());
  return {
    list,
    setEnabled: (agent, enabled) => {
      adapters.setEnabled(agent, enabled);
      return list();
    },
  };
}
