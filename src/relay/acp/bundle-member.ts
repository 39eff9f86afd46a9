// How a member of a bundle that has no terminal is started, from what its files say. Pure.

import { type Outcome, ok, refuse } from '../../schema/outcome.ts';
import type { StartAcpInput } from '../../schema/relay/acp-api.ts';
import { type Bundle, type Member, memberKey } from '../../schema/relay/team.ts';
import { commandWords } from '../config/command-words.ts';
import { acpAgentNames } from './acp-agents.ts';

export interface StartPlace {
  readonly home: string;
  /** Of whoever starts it. */
  readonly path: string | undefined;
}

export function memberStart(
  { name: bundle }: Pick<Bundle, 'name'>,
  { id, coder, directory, transport }: Member,
  { home, path }: StartPlace,
): Outcome<StartAcpInput & { readonly cwd: string }> {
  if (transport.kind !== 'acp') return refuse('E_PRECONDITION_FAILED', `${id} runs in tmux`);
  const { acp, sessionId } = transport;
  if (acp.channel === 'http') return refuse('E_AGENT_UNSUPPORTED', 'ACP over HTTP is not there');
  const command = commandWords(acp.command);
  if (!command.ok) return refuse('E_INPUT_INVALID', `its command ${command.problem}`);
  const named = (acp.environment ?? []).map((each) => [each.name, each.value] as const);
  const turn = acp['turn-timeout-ms'];
  return ok({
    name: memberKey(bundle, id),
    agent: agentOf(coder, command.words[0]),
    argv: [...command.words],
    cwd: directory.replace(/^~(?=\/|$)/, home),
    env: { ...(path === undefined ? {} : { PATH: path }), ...Object.fromEntries(named) },
    with_tools: true,
    ...(sessionId === null ? {} : { session_id: sessionId }),
    ...(turn === undefined ? {} : { turn_timeout_ms: turn }),
  });
}

/** What kind of agent it is: by its program, else as its coder is called. */
function agentOf(coder: string, program: string): string {
  const called = program.slice(program.lastIndexOf('/') + 1);
  const known = [called, coder].find((each) => acpAgentNames.includes(each));
  if (known !== undefined) return known;
  return /^[a-z][a-z0-9_-]{0,31}$/.test(coder) ? coder : 'acp';
}
