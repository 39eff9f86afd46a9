// `agtmux mcp install|uninstall|status [AGENT...]`: our server in the configuration of the agents
// on this machine.

import { homedir } from 'node:os';
import { findProgram } from '../../../platform/files/find-program.ts';
import { renderMcpEntries } from '../../../render/mcp-entries.ts';
import { nearest } from '../../../text/nearest-word.ts';
import { type Call, type CommandSpec, isSet } from '../../command.ts';
import { programArgs } from '../../daemon-link.ts';
import { CliProblem, EXIT_DEGRADED, EXIT_USAGE } from '../../exit-codes.ts';
import { text } from '../../options.ts';
import { printJson } from '../../output/print.ts';

type Action = 'install' | 'uninstall' | 'status';

const entryCommand = (name: Action, summary: string, example: string): CommandSpec => ({
  name,
  summary,
  notes: [
    'Without AGENT: every agent found on the machine. Your own entries and layout stay.',
    'Exit codes: 0 done, 1 a file was not changed, or status found an agent without the server.',
  ],
  examples: [example],
  args: [
    {
      value: text('AGENT', 'agents'),
      summary: 'an agent, such as claude or codex',
      optional: true,
      repeated: true,
    },
  ],
  run: (call) => runEntries(call, name),
});

export const mcpEntryCommands: readonly CommandSpec[] = [
  entryCommand('install', 'add the server to agents, for all your projects', 'agtmux mcp install'),
  entryCommand('uninstall', 'remove the server from agents', 'agtmux mcp uninstall claude codex'),
  entryCommand('status', 'print which agents have the server', 'agtmux mcp status'),
];

async function runEntries(call: Call, action: Action): Promise<number> {
  const { mcpAgentNames, workOnMcpEntries } = await import('../../../hooks/mcp/mcp-installer.ts');
  const { localEdits } = await import('../../../hooks/local-edits.ts');
  const unknown = call.args.find((name) => !mcpAgentNames.includes(name));
  if (unknown !== undefined) {
    const near = nearest(unknown, mcpAgentNames);
    throw new CliProblem('E_AGENT_UNKNOWN', `agtmux does not know how ${unknown} keeps servers.`, {
      exitCode: EXIT_USAGE,
      hint: near === undefined ? `One of: ${mcpAgentNames.join(', ')}.` : `Did you mean ${near}?`,
    });
  }
  const { env } = call.io;
  const entries = await workOnMcpEntries({
    action,
    agents: call.args,
    files: localEdits,
    user: { home: homedir(), env },
    program: programOf(env['PATH']),
    nowMs: Date.now(),
  });
  if (isSet(call.flags, 'json')) printJson(call, { action, agents: entries });
  else call.io.writeOut(renderMcpEntries(entries, action));
  const isLeft = entries.some(({ state }) => state === 'unreadable');
  const isMissing = entries.some(({ state }) => state !== 'installed');
  return isLeft || (action === 'status' && isMissing) ? EXIT_DEGRADED : 0;
}

/** By its name where it is on PATH: that outlives an update of the package. */
function programOf(path: string | undefined) {
  if (findProgram('agtmux', path) !== null) return { command: 'agtmux', args: ['mcp'] };
  return { command: process.execPath, args: [...programArgs(), 'mcp'] };
}
