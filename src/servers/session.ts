// One caller of operations over any transport: its identity, its calls and its streams. Work
// has the deadline of its operation and ends with the caller, unless it has committed. A door makes
// a session for each peer, hands calls in, and writes replies and messages in its own protocol.

import type {
  Actor,
  CallOperation,
  OperationCall,
  StreamOperation,
} from '../operations/ports/operation.ts';
import type { PortName, Ports } from '../operations/ports/ports.ts';
import type { OpenStream, StreamMessage } from '../operations/ports/stream-message.ts';
import { Fault } from '../platform/fault.ts';
import type { Outcome } from '../schema/outcome.ts';
import { admit, type CallResult, refusal, refusalOf } from './access.ts';

/** What a door's peers call: the operations' ports, and whom to tell of our own bugs. */
export interface OperationHost {
  readonly ports: Ports;
  readonly nowMs: () => number;
  /** Called for our own bugs; the caller only learns that there was one. */
  readonly onDefect: (error: unknown, operation: string) => void;
}

export interface SessionOptions extends OperationHost {
  readonly actor: Actor;
  readonly streamsMax: number;
  /** Writes a message of a stream; absent where a door cannot: then there are no streams. */
  readonly push?: (subscription: string, message: StreamMessage) => void;
  /** Bytes that were written and that the peer has not taken yet. */
  readonly bufferedBytes?: () => number;
}

type WriteReply = (result: CallResult) => void;

export class Session implements Disposable {
  readonly #options: SessionOptions;
  #actor: Actor;
  readonly #running = new Set<RunningCall>();
  readonly #streams = new Map<string, OpenStream>();
  /** What operations have opened for as long as the caller stays. */
  readonly #kept = new Set<AsyncDisposable>();
  #isClosed = false;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#actor = options.actor;
  }

  /** Calls that are not answered yet. */
  get runningCount(): number {
    return this.#running.size;
  }

  /** Whether a call or a stream of it goes on, or something that it has opened. */
  get isBusy(): boolean {
    return this.#running.size > 0 || this.#streams.size > 0 || this.#kept.size > 0;
  }

  /** Calls `reply` once, before the first messages of a stream. Returns a function that cancels. */
  call(name: string, params: unknown, reply: WriteReply): () => void {
    const admitted = admit(this.#actor, name, params);
    if (!admitted.ok) {
      reply(admitted);
      return () => {};
    }
    const { operation, input } = admitted;
    if (operation.kind === 'call') return this.#run(operation, input, reply);
    this.#open(operation, input, reply);
    return () => {};
  }

  /** The peer has taken all that was written. */
  drained(): void {
    for (const stream of this.#streams.values()) stream.drained();
  }

  /** The peer is gone: its work is aborted and its streams end. */
  [Symbol.dispose](): void {
    this.#isClosed = true;
    const running = [...this.#running];
    this.#running.clear();
    for (const call of running) call.leave();
    for (const stream of this.#streams.values()) stream[Symbol.dispose]();
    this.#streams.clear();
    for (const resource of this.#kept) this.#end(resource);
    this.#kept.clear();
  }

  #keep(resource: AsyncDisposable): void {
    if (this.#isClosed) this.#end(resource);
    else this.#kept.add(resource);
  }

  #end(resource: AsyncDisposable): void {
    const { onDefect } = this.#options;
    void resource[Symbol.asyncDispose]().then(undefined, (error) => onDefect(error, 'leave'));
  }

  #run(operation: CallOperation, input: unknown, reply: WriteReply): () => void {
    const running = new RunningCall((result) => {
      if (this.#running.delete(running)) reply(result);
    });
    this.#running.add(running);
    const result = this.#start(operation, input, running);
    if (result instanceof Promise) {
      running.limit(operation);
      void result.then((each) => running.settle(each));
    } else running.settle(result);
    return () => running.abort(new Fault('timeout', { about: operation.name, detail: 'given up' }));
  }

  /** Never rejects: an error becomes a problem reply. */
  #start(
    { name, ports, run }: CallOperation,
    input: unknown,
    running: RunningCall,
  ): CallResult | Promise<CallResult> {
    const failed = (error: unknown): CallResult =>
      this.#failed(name, error, running.faultOf(error));
    const call: OperationCall = {
      actor: this.#actor,
      connection: this,
      nowMs: this.#options.nowMs,
      signal: running.signal,
      commit: () => running.commit(),
      actAs: (actor) => this.#actAs(actor),
      closeStream: (subscription) => this.#closeStream(subscription),
      keep: (resource) => this.#keep(resource),
    };
    try {
      const outcome = run(pick(this.#options.ports, ports), input, call);
      return outcome instanceof Promise ? outcome.then(resultOf, failed) : resultOf(outcome);
    } catch (error) {
      return failed(error);
    }
  }

  /** A fault is the world's; any other error is our own bug. */
  #failed(name: string, error: unknown, fault: Fault | null): CallResult {
    if (fault) return refusal(fault.code, fault.message);
    this.#options.onDefect(error, name);
    return refusal('defect', `${name} failed inside the daemon; its log says more`);
  }

  /** Nobody gains a scope by becoming somebody else: a token for looking stays one. */
  #actAs(actor: Actor): void {
    const held = this.#actor.scopes;
    this.#actor = { ...actor, scopes: actor.scopes.filter((scope) => held.includes(scope)) };
  }

  #open(operation: StreamOperation, input: unknown, reply: WriteReply): void {
    const { ports, push, bufferedBytes = () => 0, streamsMax } = this.#options;
    if (!push) {
      reply(refusal('E_INPUT_INVALID', `${operation.name} needs a connection that stays open`));
      return;
    }
    if (this.#streams.size >= streamsMax) {
      reply(refusal('E_INPUT_INVALID', `this connection has ${streamsMax} streams already`));
      return;
    }
    const send = (message: StreamMessage): void => {
      push(subscription, message);
      // Nothing more comes of it, so it takes no place among the streams of the connection.
      if (message.type === 'output_ended') this.#closeStream(subscription);
    };
    let opened: Outcome<OpenStream>;
    try {
      opened = operation.open(pick(ports, operation.ports), input, { send, bufferedBytes });
    } catch (error) {
      // Without a reply the caller would wait for ever.
      reply(this.#failed(operation.name, error, error instanceof Fault ? error : null));
      return;
    }
    if (!opened.ok) {
      reply(resultOf(opened));
      return;
    }
    const stream = opened.value;
    const { subscription } = stream.reply;
    this.#streams.set(subscription, stream);
    reply({ ok: true, value: stream.reply });
    // Writing the reply may have shown that the peer is gone.
    if (!this.#isClosed) stream.start();
  }

  #closeStream(subscription: string): boolean {
    this.#streams.get(subscription)?.[Symbol.dispose]();
    return this.#streams.delete(subscription);
  }
}

/** One call until its reply, and its work until that ends or is aborted. */
class RunningCall {
  readonly #controller = new AbortController();
  readonly #reply: WriteReply;
  #timer: NodeJS.Timeout | null = null;
  #isCommitted = false;

  constructor(reply: WriteReply) {
    this.#reply = reply;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  limit({ name, deadlineMs }: CallOperation): void {
    this.#timer = setTimeout(() => {
      const detail = this.#isCommitted ? 'it goes on without you' : 'it was given up';
      const fault = new Fault('timeout', { about: name, detail });
      this.settle(refusal(fault.code, fault.message));
      this.abort(fault);
    }, deadlineMs);
  }

  settle(result: CallResult): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#reply(result);
  }

  commit(): void {
    this.signal.throwIfAborted();
    this.#isCommitted = true;
  }

  /** The caller is gone: nobody waits for a reply. */
  leave(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.abort(new Fault('timeout', { about: 'the caller', detail: 'it has hung up' }));
  }

  abort(reason: Fault): void {
    if (!this.#isCommitted) this.#controller.abort(reason);
  }

  /** The fault behind a rejection; null for our own bugs. Node rejects with an AbortError. */
  faultOf(error: unknown): Fault | null {
    if (error instanceof Fault) return error;
    const isAbort = this.signal.aborted && error instanceof Error && error.name === 'AbortError';
    return isAbort ? this.signal.reason : null;
  }
}

function resultOf(outcome: Awaited<ReturnType<CallOperation['run']>>): CallResult {
  if (outcome.ok) return outcome;
  return refusalOf(outcome.refusal);
}

/** An operation reaches what it names and nothing else. */
function pick(ports: Ports, names: readonly PortName[]): Ports {
  return Object.fromEntries(names.map((name) => [name, ports[name]])) as unknown as Ports;
}
