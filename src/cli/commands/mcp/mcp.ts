// `agtmux mcp`: the MCP server that agents start, over stdio. It starts nothing else: without a
// daemon its tools say so. Its entries in their configuration are mcp-entries.ts.

import { packageVersion } from '../../../platform/version.ts';
import type { CommandSpec } from '../../command.ts';
import { socketPathOf } from '../../daemon-link.ts';
import { mcpEntryCommands } from './mcp-entries.ts';

export const mcpCommand: CommandSpec = {
  name: 'mcp',
  summary: 'the MCP server by which agents see and wait for each other',
  defaultCommand: 'serve',
  commands: [
    {
      name: 'serve',
      summary: 'serve MCP over stdin and stdout; agtmux mcp alone does the same',
      notes: [
        'An agent starts it. It ends when its input is closed, and needs no daemon to start.',
      ],
      examples: ['agtmux mcp'],
      run: async (call) => {
        const { serveMcp } = await import('../../../mcp/serve-mcp.ts');
        await serveMcp({
          socketPath: socketPathOf(call),
          env: call.io.env,
          pid: process.pid,
          version: packageVersion(),
          onError: (error) => call.io.writeErr(`agtmux mcp: ${error.message}\n`),
        });
        return 0;
      },
    },
    ...mcpEntryCommands,
  ],
};
