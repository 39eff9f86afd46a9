// What stood on a pane's screen before its agent began: text of an earlier run, or of a shell. It
// is no evidence of this agent, however long it stays above what the agent draws.

import type { CapturedScreen } from '../../tmux/capture.ts';
import type { PaneAgent } from '../pane-agent.ts';

/** Less than this may be alike by chance: a prompt, a line across the pane. */
const ALIKE_MIN = 2;

interface DrawnScreen {
  readonly atMs: number;
  readonly panePid: number;
  readonly runtimeId: string | null;
  readonly lines: readonly string[];
}

/** The text from before an agent's start that is still at the top of its screen. */
export interface OlderText {
  readonly lines: readonly string[];
  /** How many lines from the top are old; old text only moves up, so it never grows. */
  readonly count: number;
  /** The first line that counts: where all is old, the agent may have drawn the same again. */
  readonly ownFrom: number;
  /** The agent has drawn nothing yet. */
  readonly isAll: boolean;
}

/** The last screens of each pane: one of them may be from before the next agent. */
export class DrawnScreens {
  readonly #byPane = new Map<string, readonly DrawnScreen[]>();

  /** Notes a captured screen: the last one of the agent, and the last one before it. */
  note(paneId: string, screen: CapturedScreen, agent: PaneAgent | null, atMs: number): void {
    const runtimeId = agent?.runtime.runtimeId ?? null;
    const { lines, panePid } = screen;
    const others = (this.#byPane.get(paneId) ?? []).filter((each) => each.runtimeId !== runtimeId);
    this.#byPane.set(paneId, [...others.slice(-1), { atMs, panePid, runtimeId, lines }]);
  }

  keep(listed: ReadonlySet<string>): void {
    for (const paneId of this.#byPane.keys()) {
      if (!listed.has(paneId)) this.#byPane.delete(paneId);
    }
  }

  /** The text from before the agent started; `before` is the last result for the same agent. */
  olderText(
    paneId: string,
    screen: CapturedScreen,
    agent: PaneAgent | null,
    before: OlderText | null | undefined,
  ): OlderText | null {
    // The alternate screen is blank when an agent enters it.
    if (agent === null || agent.runtime.pid === null || screen.alternateOn) return null;
    const lines = before === undefined ? this.#linesBefore(paneId, screen, agent) : before?.lines;
    if (lines === undefined) return null;
    const alike = alikeCount(lines, screen.lines);
    if (alike === 0) return null;
    const isAll = screen.lines.slice(alike).every((line) => line.trimEnd() === '');
    const count = Math.min(alike, before?.count ?? alike);
    return { lines, count, isAll, ownFrom: isAll ? 0 : count };
  }

  #linesBefore(
    paneId: string,
    { panePid }: CapturedScreen,
    { runtime }: PaneAgent,
  ): readonly string[] | undefined {
    const drawn = this.#byPane.get(paneId) ?? [];
    return drawn.findLast((each) => each.panePid === panePid && each.atMs < runtime.startedAtMs)
      ?.lines;
  }
}

/** How many lines from the top of a screen are, one after the other, lines of the old one. */
function alikeCount(old: readonly string[], lines: readonly string[]): number {
  let best = { written: ALIKE_MIN - 1, count: 0 };
  for (let shift = 0; shift < old.length; shift += 1) {
    let count = 0;
    let written = 0;
    while (count < lines.length && shift + count < old.length) {
      const line = (lines[count] ?? '').trimEnd();
      if (line !== old[shift + count]?.trimEnd()) break;
      if (line !== '') written += 1;
      count += 1;
    }
    if (written > best.written) best = { written, count };
  }
  return best.count;
}
