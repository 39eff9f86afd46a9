// What the lab demands. Pure.

import { isOpaque, type Mode } from './mode.ts';

/** Agents whose own files or output tell nearly all without hooks. */
const selfReporting = ['claude', 'codex'];

/** The least score; the quick run has a lower one, as it may share a busy machine. */
export function scoreGate(agent: string, mode: Mode, isQuick: boolean): number {
  if (isQuick) return 0.9;
  if (mode === 'with hooks') return 0.98;
  if (isOpaque(mode)) return 0.85;
  return selfReporting.includes(agent) ? 0.97 : 0.93;
}

/** From a signal's own time to the client; of a quick run and of another machine only printed. */
export const SIGNAL_P95_MS = 300;

export const GATED_MODES_TEXT =
  'Gates: claude and codex 97 % without hooks and over ssh, others 93 %, with hooks 98 %, where ' +
  'only a screen shows the agent 85 %; no wait missed or overstayed for more than 2 s; signals ' +
  'on this machine 300 ms (p95).';
