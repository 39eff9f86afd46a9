// Wires the watch of what agents write themselves on one machine: its files, the servers whose
// panes the agents run in, and a look whenever an agent started or ended.

import {
  AgentFilesWatch,
  type AgentFilesWatchOptions,
} from '../../agent-files/agent-files-watch.ts';
import type { AnnounceTranscript } from '../../agent-files/conversations/transcript.ts';
import type { AgentMachine } from '../../agent-files/readers/agent-files-source.ts';
import type { Daemon } from '../../sources/known-pane.ts';
import type { DaemonCore } from '../daemon-core.ts';
import { PartGate } from '../life/part-gate.ts';

export type WatchedMachine = AgentMachine & Pick<AgentFilesWatchOptions, 'targetId' | 'servers'>;

/**
 * Watches report changes at once; the beat covers what they miss and confirms unchanged values.
 * Channels are fresh for 3 s after a beat.
 */
const BEAT_MS = 1_900;

/** The owner calls `beat` while the machine can be reached. */
export interface AgentFilesCollector extends Disposable {
  beat(nowMs: number): void;
}

export function watchAgentFiles(
  base: DaemonCore,
  daemon: Daemon,
  machine: WatchedMachine & { readonly announce: AnnounceTranscript },
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
      log.warn({ target: targetId, problem }, 'the files of an agent cannot be read');
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
