// A host of `agtmux mcp`: the official client with the built program over stdio, in either era.

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { builtProgram } from '../built-program.ts';

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

  static async open(env: Readonly<Record<string, string>>, era: Era = 'legacy'): Promise<McpHost> {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [...builtProgram, 'mcp'],
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
