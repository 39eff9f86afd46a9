// Our MCP server as its hosts see it, over any transport: tools, resources, and how to use them.

import { McpServer } from '@modelcontextprotocol/server';
import type { ToolCaller } from './daemon-calls.ts';
import { registerResources } from './resources.ts';
import { registerTool, type Tool } from './tool.ts';
import { fleetTools } from './tools/fleet-tools.ts';
import { helpTools, instructions } from './tools/help-tool.ts';
import { inboxTools } from './tools/inbox-tools.ts';
import { messageTools } from './tools/message-tools.ts';
import { rawTools } from './tools/raw-tools.ts';
import { requestTools } from './tools/request-tools.ts';
import { setupTools } from './tools/setup-tools.ts';
import { spawnTools } from './tools/spawn-tools.ts';
import { watchTools } from './tools/watch-tools.ts';

/** What changes the machine that the server runs on. */
const machineTools: readonly Tool[] = [...spawnTools, ...setupTools];

/** Of somebody who is elsewhere. */
export const remoteTools: readonly Tool[] = [
  ...fleetTools,
  ...watchTools,
  ...messageTools,
  ...inboxTools,
  ...requestTools,
  ...rawTools,
  ...helpTools,
];

export const mcpTools: readonly Tool[] = [...remoteTools, ...machineTools];

export function newMcpServer(parts: {
  readonly caller: ToolCaller;
  readonly tools: readonly Tool[];
  readonly version: string;
  /** Whether changes of resources are announced. */
  readonly canFollow: boolean;
}): McpServer {
  const { caller, tools, version, canFollow } = parts;
  const capabilities = { tools: {}, resources: { subscribe: canFollow } };
  const server = new McpServer(
    { name: 'agtmux', title: 'agtmux', version },
    { instructions, capabilities },
  );
  for (const spec of tools) registerTool(server, caller, spec);
  registerResources(server, caller);
  if (!canFollow) return server;
  // The older era subscribes with a request; the newer one is served by the SDK itself.
  server.server.setRequestHandler('resources/subscribe', () => ({}));
  server.server.setRequestHandler('resources/unsubscribe', () => ({}));
  return server;
}
