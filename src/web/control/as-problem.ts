// What went wrong with a call, in the words of the service where it answered.

import { DaemonError } from '../../web-client/web-client.ts';
import type { ActionProblem } from '../state/action-words.ts';

export const asProblem = (error: unknown): ActionProblem =>
  error instanceof DaemonError
    ? error
    : { code: 'E_DAEMON_DOWN', message: 'the service did not answer', hint: null };
