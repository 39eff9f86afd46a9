// One tool call on one connection to the daemon, made as the agent that calls. A host that cancels
// closes the connection, which ends the work in the daemon; without a daemon the call says so, and
// the next one tries again.

import { type CallOptions, connectDaemon, type DaemonClient } from '../client/client.ts';
import { proveIdentity } from '../client/prove-identity.ts';
import type { OperationMap, OperationName } from '../schema/api/operations.ts';
import type { CallerIdentity } from '../schema/relay/message-schemas.ts';
import { agentHelloOf, sessionOf } from './caller.ts';

const CONNECT_MS = 2_000;
/** For calls that do not wait; a capture of a distant pane takes a few seconds. */
const CALL_MS = 20_000;

export type AgentHelloReply = OperationMap['agent_hello']['output'];

export type AgentCall = <Name extends OperationName>(
  name: Name,
  input: OperationMap[Name]['input'],
  options?: CallOptions,
) => Promise<OperationMap[Name]['output']>;

/** What a tool works with. */
export interface AgentCalls {
  readonly call: AgentCall;
  /** The agent that calls, and what it is granted. */
  readonly self: Pick<AgentHelloReply, 'runtime_id' | 'grants'>;
  /** Proves to the daemon who calls, as everything about messages needs it. */
  readonly prove: () => Promise<CallerIdentity>;
  /** The environment of the caller. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Somebody for whom tools are called. */
export interface ToolCaller {
  /** The result of the work. Rejects as it does, with a DaemonError, or when the signal aborts. */
  run<T>(
    call: { readonly meta: Readonly<Record<string, unknown>> | undefined; signal: AbortSignal },
    work: (calls: AgentCalls) => Promise<T>,
  ): Promise<T>;
}

export interface DaemonCallsOptions {
  readonly socketPath: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly pid: number;
}

export class DaemonCalls implements ToolCaller {
  readonly #options: DaemonCallsOptions;

  constructor(options: DaemonCallsOptions) {
    this.#options = options;
  }

  async run<T>(
    call: Parameters<ToolCaller['run']>[0],
    work: (calls: AgentCalls) => Promise<T>,
  ): Promise<T> {
    const { socketPath, env, pid } = this.#options;
    const { signal } = call;
    const client = await connectDaemon({ socketPath, timeoutMs: CONNECT_MS });
    const onAbort = (): void => client.close();
    signal.addEventListener('abort', onAbort);
    try {
      signal.throwIfAborted();
      const ask: AgentCall = (name, input, options) =>
        client.call(name, input, { timeoutMs: CALL_MS, ...options });
      const self = await ask('agent_hello', agentHelloOf(env, pid, sessionOf(call.meta)));
      const prove = (): Promise<CallerIdentity> => proveIdentity({ call: ask });
      return await work({ call: ask, self, prove, env });
    } finally {
      signal.removeEventListener('abort', onAbort);
      client.close();
    }
  }

  /** A connection of its own, for a stream. */
  open(): Promise<DaemonClient> {
    return connectDaemon({ socketPath: this.#options.socketPath, timeoutMs: CONNECT_MS });
  }
}
