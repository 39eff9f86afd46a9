// What a host may read and follow beside the tools: the fleet, what waits for a person, and the
// inbox of the caller.

import type { McpServer } from '@modelcontextprotocol/server';
import { agentFact } from './agent-fact.ts';
import type { AgentCalls, ToolCaller } from './daemon-calls.ts';
import { messageFact } from './message-fact.ts';
import { type ToolData, UNTRUSTED, withinLimit } from './tool-result.ts';
import { requestFact } from './tools/request-tools.ts';

export const FLEET = 'agtmux://fleet';
export const REQUESTS = 'agtmux://requests';
export const INBOX = 'agtmux://inbox';
const INBOX_MAX = 50;

const resources = [
  {
    uri: FLEET,
    name: 'fleet',
    title: 'All agents',
    description: 'Every agent with its state, as list_agents returns it.',
    read: async ({ call, self }: AgentCalls): Promise<ToolData> => {
      const { panes } = await call('list_panes', { sort: 'attention' });
      const agents = panes.filter(({ presence }) => presence !== 'unmanaged');
      const facts = agents.map((pane) => agentFact(pane, self.runtime_id));
      return withinLimit({ count: facts.length }, 'agents', facts);
    },
  },
  {
    uri: REQUESTS,
    name: 'requests',
    title: 'Open requests',
    description: 'Every approval and question that waits for a person.',
    read: async ({ call, self }: AgentCalls): Promise<ToolData> => {
      const { requests } = await call('list_requests', {});
      const facts = requests.map((each) => requestFact(each, self.runtime_id));
      return withinLimit({ count: facts.length, untrusted: UNTRUSTED }, 'requests', facts);
    },
  },
  {
    uri: INBOX,
    name: 'inbox',
    title: 'Your inbox',
    description: 'Messages that you got and have not read, the newest first.',
    read: async ({ call, prove }: AgentCalls): Promise<ToolData> => {
      const { party: self } = await prove();
      const { messages, unread_count: unreadCount } = await call('list_inbox', {
        ...{ unread: true, limit: INBOX_MAX },
      });
      const facts = messages.map((each) => messageFact(each, self.id));
      const head = { you: self.id, unread_count: unreadCount, untrusted: UNTRUSTED };
      return withinLimit(head, 'messages', facts);
    },
  },
] as const;

export function registerResources(server: McpServer, caller: ToolCaller): void {
  for (const { uri, name, title, description, read } of resources) {
    const mimeType = 'application/json';
    server.registerResource(name, uri, { title, description, mimeType }, async (_uri, context) => {
      const { signal, _meta: meta } = context.mcpReq;
      const data = await caller.run({ meta, signal }, read);
      return { contents: [{ uri, mimeType, text: JSON.stringify(data) }] };
    });
  }
}
