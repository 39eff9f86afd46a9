// Our MCP server over streamable HTTP, for those whom the web service has let in: each request is a
// caller of its own, with the identity and the scopes of its token, and nothing is kept between
// two. Who is let in, and how large a request may be, is the web service's.

import { createMcpHandler } from '@modelcontextprotocol/server';
import { DaemonError, type DaemonProblem } from '../client/daemon-error.ts';
import type { OperationMap, OperationName } from '../schema/api/operations.ts';
import type { AgentCall, AgentCalls, ToolCaller } from './daemon-calls.ts';
import { newMcpServer, remoteTools } from './mcp-server.ts';

/** For calls that do not wait. */
const CALL_MS = 20_000;
/** Shorter than the silence after which the web service ends a connection. */
const KEEP_ALIVE_MS = 4_000;
/** Nothing is announced over HTTP, so a stream that only listens is of no use. */
const SUBSCRIPTIONS_MAX = 1;

/** Who has sent a request: one session of operations, for as long as the request lasts. */
export interface HttpCaller {
  readonly scopes: readonly string[];
  /** Calls `reply` once; returns a function that cancels. */
  readonly call: (
    name: string,
    input: unknown,
    reply: (
      result:
        | { readonly ok: true; readonly value: unknown }
        | { readonly ok: false; readonly problem: DaemonProblem },
    ) => void,
  ) => () => void;
}

export type HttpMcp = (request: Request, body: unknown, caller: HttpCaller) => Promise<Response>;

export function openHttpMcp({
  version,
  onError,
}: {
  readonly version: string;
  readonly onError: (error: Error) => void;
}): HttpMcp {
  const handler = createMcpHandler(
    ({ authInfo }) => {
      const caller = authInfo?.extra?.['caller'] as HttpCaller;
      // What it may not call is not shown to its model.
      const tools = remoteTools.filter(
        ({ annotations }) => annotations.readOnlyHint === true || canControl(caller),
      );
      return newMcpServer({ caller: new SessionCalls(caller), tools, version, canFollow: false });
    },
    {
      responseMode: 'sse',
      keepAliveMs: KEEP_ALIVE_MS,
      maxSubscriptions: SUBSCRIPTIONS_MAX,
      onerror: onError,
    },
  );
  return (request, parsedBody, caller) => {
    const scopes = [...caller.scopes];
    const authInfo = { token: '', clientId: 'agtmux', scopes, extra: { caller } };
    return handler.fetch(request, { authInfo, parsedBody });
  };
}

const canControl = ({ scopes }: HttpCaller): boolean => scopes.includes('control');

/** Tool calls as calls of operations in this process. */
class SessionCalls implements ToolCaller {
  readonly #caller: HttpCaller;

  constructor(caller: HttpCaller) {
    this.#caller = caller;
  }

  run<T>(
    { signal }: Parameters<ToolCaller['run']>[0],
    work: (calls: AgentCalls) => Promise<T>,
  ): Promise<T> {
    const call: AgentCall = (name, input, options) =>
      this.#call(name, input, { signal, timeoutMs: options?.timeoutMs ?? CALL_MS });
    const grants = { answer: canControl(this.#caller), install_hooks: false };
    // The token is the identity: a person or a program, never an agent.
    const prove = () => call('whoami', {});
    return work({ call, prove, env: {}, self: { runtime_id: null, grants } });
  }

  #call<Name extends OperationName>(
    name: Name,
    input: OperationMap[Name]['input'],
    { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<OperationMap[Name]['output']> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', give);
      };
      let cancel = (): void => {};
      const give = (): void => {
        end();
        cancel();
        reject(signal.reason ?? new Error(`${name} was given up`));
      };
      const timer = setTimeout(() => {
        end();
        cancel();
        reject(timedOut(name));
      }, timeoutMs);
      signal.addEventListener('abort', give);
      if (signal.aborted) {
        give();
        return;
      }
      cancel = this.#caller.call(name, input, (result) => {
        end();
        if (result.ok) resolve(result.value as OperationMap[Name]['output']);
        else reject(new DaemonError(result.problem));
      });
    });
  }
}

const timedOut = (name: string): DaemonError =>
  new DaemonError({
    ...{ code: 'timeout', rpcCode: -32010, message: `${name} took too long` },
    hint: 'Look at agtmux daemon status.',
  });
