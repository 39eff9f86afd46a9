// `agtmux doctor`: what works, what is missing, how to fix it, and what watching costs right now.
// Asks the daemon if one answers and starts none; else the same checks (src/doctor/) load here.

import { packageFile } from '../../../platform/package-files.ts';
import { packageVersion } from '../../../platform/version.ts';
import { renderChecks } from '../../../render/checks.ts';
import type { Checkup, DoctorInput } from '../../../schema/api/doctor.ts';
import { callView, isUtf8 } from '../../call-view.ts';
import { type Call, type CommandSpec, isSet } from '../../command.ts';
import { findDaemon, pathsOf, socketPathOf } from '../../daemon-link.ts';
import { EXIT_DEGRADED } from '../../exit-codes.ts';
import { printJson } from '../../output/print.ts';

const DOCTOR_TIMEOUT_MS = 15_000;

export const doctorCommand: CommandSpec = {
  name: 'doctor',
  summary: 'what works, what is missing, how to fix it, and what watching costs',
  notes: [
    'Starts no daemon and changes nothing.',
    'Exit codes: 0 all is well, 1 something needs attention.',
  ],
  examples: ['agtmux doctor', 'agtmux doctor --json'],
  run: runDoctor,
};

async function runDoctor(call: Call): Promise<number> {
  const reply = await askDaemon(call);
  const checkup = typeof reply === 'string' ? await examineHere(call, reply) : reply;
  if (isSet(call.flags, 'json')) printJson(call, checkup);
  else call.io.writeOut(renderChecks(callView(call, Date.now()), checkup.checks));
  return checkup.healthy ? 0 : EXIT_DEGRADED;
}

const callerOf = ({ io: { env } }: Call): DoctorInput => ({
  version: packageVersion(),
  terminal: { term: env['TERM'] ?? '', utf8: isUtf8(env) },
});

/** The daemon's checkup, or why there is none; empty when no daemon answers. */
async function askDaemon(call: Call): Promise<Checkup | string> {
  try {
    const client = await findDaemon(call);
    if (client === null) return '';
    try {
      // A daemon that hangs is not waited for; one that answers may take its time.
      await client.call('hello', {});
      return await client.call('doctor', callerOf(call), { timeoutMs: DOCTOR_TIMEOUT_MS });
    } finally {
      client.close();
    }
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: unknown };
    return [code, message].filter((each) => typeof each === 'string').join(': ');
  }
}

/** The same checks without a daemon, which fails for the given reason or does not run. */
async function examineHere(call: Call, daemonProblem: string): Promise<Checkup> {
  const { examine } = await import('../../../doctor/examine.ts');
  return examine({
    report: null,
    daemonProblem,
    caller: callerOf(call),
    nowMs: Date.now(),
    paths: pathsOf(call),
    socketPath: socketPathOf(call),
    env: call.io.env,
    emitter: packageFile('emitter/agtmux-emit'),
    version: packageVersion(),
  });
}
