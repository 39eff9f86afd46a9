// A host of `agtmux mcp`: the official client with the built program over stdio, in either era. The
// server runs as a child of the test, or below an agent in a pane, as that agent would start it.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { shellQuote, shellQuoteAll } from '../../src/platform/text/shell-quote.ts';
import { builtProgram } from '../built-program.ts';
import type { LivePane } from '../daemon-live/live-agents.ts';
import type { LiveDaemon } from '../daemon-live/live-daemon.ts';

export const eras = ['legacy', 'modern'] as const;
export type Era = (typeof eras)[number];

const modes = { legacy: 'legacy', modern: { pin: '2026-07-28' } } as const;

export interface ToolAnswer {
  readonly text: string;
  readonly data: Record<string, unknown>;
  readonly isError: boolean;
}

export class McpHost implements AsyncDisposable {
  readonly client: Client;
  readonly #transport: StdioClientTransport;

  private constructor(client: Client, transport: StdioClientTransport) {
    this.client = client;
    this.#transport = transport;
  }

  static open(env: Readonly<Record<string, string>>, era: Era = 'legacy'): Promise<McpHost> {
    return McpHost.#start([process.execPath, ...builtProgram, 'mcp'], env, era);
  }

  /** The server runs below the fake agent in the pane; two pipes with names lead to it. */
  static below(live: LiveDaemon, pane: LivePane): Promise<McpHost> {
    const folder = mkdtempSync(join(live.folder, 'below-'));
    const [input, output] = [join(folder, 'in'), join(folder, 'out')].map(shellQuote);
    execFileSync('mkfifo', [join(folder, 'in'), join(folder, 'out')]);
    const settings = Object.entries(live.env).map(([name, value]) => `${name}=${value}`);
    const words = ['env', '-i', ...settings, process.execPath, ...builtProgram, 'mcp'];
    const script = join(folder, 'serve.sh');
    writeFileSync(script, `exec ${shellQuoteAll(words)} < ${input} > ${output}\n`);
    pane.type(`run sh ${script} &`);
    const relay = ['sh', '-c', `cat ${output} & exec cat > ${input}`];
    return McpHost.#start(relay, live.env, 'legacy');
  }

  static async #start(
    [command = '', ...args]: readonly string[],
    env: Readonly<Record<string, string>>,
    era: Era,
  ): Promise<McpHost> {
    const transport = new StdioClientTransport({
      command,
      args,
      env: { ...env },
      stderr: 'inherit',
    });
    const client = new Client(
      { name: 'test-host', version: '1.0.0' },
      { versionNegotiation: { mode: modes[era] } },
    );
    await client.connect(transport);
    return new McpHost(client, transport);
  }

  get pid(): number {
    return this.#transport.pid ?? 0;
  }

  async call(
    name: string,
    args: Record<string, unknown> = {},
    options: Parameters<Client['callTool']>[1] = {},
  ): Promise<ToolAnswer> {
    const result = await this.client.callTool({ name, arguments: args }, options);
    const [content] = result.content as { type: string; text: string }[];
    return {
      text: content?.text ?? '',
      data: (result.structuredContent ?? {}) as Record<string, unknown>,
      isError: result.isError === true,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
  }
}
