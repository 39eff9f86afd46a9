// tmux on the machine of a bundle: on this one by sh, on others by ssh and the sh there. The
// process and the environment are those of the person who asks, never of the daemon.

import { runChild } from '../../platform/process/launch.ts';
import { shellQuoteAll } from '../../platform/text/shell-quote.ts';
import { sshWords } from '../../platform/text/ssh-words.ts';
import { asArgument } from '../../platform/text/tmux-argument.ts';
import type { BundlePlan, PlannedMember } from '../../schema/relay/bundle-api.ts';
import {
  CREATE_SCRIPT,
  type CreatedPane,
  END_SERVER_SCRIPT,
  KILL_SCRIPT,
  LIST_SCRIPT,
  type ListedSession,
  NO_FOLDER,
  RELEASE_SCRIPT,
  readCreatedPane,
  readSessionListing,
  type SessionListing,
} from './session-scripts.ts';

/** ssh may have to log in first. */
const TIMEOUT_MS = 60_000;
const STDOUT_BYTES_MAX = 1_000_000;
const PROBLEM_LENGTH_MAX = 500;

export type CreateResult =
  | { readonly ok: true; readonly created: CreatedPane }
  | { readonly ok: false; readonly problem: string; readonly isFolder: boolean };

export interface TmuxThere {
  /** Null: it could not be asked, and nothing may be concluded. */
  readonly list: () => Promise<SessionListing | null>;
  readonly create: (member: PlannedMember) => Promise<CreateResult>;
  /** Whether it was ended: one that is not ours, or another by now, is kept. */
  readonly kill: (session: ListedSession, onlyIfDead: boolean) => Promise<boolean>;
  /** The pane is closed when its program ends, from now on. */
  readonly release: (paneId: string) => Promise<void>;
  /** Whether the server is gone. One that is not the bundle's own, or not empty, is kept. */
  readonly endServer: () => Promise<boolean>;
}

/** Nothing of it rejects. */
export function tmuxThere(
  plan: BundlePlan,
  env: Readonly<Record<string, string | undefined>>,
): TmuxThere {
  const run = (script: string, words: readonly string[]) => runScript(plan, env, script, words);
  return {
    list: async () => readSessionListing((await run(LIST_SCRIPT, [])).stdout),
    create: async ({ id, command, directory }) => {
      const flags = [plan.is_private ? '1' : '0', plan.target_kind === 'ssh' ? '1' : '0'];
      const words = [id, directory, asArgument(command), ...flags];
      const { code, stdout, problem } = await run(CREATE_SCRIPT, words);
      const created = readCreatedPane(stdout);
      if (created !== null) return { ok: true, created };
      return { ok: false, problem: problem || 'tmux gave no answer', isFolder: code === NO_FOLDER };
    },
    kill: async ({ sessionId, createdAt }, onlyIfDead) => {
      const words = [sessionId, createdAt, onlyIfDead ? 'dead' : 'any'];
      return (await run(KILL_SCRIPT, words)).stdout.includes('agtmux-killed');
    },
    release: async (paneId) => void (await run(RELEASE_SCRIPT, [paneId])),
    endServer: async () => (await run(END_SERVER_SCRIPT, [])).stdout.includes('agtmux-ended'),
  };
}

async function runScript(
  { login, target, target_kind, server, owner }: BundlePlan,
  env: Readonly<Record<string, string | undefined>>,
  script: string,
  words: readonly string[],
) {
  const isLocal = target_kind === 'local';
  const tmux = isLocal ? 'tmux' : login?.tmux_path;
  if (!tmux) return { code: null, stdout: '', problem: `there is no way to ${target} from here` };
  const all = [tmux, server, owner, ...words];
  const here = { command: '/bin/sh', args: ['-c', script, 'agtmux', ...all], input: '' };
  const { code, stdout, stderr, error } = await runChild({
    ...(isLocal || login === null ? here : overSsh(login, script, all)),
    env: { ...env },
    timeoutMs: TIMEOUT_MS,
    stdoutBytesMax: STDOUT_BYTES_MAX,
  });
  const problem = utf8(stderr).trim().slice(-PROBLEM_LENGTH_MAX) || (error ?? '');
  return { code: code ?? null, stdout: utf8(stdout), problem };
}

/** Output comes as one character a byte. */
const utf8 = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8');

/** On the input no login shell reads the words, whatever it is. */
function overSsh(
  login: NonNullable<BundlePlan['login']>,
  script: string,
  words: readonly string[],
) {
  const [command = 'ssh', ...args] = sshWords(login, 'exec /bin/sh', []);
  return { command, args, input: `set -- ${shellQuoteAll(words)}\n${script}\n` };
}
