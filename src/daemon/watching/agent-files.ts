// What the agents of a machine tell by themselves, wired: their files, the servers whose panes they
// sit in, and a look whenever one of them came or went.

import {
  AgentFilesWatch,
  type AgentFilesWatchOptions,
} from '../../agent-files/agent-files-watch.ts';
import type { AgentMachine } from '../../agent-files/readers/agent-files-source.ts';
import type { Daemon } from '../../sources/known-pane.ts';
import type { DaemonCore } from '../daemon-core.ts';
import { PartGate } from '../life/part-gate.ts';

export type WatchedMachine = AgentMachine & Pick<AgentFilesWatchOptions, 'targetId' | 'places'>;

/**
 * Files tell of a change at once; this is for what that misses, and for values that stand. Channels
 * are fresh for 3 s after a beat.
 */
const BEAT_MS = 1_900;

/** The watch beats when it is told to: a machine that is not reached has nothing to say. */
export interface AgentFilesCollector extends Disposable {
  beat(nowMs: number): void;
}

export function watchAgentFiles(
  base: DaemonCore,
  daemon: Daemon,
  machine: WatchedMachine,
): AgentFilesCollector {
  const { adapters, log, loop } = base;
  const { targetId } = machine;
  const watch = new AgentFilesWatch({
    ...machine,
    daemon,
    registry: () => adapters.registry,
    config: () => base.config,
    gate: (part) =>
      new PartGate(part, {
        config: () => base.config,
        nowMs: base.nowMs,
        random: Math.random,
        signal: (signal) => base.signal(signal),
      }),
    onProblem: (problem) => {
      log.warn({ target: targetId, problem }, 'what an agent tells cannot be read');
    },
  });
  const listening = loop.onApplied(({ events }) => {
    const isOther = events.some(
      ({ type }) => type === 'runtime.started' || type === 'runtime.ended',
    );
    if (isOther) watch.look();
  });
  let beatAtMs = Number.NEGATIVE_INFINITY;
  return {
    beat(nowMs) {
      if (nowMs - beatAtMs < BEAT_MS) return;
      beatAtMs = nowMs;
      watch.beat(nowMs);
    },
    [Symbol.dispose]() {
      listening[Symbol.dispose]();
      watch[Symbol.dispose]();
    },
  };
}
