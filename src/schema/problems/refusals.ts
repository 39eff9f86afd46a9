// Refusals: an expected "no" to what somebody asked for. Codes are stable: scripts match on them.

import { problemRows } from './problem-row.ts';

const { conflict, denied, misconfigured, notFound, usage } = problemRows;

export const refusals = [
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
    'List again, and act on what is there now; agtmux resume starts an agent that has ended.',
  ),
  conflict(
    'E_PRECONDITION_FAILED',
    'The pane is not in the required state.',
    'See how it is now with agtmux list; an --if-* option of yours can be dropped.',
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
    'The pane is in copy mode, or somebody there types a command of tmux.',
    'Leave copy mode or end that command in that pane, then try again.',
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
    'Answer in the pane itself; send --force types where an input box is on the screen.',
  ),
  conflict(
    'E_NO_AGENT',
    'No agent is in the pane.',
    'See agtmux list. agtmux send --force types into the program that is there.',
  ),
  conflict(
    'E_ACTIONS_BUSY',
    'Too many actions wait for this pane.',
    'Wait until some have ended; see agtmux history --actions.',
  ),
  notFound(
    'E_DELIVERY_UNKNOWN',
    'No queued prompt has this id.',
    'See agtmux list deliveries --all.',
  ),
  conflict(
    'E_DELIVERY_SETTLED',
    'The queued prompt is being typed, or does not wait any more.',
    'See what came of it with agtmux list deliveries --all.',
  ),
  conflict(
    'E_DELIVERY_EXPIRED',
    'The queued prompt was not typed in its time.',
    'Send it again; queued_send in the [acting] section of config.toml gives it more time.',
  ),
  conflict(
    'E_DELIVERY_CANCELLED',
    'The queued prompt was cancelled before it was typed.',
    'Send it again if it is wanted after all.',
  ),
  conflict(
    'E_ACTION_OVERTAKEN',
    'Another action on the pane went first, and the pane has changed.',
    'Look at what it did, then repeat the action, or use --when-idle to queue a prompt.',
  ),
  usage(
    'E_TEXT_REFUSED',
    'The agent does not take this text as a prompt.',
    'Change the text, or use --force to type it as it is.',
  ),
  usage(
    'E_KEY_REFUSED',
    'The key ends the agent, or changes what it may do.',
    'Press it in the pane itself, or use --force.',
  ),
  usage(
    'E_AGENT_UNSUPPORTED',
    'agtmux does not know how to do this with the agent.',
    'Do it in the pane itself.',
  ),
  conflict(
    'E_SESSION_UNKNOWN',
    'The agent has not named a session that it can go on with.',
    'agtmux hooks install lets agents name their sessions; this one can be resumed by hand.',
  ),
  conflict('E_SESSION_OPEN', 'The session of the agent is open.', 'Show it with agtmux attach.'),
  denied(
    'E_NOT_PERMITTED',
    'The caller is not permitted to do this.',
    'Ask the owner to do it, or use a token with the needed scope.',
  ),
  denied(
    'E_POLICY',
    'The policy of the caller does not permit this.',
    'The rule is named; whoever cares for policies.toml can change it.',
  ),
  denied(
    'E_IDENTITY_UNPROVEN',
    'It is not proven who calls.',
    'agtmux msg proves it by itself; other programs use begin_proof and prove_identity.',
  ),
  notFound(
    'E_PARTY_UNKNOWN',
    'Nobody of this name can get messages.',
    'Name a member, such as team/coder, or an agent as agtmux list prints it.',
  ),
  notFound('E_MESSAGE_UNKNOWN', 'No message of yours has this id.', 'See agtmux msg inbox --all.'),
  usage(
    'E_MESSAGE_TOO_LONG',
    'The message is longer than messages may be.',
    'Write it to a file, and send its path with --attach.',
  ),
  conflict(
    'E_MESSAGE_RATE',
    'The sender writes too many messages.',
    'Wait a minute; [messages] in config.toml has the limit.',
  ),
  conflict(
    'E_MESSAGE_LOOP',
    'Agents answer each other without an end.',
    'A message of a person ends the loop; [messages] in config.toml has the limits.',
  ),
  conflict(
    'E_MAILBOX_FULL',
    'Too many messages wait for the recipient.',
    'See why with agtmux msg status; cancel some with agtmux msg cancel.',
  ),
  conflict(
    'E_MESSAGE_SETTLED',
    'The message does not wait any more.',
    'See what came of it with agtmux msg status.',
  ),
  conflict(
    'E_MESSAGE_EXPIRED',
    'The message was not delivered in its time.',
    'Send it again, with more time: --expires 2h.',
  ),
  conflict(
    'E_MESSAGE_CANCELLED',
    'The message was cancelled before it was delivered.',
    'Send it again if it is wanted after all.',
  ),
  usage(
    'E_ATTACHMENT',
    'The file cannot be attached.',
    'Name a file that exists by its absolute path, on the machine of the recipient.',
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
  conflict(
    'E_WEB_PORT',
    'The web service cannot listen at this address.',
    'Choose another one with --port and --host, or end the program that listens there.',
  ),
  conflict(
    'E_WEB_CLOSED',
    'No web service is open.',
    'Run agtmux web, or set enabled = true in the [web] section of config.toml.',
  ),
  denied(
    'E_PAIRING_CODE',
    'The pairing link is not valid any more.',
    'Run agtmux web pair for a new link. Each works once, for 10 minutes.',
  ),
  notFound('E_WEB_TOKEN_UNKNOWN', 'No token has this id.', 'See agtmux web token list.'),
  notFound(
    'E_SHARE_UNKNOWN',
    'No share has this id or code; it may have expired or been revoked.',
    'See agtmux share list.',
  ),
  notFound(
    'E_SHARE_ENDED',
    'The agent that was shared has ended.',
    'Share the next one with agtmux share.',
  ),
  notFound('E_BUNDLE_UNKNOWN', 'No bundle or group has this name.', 'See agtmux bundle list.'),
  misconfigured(
    'E_BUNDLE_INVALID',
    'The files of the teams have an error; no session was touched.',
    'Fix the named lines; agtmux bundle validate prints all of them.',
  ),
  notFound('E_TARGET_UNKNOWN', 'No target has this name.', 'See agtmux target list.'),
  conflict(
    'E_TARGET_EXISTS',
    'A target already has this name.',
    'Use another name, or remove that target with agtmux target remove.',
  ),
] as const;
