// The MCP server of one agent over stdio. It starts at once and without a daemon, answers both eras
// of the protocol, and ends when its host closes its input.

import type { McpServer, Transport } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { ChangeNotices } from './change-notices.ts';
import { DaemonCalls, type DaemonCallsOptions } from './daemon-calls.ts';
import { mcpTools, newMcpServer } from './mcp-server.ts';

/** Open subscriptions of one host; each is a few bytes here. */
const SUBSCRIPTIONS_MAX = 16;

export interface ServeOptions extends DaemonCallsOptions {
  readonly version: string;
  readonly onError: (error: Error) => void;
}

/** Resolves when the host has closed our input. */
export function serveMcp({ version, onError, ...options }: ServeOptions): Promise<void> {
  const daemon = new DaemonCalls(options);
  const { promise, resolve } = Promise.withResolvers<void>();
  const servers = new Set<McpServer>();
  const notices = new ChangeNotices({
    daemon,
    notify: (uri) => {
      for (const { server } of servers) void server.sendResourceUpdated({ uri }).catch(() => {});
    },
  });
  const transport = watchedTransport({
    onSubscribe: (uris) => notices.follow(uris),
    onUnsubscribe: (uri) => notices.leave(uri),
    onClose: () => {
      notices[Symbol.dispose]();
      resolve();
    },
  });
  serveStdio(
    () => {
      const server = newMcpServer({ caller: daemon, tools: mcpTools, version, canFollow: true });
      servers.add(server);
      server.server.onclose = () => void servers.delete(server);
      return server;
    },
    { transport, onerror: onError, maxSubscriptions: SUBSCRIPTIONS_MAX },
  );
  return promise;
}

/** What a message of a host wants to follow, in either era; unchecked. */
function followedUris(message: Readonly<Record<string, unknown>>): readonly unknown[] {
  const { method, params = {} } = message as { method?: string; params?: Foreign };
  if (method === 'resources/subscribe') return [params['uri']];
  if (method !== 'subscriptions/listen') return [];
  const { resourceSubscriptions: uris } = (params['notifications'] ?? {}) as Foreign;
  return Array.isArray(uris) ? uris : [];
}

type Foreign = Readonly<Record<string, unknown>>;

/** Stdio that says when the host begins to follow something, and when it is gone. */
function watchedTransport(on: {
  readonly onSubscribe: (uris: readonly unknown[]) => void;
  readonly onUnsubscribe: (uri: unknown) => void;
  readonly onClose: () => void;
}): Transport {
  const stdio = new StdioServerTransport();
  const transport: Transport = {
    start: async () => {
      stdio.onmessage = (message) => {
        on.onSubscribe(followedUris(message));
        const isLeaving = 'method' in message && message.method === 'resources/unsubscribe';
        if (isLeaving) on.onUnsubscribe((message.params as Foreign | undefined)?.['uri']);
        transport.onmessage?.(message);
      };
      stdio.onerror = (error) => transport.onerror?.(error);
      stdio.onclose = () => {
        on.onClose();
        transport.onclose?.();
      };
      await stdio.start();
    },
    send: (message) => stdio.send(message),
    close: () => stdio.close(),
  };
  return transport;
}
