// The port of the check-up: this machine as the daemon sees it.

import { examine } from '../../doctor/examine.ts';
import type { DoctorPort } from '../../operations/ports/ports.ts';
import { packageFile } from '../../platform/package-files.ts';
import { packageVersion } from '../../platform/version.ts';
import type { DaemonCore } from '../daemon-core.ts';

export const doctorPort = ({ place }: Pick<DaemonCore, 'place'>): DoctorPort => ({
  examine: (report, caller, nowMs) =>
    examine({
      report,
      caller,
      nowMs,
      paths: place.paths,
      socketPath: place.socketPath,
      env: process.env,
      emitter: packageFile('emitter/agtmux-emit'),
      version: packageVersion(),
    }),
});
