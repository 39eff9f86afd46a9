// What works, what is missing and what watching costs. The checks are doctor/, behind the port.

import { ok } from '../schema/outcome.ts';
import { sourceHealthItems } from './health.ts';
import { type Operation, operation } from './ports/operation.ts';
import { targetItems } from './targets.ts';

export const doctorOperations: readonly Operation[] = [
  operation('doctor', {
    summary: 'What works, what is missing, how to fix it, and what watching costs.',
    scope: 'read',
    actors: ['user'],
    deadlineMs: 15_000,
    ports: ['panes', 'teams', 'targets', 'adapters', 'daemon', 'doctor'],
    run: async (ports, input, call) => {
      const { adapters, daemon, doctor } = ports;
      const report = {
        info: daemon.info(),
        sources: sourceHealthItems(ports),
        adapters: adapters.list(),
        alerts: daemon.alerts({ includeResolved: false }),
        targets: targetItems(ports),
        metrics: daemon.metrics(),
      };
      return ok(await doctor.examine(report, input, call.nowMs()));
    },
  }),
];
