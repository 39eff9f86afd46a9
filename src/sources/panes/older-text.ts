// What stood on a pane's screen before its agent began: text of an earlier run, or of a shell. It
// is no evidence of this agent, however long it stays above what the agent draws.

import type { CapturedScreen } from '../../tmux/capture.ts';
import type { PaneAgent } from '../pane-agent.ts';

/** Less than this may be alike by chance: a prompt, a line across the pane. */
const ALIKE_MIN = 2;
/** What a shell writes over the screen of a killed agent: how it ended, a prompt, a command. */
const SHELL_LINES_MAX = 3;

interface DrawnScreen {
  readonly atMs: number;
  readonly panePid: number;
  readonly runtimeId: string | null;
  readonly lines: readonly string[];
  readonly isAlternate: boolean;
}

/** The text from before an agent's start that is still at the top of its screen. */
export interface OlderText {
  readonly lines: readonly string[];
  /** It was drawn on the alternate screen, which its program did not leave. */
  readonly isAlternate: boolean;
  /** How many lines from the top are old; old text only moves up, so it never grows. */
  readonly count: number;
  /** The first line that counts: where all is old, the agent may have drawn the same again. */
  readonly ownFrom: number;
  /** The agent has drawn nothing yet: all is old but what a shell wrote over it. */
  readonly isAll: boolean;
}

/** The last screens of each pane: one of them may be from before the next agent. */
export class DrawnScreens {
  readonly #byPane = new Map<string, readonly DrawnScreen[]>();

  /** Notes a captured screen: the last one of the agent, and the last one before it. */
  note(paneId: string, screen: CapturedScreen, agent: PaneAgent | null, atMs: number): void {
    const runtimeId = agent?.runtime.runtimeId ?? null;
    const { lines, panePid, alternateOn: isAlternate } = screen;
    const others = (this.#byPane.get(paneId) ?? []).filter((each) => each.runtimeId !== runtimeId);
    this.#byPane.set(paneId, [
      ...others.slice(-1),
      { atMs, panePid, runtimeId, lines, isAlternate },
    ]);
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
    if (agent === null || agent.runtime.pid === null) return null;
    const old = before === undefined ? this.#drawnBefore(paneId, screen, agent) : before;
    // The alternate screen is blank when an agent enters it; a killed one has not left it.
    if (!old || (screen.alternateOn && !old.isAlternate)) return null;
    const { lines, isAlternate } = old;
    const alike = alikeLines(lines, screen.lines);
    if (alike.count === 0) return null;
    const isAll = isOldBelow(lines, screen.lines, alike);
    const count = Math.min(alike.count, before?.count ?? alike.count);
    return { lines, isAlternate, count, isAll, ownFrom: isAll ? 0 : count };
  }

  #drawnBefore(
    paneId: string,
    { panePid }: CapturedScreen,
    { runtime }: PaneAgent,
  ): DrawnScreen | undefined {
    const drawn = this.#byPane.get(paneId) ?? [];
    return drawn.findLast((each) => each.panePid === panePid && each.atMs < runtime.startedAtMs);
  }
}

interface Alike {
  readonly count: number;
  /** The line of the old screen that is now the first. */
  readonly shift: number;
}

/** How many lines from the top of a screen are, one after the other, lines of the old one. */
function alikeLines(old: readonly string[], lines: readonly string[]): Alike {
  let best = { written: ALIKE_MIN - 1, count: 0, shift: 0 };
  for (let shift = 0; shift < old.length; shift += 1) {
    let count = 0;
    let written = 0;
    while (count < lines.length && shift + count < old.length) {
      const line = (lines[count] ?? '').trimEnd();
      if (line !== old[shift + count]?.trimEnd()) break;
      if (line !== '') written += 1;
      count += 1;
    }
    if (written > best.written) best = { written, count, shift };
  }
  return best;
}

/** Whether what follows the lines that are alike is old as well, but for a few lines of a shell. */
function isOldBelow(old: readonly string[], lines: readonly string[], alike: Alike): boolean {
  const isNew = (line: string, index: number): boolean =>
    line.trimEnd() !== '' && line.trimEnd() !== old[alike.shift + index]?.trimEnd();
  const changed = lines.filter((line, index) => index >= alike.count && isNew(line, index));
  const isBlank = lines.slice(alike.count).every((line) => line.trimEnd() === '');
  return isBlank || (changed.length <= SHELL_LINES_MAX && hasOld(old, lines, alike));
}

/** Whether a line under those that are alike is where it was: the shell wrote amid the old text. */
function hasOld(old: readonly string[], lines: readonly string[], alike: Alike): boolean {
  return lines.some((line, index) => {
    const text = line.trimEnd();
    return index >= alike.count && text !== '' && text === old[alike.shift + index]?.trimEnd();
  });
}
