// Why a host cannot be used, in a sentence for people. ssh prints it on stderr, in English on every
// system; a message that is not recognised is shown as it is, without control characters.

import { Fault } from '../../platform/fault.ts';
import type { ProblemCode } from '../../schema/problem.ts';

export type SshReasonCode =
  | 'destination_invalid'
  | 'ssh_not_found'
  | 'host_unreachable'
  | 'authentication_refused'
  | 'host_key_changed'
  | 'host_key_unknown'
  | 'timed_out'
  | 'channel_refused'
  | 'connection_lost'
  | 'shell_unusable'
  | 'no_tmux';

export interface SshReason {
  readonly code: SshReasonCode;
  /** A sentence, with ssh's own message where that says more. */
  readonly sentence: string;
}

const sentences: Readonly<Record<SshReasonCode, string>> = {
  destination_invalid: 'the ssh destination is not valid',
  ssh_not_found: 'there is no ssh program on this machine',
  host_unreachable: 'the host cannot be reached',
  authentication_refused:
    'the host refused the authentication; agtmux never prompts, so load your key into ssh-agent',
  host_key_changed: 'the key of the host has changed; check it and run ssh by hand once',
  host_key_unknown: 'the key of the host is not known yet; run ssh by hand once',
  timed_out: 'the host did not answer in time',
  channel_refused: 'the host refused another session on the connection (MaxSessions)',
  connection_lost: 'the connection was lost',
  shell_unusable: 'no shell of the host could be used',
  no_tmux: 'there is no tmux on the host',
};

const problemCodes: Partial<Record<SshReasonCode, ProblemCode>> = {
  destination_invalid: 'E_INPUT_INVALID',
  authentication_refused: 'ssh_auth_failed',
  host_key_changed: 'ssh_auth_failed',
  host_key_unknown: 'ssh_auth_failed',
  timed_out: 'timeout',
};

/** The first match counts: causes come before their consequences. */
const patterns: readonly (readonly [RegExp, SshReasonCode])[] = [
  [/REMOTE HOST IDENTIFICATION HAS CHANGED|host key .{0,80}has changed/i, 'host_key_changed'],
  [/Host key verification failed|host key is known for/i, 'host_key_unknown'],
  [
    /Permission denied|Too many authentication failures|No supported authentication methods/i,
    'authentication_refused',
  ],
  [/session request failed|[Ss]ession open refused|Master refused session/, 'channel_refused'],
  [/ssh: (?:command )?not found|spawn ssh ENOENT|exec: ssh: /, 'ssh_not_found'],
  [/tim(?:ed )?[- ]?out|not responding/i, 'timed_out'],
  [
    /Could not resolve|Connection refused|No route to host|unreachable|kex_exchange/i,
    'host_unreachable',
  ],
];

const DETAIL_LENGTH_MAX = 200;

/** A reason, with what was found where that says more than the sentence. */
export function reasonOf(code: SshReasonCode, found = ''): SshReason {
  const detail = plainText(found);
  return { code, sentence: detail === '' ? sentences[code] : `${sentences[code]} (${detail})` };
}

/** The reason in ssh's stderr; `otherwise` where no pattern matches. */
export function reasonFromStderr(stderr: string, otherwise: SshReasonCode): SshReason {
  const code = patterns.find(([pattern]) => pattern.test(stderr))?.[1] ?? otherwise;
  return reasonOf(code, lastLine(stderr));
}

/** A Fault that keeps its reason, so that health can show it. */
export class SshFault extends Fault {
  readonly reason: SshReason;

  constructor(destination: string, reason: SshReason) {
    const code = problemCodes[reason.code] ?? 'target_unreachable';
    super(code, { about: destination, detail: reason.sentence });
    this.reason = reason;
  }
}

function lastLine(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.findLast((line) => line !== '' && !/^@+$/.test(line)) ?? '';
}

/** Foreign words: no control bytes, no direction marks, not long. */
function plainText(text: string): string {
  const plain = text.replace(/[^\x20-\x7e]+/g, ' ').trim();
  return plain.slice(0, DETAIL_LENGTH_MAX);
}
