// The shape of a tool, and how one call of it runs: as the calling agent, with progress, until it
// is cancelled. What fails comes back as text that a model can act on; nothing ends the server.

import type { McpServer, ServerContext, ToolAnnotations } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { DaemonError } from '../client/daemon-error.ts';
import type { AgentCalls, ToolCaller } from './daemon-calls.ts';
import { type ToolReply, toolError } from './tool-result.ts';

/** Some hosts end a call that is silent for a minute; progress keeps it, where they listen. */
const PROGRESS_MS = 5_000;

export interface ToolCall extends AgentCalls {
  readonly signal: AbortSignal;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  /** Its first 150 characters decide: some hosts show no more. */
  readonly description: string;
  readonly input: z.ZodObject;
  readonly annotations: ToolAnnotations;
  /** The longest that it waits on purpose; absent: it answers at once. */
  readonly waits?: true;
  /** Works without a daemon. */
  readonly offline?: (input: never) => ToolReply;
  readonly run: (call: ToolCall, input: never) => Promise<ToolReply>;
}

/** Looks and changes nothing. */
export const readOnly: ToolAnnotations = {
  ...{ readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
};
/** Changes nothing but what is known of the caller, and no more the second time. */
export const noting: ToolAnnotations = {
  ...{ readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
};
/** Changes what an agent does. */
export const mutating: ToolAnnotations = {
  ...{ readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
};
/** Lets something happen that cannot be taken back. */
export const destructive: ToolAnnotations = {
  ...{ readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
};

/** A tool whose input has the type of its schema. */
export function tool<Shape extends z.ZodRawShape>(
  spec: Omit<Tool, 'input' | 'run' | 'offline'> & {
    readonly input: z.ZodObject<Shape>;
    readonly offline?: (input: z.output<z.ZodObject<Shape>>) => ToolReply;
    readonly run: (call: ToolCall, input: z.output<z.ZodObject<Shape>>) => Promise<ToolReply>;
  },
): Tool {
  return spec as unknown as Tool;
}

/** What every tool returns: its facts by name. */
const outputSchema = z.looseObject({});

export function registerTool(server: McpServer, caller: ToolCaller, spec: Tool): void {
  const { name, title, description, input, annotations, offline } = spec;
  server.registerTool(
    name,
    // A field that a tool does not know, such as a sender, is refused and not ignored.
    { title, description, inputSchema: input.strict(), outputSchema, annotations },
    async (args, context) => {
      if (offline) return offline(args as never);
      using _progress = spec.waits ? reportProgress(context) : null;
      const { signal, _meta: meta } = context.mcpReq;
      try {
        return await caller.run({ meta, signal }, (calls) =>
          spec.run({ ...calls, signal }, args as never),
        );
      } catch (error) {
        return replyOf(error, signal);
      }
    },
  );
}

function replyOf(error: unknown, signal: AbortSignal): ToolReply {
  if (signal.aborted) return toolError('cancelled', 'the call was cancelled', null);
  if (!(error instanceof DaemonError)) {
    const message = error instanceof Error ? error.message : String(error);
    return toolError('defect', `agtmux mcp failed: ${message}`, null);
  }
  if (error.code === 'E_DAEMON_DOWN') {
    const hint = 'A person starts it with: agtmux daemon start. Then call this tool again.';
    return toolError(error.code, 'the agtmux daemon does not run', hint);
  }
  const others = error.candidates.map(({ ref, agent, state }) => `${ref} (${agent}, ${state})`);
  const hint = others.length > 0 ? `It may be: ${others.slice(0, 8).join(', ')}` : error.hint;
  return toolError(error.code, error.message, hint);
}

/** Says every few seconds that the call goes on, to a host that asked for that. */
function reportProgress({ mcpReq }: ServerContext): Disposable {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return { [Symbol.dispose]: () => {} };
  let progress = 0;
  const report = (): void => {
    const params = { progressToken, progress, message: `waiting for ${progress} s` };
    void mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
    progress += PROGRESS_MS / 1_000;
  };
  report();
  const timer = setInterval(report, PROGRESS_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
