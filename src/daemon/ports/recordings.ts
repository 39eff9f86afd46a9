// The port of recordings: panes of this machine, for the user of this daemon.

import { homedir } from 'node:os';
import type { RecordingsPort } from '../../operations/ports/ports.ts';
import { packageVersion } from '../../platform/version.ts';
import { takeRecording } from '../../recording/take-recording.ts';
import type { DaemonCore } from '../daemon-core.ts';

export const recordingsPort = ({ place, adapters }: DaemonCore): RecordingsPort => ({
  take: (request, signal) =>
    takeRecording({
      ...request,
      signal,
      database: place.paths.databaseFile,
      stateDir: place.paths.stateDir,
      version: packageVersion(),
      agents: adapters.registry.adapters.map(({ agent }) => agent),
      home: homedir(),
    }),
});
