// What changes the machine: hooks. Off unless the user has granted it.

import { z } from 'zod';
import { destructive, type Tool, tool } from '../tool.ts';
import { shortText, toolReply, withinLimit } from '../tool-result.ts';

const HOOKS_MS = 120_000;

const installAgentHooks = tool({
  name: 'install_agent_hooks',
  title: 'Install agent hooks',
  description:
    'Installs the hooks by which an agent reports its state to agtmux. Off unless the user has ' +
    'set install_hooks = true under [mcp] in config.toml. It edits the files of the agent.',
  input: z.object({
    agent: z.string().min(1).max(64).describe('Which agent, such as claude or codex'),
  }),
  annotations: destructive,
  run: async ({ call }, { agent }) => {
    const { agents, skipped } = await call(
      'hooks',
      { action: 'install', agents: [agent] },
      { timeoutMs: HOOKS_MS },
    );
    const [done] = agents;
    const files = (done?.files ?? []).map(({ path, change, problem }) => ({
      path: shortText(path, 300),
      change,
      ...(problem === null ? {} : { problem: shortText(problem, 200) }),
    }));
    const status = done?.state ?? 'unknown';
    const note = shortText(done?.note ?? skipped[0]?.why, 300);
    return toolReply(withinLimit({ agent, status, ...(note ? { note } : {}) }, 'files', files));
  },
});

export const setupTools: readonly Tool[] = [installAgentHooks];
