// The whole check-up: reads this machine, takes what the daemon reports, and judges both. The
// daemon runs it for its callers; `agtmux doctor` runs it by itself where no daemon answers.

import type { Checkup, DaemonReport, DoctorInput } from '../schema/api/doctor.ts';
import { type GatherOptions, gatherDaemon, gatherMachine } from './gather.ts';
import { hasFindings, judge } from './judge.ts';

export interface Examination extends Omit<GatherOptions, 'asksServers'> {
  /** Null: no daemon answers. */
  readonly report: DaemonReport | null;
  /** Why it does not report, where one answers. */
  readonly daemonProblem?: string;
  readonly caller: DoctorInput;
  /** Of the code that runs. */
  readonly version: string;
  readonly nowMs: number;
}

export async function examine(options: Examination): Promise<Checkup> {
  const { report, caller, paths, nowMs, version } = options;
  const daemon = report && gatherDaemon(report, paths.stateDir, nowMs);
  const checks = judge({
    ourVersion: caller.version ?? version,
    machine: await gatherMachine({ ...options, asksServers: daemon === null }),
    terminal: caller.terminal ?? null,
    daemon,
    daemonProblem: options.daemonProblem ?? '',
    nowMs,
  });
  return {
    schema_version: 1,
    generated_at: new Date(nowMs).toISOString(),
    healthy: !hasFindings(checks),
    checks: [...checks],
    cost: daemon?.cost ?? null,
  };
}
