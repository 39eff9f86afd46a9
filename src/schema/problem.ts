// The one table of everything that can go wrong, sorted by who must act. docs/reference/errors.md
// is generated from it. Codes are stable: scripts match on them.

/**
 * refusal: an expected "no", a value. fault: the environment fails; supervised and retried.
 * evidence: why one piece of evidence was not applied; shown in the ledger.
 * defect: our own bug; the process exits and restarts from the store.
 */
export type ProblemFamily = 'refusal' | 'fault' | 'evidence' | 'defect';

interface ProblemShape {
  readonly code: string;
  readonly family: ProblemFamily;
  readonly rpcCode: number;
  readonly httpStatus: number;
  readonly exitCode: number;
  readonly sentence: string;
  readonly hint: string;
}

const row =
  (family: ProblemFamily, rpcCode: number, httpStatus: number, exitCode: number) =>
  <Code extends string>(code: Code, sentence: string, hint: string) => ({
    code,
    family,
    rpcCode,
    httpStatus,
    exitCode,
    sentence,
    hint,
  });

// Exit codes follow sysexits where one fits: 64 usage, 65 data, 69 unavailable, 70 software,
// 73 cannot create, 75 try again, 77 not permitted, 78 configuration.
const usage = row('refusal', -32602, 400, 64);
const notFound = row('refusal', -32001, 404, 66);
const conflict = row('refusal', -32002, 409, 75);
const denied = row('refusal', -32003, 403, 77);
const misconfigured = row('refusal', -32004, 400, 78);
const unavailable = row('fault', -32010, 503, 69);
const badData = row('fault', -32011, 500, 65);
const cannotWrite = row('fault', -32012, 507, 73);
const notApplied = row('evidence', -32020, 422, 65);
const sourceProblem = row('evidence', -32021, 409, 69);
const defect = row('defect', -32603, 500, 70);

export const problems = [
  usage(
    'E_REF_INVALID',
    'The reference is not valid.',
    'Write a pane as agtmux list prints it, such as work:0.1; or %3, a session or a name.',
  ),
  notFound(
    'E_REF_NOT_FOUND',
    'No pane or runtime matches the reference.',
    'agtmux list prints every pane.',
  ),
  conflict(
    'E_REF_AMBIGUOUS',
    'More than one pane matches the reference.',
    'Add the target or the server, as in vm1/work:0.1, or use runtime:<id>.',
  ),
  conflict(
    'E_ALIAS_TAKEN',
    'The name already means another pane.',
    'Choose another name, or free it with agtmux name REF --clear.',
  ),
  conflict(
    'E_RUNTIME_STALE',
    'The pane holds another agent process now.',
    'List again and act on the new runtime.',
  ),
  conflict(
    'E_PRECONDITION_FAILED',
    'The pane is not in the required state.',
    'List again, or drop the --if-* option.',
  ),
  conflict(
    'E_SNAPSHOT_EXPIRED',
    'The snapshot of the action has expired.',
    'List again, then repeat the action.',
  ),
  conflict(
    'E_IDEMPOTENCY_CONFLICT',
    'The request_ref belongs to another action.',
    'Use a new request_ref.',
  ),
  conflict(
    'E_DIALOG_OPEN',
    'A dialog is open in the pane, and Enter would answer it.',
    'Answer it first with agtmux approve, deny or answer.',
  ),
  conflict(
    'E_NO_DIALOG',
    'No dialog with options is on the screen.',
    'See what is asked with agtmux list requests.',
  ),
  conflict(
    'E_OPTION_UNKNOWN',
    'The dialog has no such option, or several.',
    'Use agtmux answer --option with one of the listed labels.',
  ),
  conflict(
    'E_SCREEN_CHANGED',
    'The screen changed before the key was pressed.',
    'Nothing was answered. Look again, then repeat the action.',
  ),
  conflict(
    'E_DRAFT_PRESENT',
    'Somebody has typed into the input box of the agent.',
    'Send or clear that text first, or use --force to add yours to it.',
  ),
  conflict(
    'E_INPUT_UNSEEN',
    'The input box of the agent is not on the screen.',
    'Close what covers it, or use --force.',
  ),
  conflict(
    'E_PANE_MODE',
    'The pane is in copy mode and takes no keys.',
    'Leave copy mode in that pane, then try again.',
  ),
  conflict(
    'E_PANE_SYNCHRONIZED',
    'synchronize-panes is on, so other panes would get the keys too.',
    'Switch it off in that window, then try again.',
  ),
  conflict(
    'E_PANE_INPUT_OFF',
    'The input of the pane is switched off.',
    'Switch it on with tmux select-pane -e, then try again.',
  ),
  conflict(
    'E_PANE_OPAQUE',
    'What runs in the pane cannot be seen from here, as behind ssh or docker.',
    'Use --force to type where the input box of the agent is on the screen.',
  ),
  conflict(
    'E_NO_AGENT',
    'No agent is in the pane.',
    'Use --force to type into the program that is there.',
  ),
  conflict(
    'E_ACTIONS_BUSY',
    'Too many actions wait for this pane.',
    'Wait until some have ended; see agtmux history --actions.',
  ),
  usage(
    'E_TEXT_REFUSED',
    'The agent does not take this text as a prompt.',
    'Change the text, or use --force to type it as it is.',
  ),
  usage(
    'E_AGENT_UNSUPPORTED',
    'agtmux does not know how to do this with the agent.',
    'Do it in the pane itself.',
  ),
  denied(
    'E_NOT_PERMITTED',
    'The caller is not permitted to do this.',
    'Use a token or policy with the needed access.',
  ),
  usage(
    'E_INPUT_INVALID',
    'The input does not match its schema.',
    'See docs/reference for the fields.',
  ),
  usage('E_AGENT_UNKNOWN', 'No agent has this name.', 'See agtmux adapter list.'),
  conflict(
    'E_TAG_REFUSED',
    'The processes of the pane are visible, and the agent is not among them.',
    'Tag only panes that hide their processes, such as ssh panes; see agtmux explain.',
  ),
  misconfigured(
    'E_CONFIG_INVALID',
    'The configuration file has an error; the previous values stay in force.',
    'Fix the named line; agtmux config show --defaults explains every key.',
  ),
  conflict(
    'E_DAEMON_RUNNING',
    'A daemon of this user is already running.',
    'Check it with agtmux daemon status, or pass its socket with -s.',
  ),
  denied(
    'E_FOLDER_UNSAFE',
    'A folder that must be private is open to other users.',
    'Set its owner to you and its mode to 700, or use another folder.',
  ),
  usage(
    'E_SOCKET_PATH_INVALID',
    'The system cannot create a socket at this path.',
    'Use a shorter path with -s.',
  ),
  unavailable(
    'E_DEMO_FAILED',
    'The demo cannot start.',
    'It needs tmux and a folder for temporary files.',
  ),
  cannotWrite(
    'E_HOOKS_FAILED',
    'A hook file cannot be read or written.',
    'No file is half-written. Check the named file, then try again.',
  ),
  unavailable(
    'E_SERVICE_FAILED',
    'The service manager does not start the daemon.',
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
  notFound('E_TARGET_UNKNOWN', 'No target has this name.', 'See agtmux target list.'),
  conflict(
    'E_TARGET_EXISTS',
    'A target already has this name.',
    'Use another name, or remove that target with agtmux target remove.',
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
] as const satisfies readonly ProblemShape[];

export type Problem = (typeof problems)[number];
export type ProblemCode = Problem['code'];

const byCode: ReadonlyMap<string, Problem> = new Map(problems.map((each) => [each.code, each]));

/** The row of a code. */
export function problemOf(code: ProblemCode): Problem {
  const found = byCode.get(code);
  if (!found) throw new Error(`no problem has the code ${code}`);
  return found;
}
