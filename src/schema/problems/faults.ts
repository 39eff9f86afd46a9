// Faults, evidence that is not applied, and our own bugs. Codes are stable: scripts match on them.

import { problemRows } from './problem-row.ts';

const { badData, cannotWrite, defect, notApplied, sourceProblem, unavailable } = problemRows;

export const otherProblems = [
  unavailable(
    'E_DEMO_FAILED',
    'The demo cannot start.',
    'It needs tmux and a folder for temporary files.',
  ),
  unavailable(
    'E_AGENT_START_FAILED',
    'tmux did not start the agent.',
    'Check that its folder is there, and start it by hand to see more.',
  ),
  cannotWrite(
    'E_HOOKS_FAILED',
    'A hook file cannot be read or written.',
    'No file is half-written. Check the named file, then try again.',
  ),
  unavailable(
    'E_SERVICE_FAILED',
    'The service manager does not start or stop the daemon.',
    'Run agtmux daemon install --print and start the service by hand.',
  ),
  unavailable('E_DAEMON_DOWN', 'No daemon answers.', 'Start it with agtmux daemon start.'),
  unavailable(
    'E_DAEMON_START_FAILED',
    'The daemon starts and does not answer.',
    'Run agtmux daemon run to see why.',
  ),
  unavailable(
    'E_DAEMON_NEWER',
    'The daemon is newer than this program and speaks another protocol.',
    'Use the newer agtmux, or stop the daemon with it first.',
  ),
  unavailable(
    'E_TARGET_UNREACHABLE',
    'The target does not answer.',
    'Check the connection with agtmux target connect.',
  ),
  unavailable(
    'target_unreachable',
    'The target does not answer.',
    'agtmux retries in the background.',
  ),
  unavailable(
    'tmux_gone',
    'The tmux server has ended.',
    'Its panes are gone; agtmux finds a new server by itself.',
  ),
  unavailable(
    'ssh_auth_failed',
    'The host refuses the ssh login.',
    'agtmux never prompts; load your key into ssh-agent, or run ssh by hand once.',
  ),
  unavailable(
    'timeout',
    'The deadline passed without an answer.',
    'agtmux retries; run agtmux doctor if it continues.',
  ),
  unavailable('protocol_desync', 'The peer violates the protocol.', 'agtmux reconnects.'),
  unavailable(
    'store_busy',
    'Another process holds the database.',
    'Only one daemon may run; see agtmux daemon status.',
  ),
  badData(
    'store_corrupt',
    'The database file is damaged.',
    'The file is unchanged. Run agtmux daemon reset --keep-copy, or restore a copy of it.',
  ),
  badData(
    'store_newer_schema',
    'The database belongs to a newer agtmux.',
    'The file is unchanged. Update agtmux, or use another state folder.',
  ),
  cannotWrite(
    'store_full',
    'The disk or its quota is full.',
    'Free some space; agtmux continues by itself.',
  ),
  cannotWrite(
    'store_unwritable',
    'The database cannot be opened for writing.',
    'Check the owner and mode of the state folder, and whether its disk is read-only.',
  ),
  cannotWrite(
    'store_gone',
    'The database file was removed or replaced while the daemon runs.',
    'Put it back, or run agtmux daemon stop: the next command starts with a new database.',
  ),
  notApplied(
    'invalid_source_event',
    'The evidence does not match its schema.',
    'Fix the source that sent it.',
  ),
  notApplied(
    'missing_event_time',
    'The evidence has no event time.',
    'Fix the source that sent it.',
  ),
  notApplied(
    'source_inadmissible',
    'The source may not speak for this agent.',
    'Enable its adapter.',
  ),
  notApplied(
    'source_rank_suppressed',
    'A better source says otherwise.',
    'Nothing to do; see agtmux explain.',
  ),
  notApplied(
    'late_event',
    'Newer evidence of the same source is already stored.',
    'Nothing to do; it is kept in the ledger.',
  ),
  notApplied('duplicate_event', 'The same evidence is already stored.', 'Nothing to do.'),
  notApplied(
    'dropped_unbound',
    'The evidence matches no runtime in time.',
    'Check that the pane still holds the agent.',
  ),
  notApplied(
    'binding_conflict',
    'Two runtimes claim the same session.',
    'See agtmux explain for both.',
  ),
  notApplied(
    'signature_inconclusive',
    'The evidence does not prove an agent.',
    'Nothing to do; the pane stays unmanaged.',
  ),
  notApplied(
    'signature_guard_rejected',
    'A title alone, or over a shell, never proves an agent.',
    'Nothing to do.',
  ),
  sourceProblem(
    'invalid_cursor',
    'The cursor is not one that agtmux gave out.',
    'The source rewinds and resyncs.',
  ),
  sourceProblem(
    'ack_timeout',
    'The source does not acknowledge a delivery in time.',
    'agtmux delivers it again.',
  ),
  sourceProblem(
    'ack_retry_exhausted',
    'The source never acknowledges a delivery.',
    'Restart the source; it counts as stale.',
  ),
  sourceProblem(
    'unknown_delivery_token',
    'The source acknowledges a delivery that does not exist.',
    'Fetch again from the committed cursor.',
  ),
  sourceProblem(
    'peer_uid_mismatch',
    'The peer runs as another user.',
    'Run the source as the same user.',
  ),
  sourceProblem(
    'source_registry_miss',
    'The source is not registered.',
    'Call source.hello first.',
  ),
  sourceProblem(
    'runtime_nonce_mismatch',
    'The source belongs to an earlier run of the daemon.',
    'Call source.hello again.',
  ),
  sourceProblem(
    'source_not_active',
    'The source is registered and not active.',
    'Wait until it is active.',
  ),
  sourceProblem(
    'source_revoked',
    'The source is revoked.',
    'Call revoke_source with restore, then register the source again.',
  ),
  sourceProblem(
    'binding_cas_conflict',
    'The stored row changed under the writer.',
    'agtmux rolls the batch back and applies it again.',
  ),
  sourceProblem(
    'rewind_window_exceeded',
    'The source asks for events that are no longer kept.',
    'A full resync follows.',
  ),
  sourceProblem('slo_breach', 'A budget was exceeded.', 'See agtmux doctor.'),
  defect('defect', 'agtmux has a bug.', 'Report it with the printed event id.'),
] as const;
