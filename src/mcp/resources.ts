// What a host may read and follow beside the tools: the fleet and what waits for a person. The
// daemon's stream is open only while somebody follows, and says only that something changed.

import type { McpServer } from '@modelcontextprotocol/server';
import type { DaemonClient } from '../client/client.ts';
import { agentFact } from './agent-fact.ts';
import type { AgentCalls, DaemonCalls } from './daemon-calls.ts';
import { type ToolData, UNTRUSTED, withinLimit } from './tool-result.ts';
import { requestFact } from './tools/request-tools.ts';

const FLEET = 'agtmux://fleet';
const REQUESTS = 'agtmux://requests';
const RETRY_MS = 2_000;

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
] as const;

export function registerResources(server: McpServer, daemon: DaemonCalls): void {
  for (const { uri, name, title, description, read } of resources) {
    const mimeType = 'application/json';
    server.registerResource(name, uri, { title, description, mimeType }, async (_uri, context) => {
      const { signal, _meta: meta } = context.mcpReq;
      const data = await daemon.run({ meta, signal }, read);
      return { contents: [{ uri, mimeType, text: JSON.stringify(data) }] };
    });
  }
}

/** Tells a host which resource changed, from `follow` until it is disposed of. */
export class ChangeNotices implements Disposable {
  readonly #daemon: DaemonCalls;
  readonly #notify: (uri: string) => void;
  #client: DaemonClient | null = null;
  #retry: NodeJS.Timeout | null = null;
  #isFollowing = false;
  #isEnded = false;

  constructor(daemon: DaemonCalls, notify: (uri: string) => void) {
    this.#daemon = daemon;
    this.#notify = notify;
  }

  follow(): void {
    if (this.#isFollowing || this.#isEnded) return;
    this.#isFollowing = true;
    void this.#run();
  }

  async #run(): Promise<void> {
    try {
      const client = await this.#daemon.open();
      this.#client = client;
      if (this.#isEnded) return client.close();
      for await (const { type } of client.subscribe()) {
        if (type === 'summary_changed') continue;
        this.#notify(FLEET);
        if (type !== 'state_changed') this.#notify(REQUESTS);
      }
    } catch {
      // Without a daemon nothing changes; it is tried again below.
    }
    this.#client?.close();
    this.#client = null;
    if (this.#isEnded) return;
    this.#retry = setTimeout(() => void this.#run(), RETRY_MS);
    // A host that is gone has closed our input: nothing else keeps this process.
    this.#retry.unref();
  }

  [Symbol.dispose](): void {
    this.#isEnded = true;
    if (this.#retry) clearTimeout(this.#retry);
    this.#client?.close();
  }
}
