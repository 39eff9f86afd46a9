// The machines that are watched: this one, and those that were added, each by a watch of its own.
// What is known of them is in the world; one that is down does not delay the others.

import type { HookMachine } from '../../hooks/machine.ts';
import type { TargetLogin, TargetsPort } from '../../operations/ports/ports.ts';
import { Fault } from '../../platform/fault.ts';
import type { TargetId } from '../../schema/ids.ts';
import type { Target } from '../../schema/target.ts';
import type { RemoteFile, RemoteUpload } from '../../ssh/remote/remote-uploads.ts';
import type { Loop } from '../engine/loop.ts';

/** How a machine is, as its watch sees it. */
export interface TargetStatus {
  readonly health: Target['health'];
  /** Why it is not well, in words; null when it is. */
  readonly detail: string | null;
  /** When it last answered; null when it has not yet. */
  readonly lastSeenAtMs: number | null;
  /** True where the machine answers and has no tmux. */
  readonly isWithoutTmux?: boolean;
}

/** The watch of one machine. */
export interface TargetWatch {
  readonly status: TargetStatus;
  /** Tries at once. Resolves when it was reached or has failed. */
  connect(signal: AbortSignal): Promise<void>;
  /** How a person logs in there; null while it is not reached. */
  readonly login?: TargetLogin | null;
  /** The user's usual tmux server there; null while it is not reached. */
  readonly userServer?: string | null;
  /** Watches another tmux server there too, or no longer. */
  watchServer?(server: string, isWatched: boolean): void;
  /** Its files for the installer of hooks; null while it is not reached. */
  hookMachine?(): HookMachine | null;
  /** Keeps a file for an agent there; null while it is not reached. */
  keepUpload?(upload: RemoteUpload, signal: AbortSignal): Promise<RemoteFile> | null;
  /** Ends it. Resolves when no process is left. */
  [Symbol.asyncDispose](): Promise<void>;
}

export interface TargetsOptions {
  readonly loop: Pick<Loop, 'submit' | 'world'>;
  readonly nowMs: () => number;
  /**
   * Begins to watch a machine; `onHealth` is called whenever that changes. Throws a Fault where it
   * cannot be watched at all.
   */
  readonly open: (target: Target, onHealth: () => void) => TargetWatch;
  /** How a machine is, again and again. `sinceMs`: since when it does not answer, if it is down. */
  readonly report?: (targetId: TargetId, status: TargetStatus, sinceMs: number) => void;
}

/** A health that could not be stored when it changed is stored by one of these comparisons. */
const COMPARE_MS = 1_000;

export class Targets implements TargetsPort, AsyncDisposable {
  readonly #options: TargetsOptions;
  readonly #watches = new Map<TargetId, TargetWatch>();
  /** When the watch of each began. */
  readonly #openedAtMs = new Map<TargetId, number>();
  readonly #closing = new Set<Promise<void>>();
  readonly #compare: NodeJS.Timeout;

  constructor(options: TargetsOptions) {
    this.#options = options;
    this.#compare = setInterval(() => this.#compareAll(), COMPARE_MS).unref();
  }

  /** Watches every machine that is known from before. */
  start(): void {
    for (const target of this.#options.loop.world.targets.values()) {
      if (target.kind === 'ssh') this.#resume(target);
    }
  }

  statusOf(targetId: TargetId): TargetStatus {
    const status = this.#watches.get(targetId)?.status;
    if (!status) return { health: 'ok', detail: null, lastSeenAtMs: this.#options.nowMs() };
    const answeredAtMs = this.#options.loop.world.targets.get(targetId)?.answeredAtMs ?? null;
    return { ...status, lastSeenAtMs: status.lastSeenAtMs ?? answeredAtMs };
  }

  watchServer(targetId: TargetId, server: string, isWatched: boolean): void {
    this.#watches.get(targetId)?.watchServer?.(server, isWatched);
  }

  userServerOf(targetId: TargetId): string | null {
    return this.#watches.get(targetId)?.userServer ?? null;
  }

  loginOf(targetId: TargetId): TargetLogin | null {
    return this.#watches.get(targetId)?.login ?? null;
  }

  /** The files of another machine, for hooks; null where it cannot be reached. */
  async hookMachine(targetId: TargetId, signal: AbortSignal): Promise<HookMachine | null> {
    const watch = this.#watches.get(targetId);
    // After a start, of the daemon or of the watch, the connection is still being made.
    if (!watch?.hookMachine?.()) await watch?.connect(signal);
    return watch?.hookMachine?.() ?? null;
  }

  /** Keeps a file for an agent of another machine; null where it cannot be reached. */
  keepUpload(
    targetId: TargetId,
    upload: RemoteUpload,
    signal: AbortSignal,
  ): Promise<RemoteFile> | null {
    return this.#watches.get(targetId)?.keepUpload?.(upload, signal) ?? null;
  }

  /** Throws a Fault, and then it is not one of the targets. */
  add(target: Target): Target {
    const watch = this.#open(target);
    this.#watches.set(target.targetId, watch);
    try {
      return this.#submitTarget(target);
    } catch (error) {
      this.#watches.delete(target.targetId);
      this.#close(watch);
      throw error;
    }
  }

  async connect(targetId: TargetId, signal: AbortSignal): Promise<void> {
    await this.#watches.get(targetId)?.connect(signal);
  }

  /** Throws a Fault, and then it is watched as before. */
  remove(targetId: TargetId): void {
    const { loop, nowMs } = this.#options;
    loop.submit([{ kind: 'fact', fact: { type: 'target.removed', atMs: nowMs(), targetId } }]);
    const watch = this.#watches.get(targetId);
    this.#watches.delete(targetId);
    if (watch) this.#close(watch);
  }

  /** Forgets all that is known of a machine, which is watched as before. */
  forget(targetId: TargetId): void {
    const { loop, nowMs } = this.#options;
    const target = loop.world.targets.get(targetId);
    if (!target) return;
    const atMs = nowMs();
    this.#unlessFull(() =>
      loop.submit([
        { kind: 'fact', fact: { type: 'target.removed', atMs, targetId } },
        { kind: 'fact', fact: { type: 'target.changed', atMs, target } },
      ]),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#compare);
    for (const watch of this.#watches.values()) this.#close(watch);
    this.#watches.clear();
    await Promise.all(this.#closing);
  }

  /** One of them that cannot be watched must not keep the daemon from the others. */
  #resume(target: Target): void {
    try {
      this.#watches.set(target.targetId, this.#open(target));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.#watches.set(target.targetId, unwatchable(error.message));
    }
    // Whatever it was before: now it has not been reached yet.
    this.#healthOf(target.targetId);
  }

  #open(target: Target): TargetWatch {
    this.#openedAtMs.set(target.targetId, this.#options.nowMs());
    return this.#options.open(target, () => this.#healthOf(target.targetId));
  }

  #close(watch: TargetWatch): void {
    const closing = watch[Symbol.asyncDispose]();
    this.#closing.add(closing);
    void closing.finally(() => this.#closing.delete(closing));
  }

  #compareAll(): void {
    for (const targetId of this.#watches.keys()) this.#healthOf(targetId);
  }

  #healthOf(targetId: TargetId): void {
    const target = this.#options.loop.world.targets.get(targetId);
    if (!target || !this.#watches.has(targetId)) return;
    const status = this.statusOf(targetId);
    const { health, lastSeenAtMs } = status;
    if (health !== target.health) {
      const answered = lastSeenAtMs === null ? {} : { answeredAtMs: lastSeenAtMs };
      // Where that fails it is compared again soon.
      this.#unlessFull(() => this.#submitTarget({ ...target, ...answered, health }));
    }
    const openedAtMs = this.#openedAtMs.get(targetId) ?? this.#options.nowMs();
    this.#options.report?.(targetId, status, lastSeenAtMs ?? openedAtMs);
  }

  /** The source of a health has no use for a fault of our store. */
  #unlessFull(submit: () => unknown): void {
    try {
      submit();
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
    }
  }

  #submitTarget(target: Target): Target {
    const { loop, nowMs } = this.#options;
    loop.submit([{ kind: 'fact', fact: { type: 'target.changed', atMs: nowMs(), target } }]);
    return target;
  }
}

const unwatchable = (detail: string): TargetWatch => ({
  status: { health: 'down', detail, lastSeenAtMs: null },
  connect: async () => {},
  [Symbol.asyncDispose]: async () => {},
});
