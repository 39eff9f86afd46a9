// What a script tells the fake model to answer, and what an answer is once a tool has been chosen.
// The words are those of no vendor: each dialect puts them into its own.

import type { Gate } from './gate.ts';

// One kind of tool, whatever the agent calls it. pick-tool.ts finds it in the request's own list.
export type ToolKind =
  | 'shell'
  | 'background_shell'
  | 'edit'
  | 'write'
  | 'read'
  | 'fetch'
  | 'question'
  | 'plan'
  | 'subagent'
  // A search for tools that the agent does not show at once.
  | 'search'
  // A tool of an MCP server, as `mcp:agtmux/list_agents`.
  | `mcp:${string}/${string}`;

// How an answer is held: chunks keep coming (as a model that writes), or nothing comes (as one that
// has not begun). Without a gate an answer is sent at once.
export type Hold = {
  readonly until?: Gate;
  readonly chunkMs?: number;
  readonly quiet?: boolean;
};

export type Reply =
  | (Hold & { readonly kind: 'text'; readonly text: string })
  | (Hold & { readonly kind: 'thinking'; readonly thinking: string; readonly text: string })
  | (Hold & {
      readonly kind: 'tool';
      readonly tool: ToolKind;
      // Plain keys (command, path, old, new, content, question, options, prompt, url, plan) or the
      // agent's own; what the chosen tool does not know is left out. They may be made of what the
      // request says.
      readonly args: ToolArgs | ((request: ModelRequest) => ToolArgs);
      // A sentence before the call.
      readonly text?: string;
    })
  | (Hold & {
      readonly kind: 'error';
      readonly status: number;
      readonly message?: string;
      // The vendor's own body is made from status and message unless this is given.
      readonly body?: unknown;
      readonly headers?: Readonly<Record<string, string>>;
      readonly retryAfterS?: number;
    })
  // The connection breaks after the text, in the middle of the answer.
  | (Hold & { readonly kind: 'cut'; readonly text: string });

export type ToolArgs = Readonly<Record<string, unknown>>;

export type OfferedTool = {
  readonly name: string;
  // Codex calls a tool of a server by two names.
  readonly namespace?: string;
  // A tool that takes free text in place of JSON arguments.
  readonly freeform: boolean;
  readonly schema: JsonSchema;
};

export type JsonSchema = {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
};

export type ToolCall = {
  readonly id: string;
  readonly name: string;
  readonly namespace?: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly freeform?: string;
};

export type ModelAnswer = {
  readonly thinking?: string;
  readonly text?: string;
  readonly call?: ToolCall;
};

// What every dialect's request comes to.
export type ModelRequest = {
  readonly model: string;
  readonly stream: boolean;
  readonly tools: readonly OfferedTool[];
  // The messages of the user, oldest first; results of tools are not in it.
  readonly userTexts: readonly string[];
  readonly wantsJson: boolean;
};

// One vendor's language. A stream writer is made for one answer and may count blocks.
export type Dialect = {
  readonly name: 'anthropic' | 'openai-chat' | 'openai-responses' | 'gemini';
  read(body: unknown, path: string): ModelRequest;
  stream(request: ModelRequest): StreamWriter;
  whole(request: ModelRequest, answer: ModelAnswer): unknown;
  failure(status: number, message: string): unknown;
};

export type StreamWriter = {
  begin(): string;
  thinking(text: string): string;
  text(text: string): string;
  call(call: ToolCall): string;
  end(): string;
};

// A frame of server-sent events.
export const frame = (data: unknown, event?: string): string =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
