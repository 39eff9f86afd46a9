// How agents are started so that they speak ACP, by name: programs of their own, and for claude and
// codex the adapters on npm. A member's own command line goes before all of it.

import { findProgram } from '../../platform/files/find-program.ts';
import type { AcpObject } from './acp-frames.ts';

interface AcpAgent {
  readonly argv: readonly string[];
  /** Where the program is missing: run from npm, which takes longer the first time. */
  readonly npm?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** It takes our tools with its command line, and refuses them with the session. */
  readonly toolsByOption?: string;
  /** It loses a session that it loads in the minute in which it began. */
  readonly losesFreshSessions?: boolean;
}

const agents: Readonly<Record<string, AcpAgent>> = {
  gemini: { argv: ['gemini', '--acp'], losesFreshSessions: true },
  opencode: { argv: ['opencode', 'acp'] },
  copilot: { argv: ['copilot', '--acp'], toolsByOption: '--additional-mcp-config' },
  qwen: { argv: ['qwen', '--acp'] },
  kilo: { argv: ['kilo', 'acp'] },
  auggie: { argv: ['auggie', '--acp'] },
  cline: { argv: ['cline', '--acp'] },
  claude: { argv: ['claude-agent-acp'], npm: '@agentclientprotocol/claude-agent-acp' },
  codex: {
    argv: ['codex-acp'],
    npm: '@agentclientprotocol/codex-acp',
    // By default a model judges what it may do, and nobody is asked.
    env: { INITIAL_AGENT_MODE: 'workspace-write' },
  },
};

export const acpAgentNames: readonly string[] = Object.keys(agents);

/** An install takes minutes on a slow line. */
const NPM_START_MS = 180_000;
const START_MS = 15_000;

export interface AcpCommand {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly startMs: number;
}

/** Null: the agent is not known, and no command line was given. */
export function acpCommandOf(
  agent: string,
  argv: readonly string[] | undefined,
  path: string | undefined,
): AcpCommand | null {
  const known = Object.hasOwn(agents, agent) ? agents[agent] : undefined;
  const env = known?.env ?? {};
  if (argv !== undefined) return { argv, env, startMs: START_MS };
  if (known === undefined) return null;
  const [program = ''] = known.argv;
  if (known.npm === undefined || findProgram(program, path) !== null) {
    return { argv: known.argv, env, startMs: START_MS };
  }
  return { argv: ['npx', '--yes', known.npm], env, startMs: NPM_START_MS };
}

export const losesFreshSessions = (agent: string): boolean =>
  Object.hasOwn(agents, agent) && agents[agent]?.losesFreshSessions === true;

export interface AcpTools {
  readonly argv: readonly string[];
  readonly mcpServers: readonly AcpObject[];
}

/** The tools of agtmux for a member: with its session, or by its command line. */
export function acpToolsOf(agent: string, program: readonly string[]): AcpTools {
  const [command = '', ...args] = program;
  const option = Object.hasOwn(agents, agent) ? agents[agent]?.toolsByOption : undefined;
  if (option === undefined) {
    return { argv: [], mcpServers: [{ name: 'agtmux', command, args, env: [] }] };
  }
  const server = { type: 'local', command, args, tools: ['*'] };
  return { argv: [option, JSON.stringify({ mcpServers: { agtmux: server } })], mcpServers: [] };
}
