// Screens as evidence: captures of the panes that changed, in one command each through the control
// client, judged by the agent's rules. A screen that shows what it showed is read again, not judged
// again; a screen that no rule matches counts only when a second capture matches none either.

import { createHash } from 'node:crypto';
import type { Adapter } from '../../agents/adapter.ts';
import { foreignBottom } from '../../agents/screen/live-bottom.ts';
import { insideScreen } from '../../agents/screen/nested-screen.ts';
import { judgeScreen, type ScreenVerdict } from '../../agents/screen/rules.ts';
import { type ScreenView, viewScreen } from '../../agents/screen/screen-view.ts';
import type { Evidence } from '../../schema/evidence.ts';
import type { ChannelName } from '../../schema/ids.ts';
import type { CapturedScreen } from '../../tmux/capture.ts';
import { paneEvidence } from '../evidence.ts';
import type { Daemon } from '../known-pane.ts';
import type { PaneAgent } from '../pane-agent.ts';
import { DrawnScreens, type OlderText } from './older-text.ts';
import { needsSecondCapture, screenSourceOf, signalOfScreen } from './screen-claims.ts';
import type { TitleOrigin } from './title-source.ts';

/** An agent that is older has painted its screen. */
const YOUNG_MS = 2_500;
/** One that has not even written its title may need longer. Start dialogs leave the title alone. */
const UNTITLED_MS = 10_000;
/** How long an agent without a visible process must draw nothing before its rest counts. */
const QUIET_MS = 1_500;

interface ReportedVerdict {
  readonly verdict: ScreenVerdict;
  readonly saysAtMs: number;
}

interface ScreenMemory {
  readonly adapter: Adapter | null;
  readonly runtimeId: string | null;
  readonly hash: string;
  readonly panePid: number;
  /** Null for an agent with a process: it is not needed, and large. */
  readonly view: ScreenView | null;
  readonly verdict: ScreenVerdict | null;
  /** Whether the rules asked for styles. */
  readonly asksStyle: boolean;
  /** When what the screen says last changed. */
  readonly saysAtMs: number;
  /** When anything on it last changed. */
  readonly changedAtMs: number;
  /** The screen from before the agent started; null once the agent has painted. */
  readonly foreign: { readonly drawn: string } | null;
  readonly older: OlderText | null;
  /** What was last reported: it may still stand where the screen does not show it. */
  readonly reported: ReportedVerdict | null;
  /** Whether the verdict, or that there is none, was reported. */
  readonly isReported: boolean;
}

export interface ScreenJudgement {
  readonly evidence: Evidence | null;
  /** The screen differs from the last one. */
  readonly isNew: boolean;
  readonly needsSecondCapture: boolean;
  /** The first screen that no rule matches. */
  readonly isUnknown: boolean;
  /** Styles matter here: where the screen came without them, it was not judged. */
  readonly asksStyle: boolean;
}

export class ScreenSource {
  readonly #memory = new Map<string, ScreenMemory>();
  readonly #drawn = new DrawnScreens();
  readonly #daemon: Daemon;
  readonly #channel: ChannelName;

  constructor(daemon: Daemon, channel: ChannelName) {
    this.#daemon = daemon;
    this.#channel = channel;
  }

  /**
   * The last screen of a pane, for panes whose processes cannot be seen. Null where it shows what
   * another process, or an agent that was seen, has left there.
   */
  viewOf(paneId: string, panePid: number): ScreenView | null {
    const memory = this.#memory.get(paneId);
    return memory?.panePid === panePid ? memory.view : null;
  }

  /** Whether a shell prompts at the live end of a pane whose processes cannot be seen. */
  showsShell(paneId: string, panePid: number): boolean {
    const view = this.viewOf(paneId, panePid);
    return view !== null && foreignBottom(view) === 'shell';
  }

  forget(paneId: string): void {
    this.#memory.delete(paneId);
  }

  /** Forgets all of the panes that are gone. */
  keep(listed: ReadonlySet<string>): void {
    this.#drawn.keep(listed);
  }

  /** The evidence of a captured screen; without an agent the screen is only kept. */
  read(
    paneId: string,
    captured: CapturedScreen,
    agent: PaneAgent | null,
    titleOrigin: TitleOrigin,
  ): ScreenJudgement {
    // No rule may go by the title of another.
    const screen = titleOrigin === 'own' ? captured : { ...captured, title: '' };
    const nowMs = this.#daemon.nowMs();
    const before = this.#memory.get(paneId) ?? null;
    const older = this.#olderText(paneId, screen, agent, before);
    this.#drawn.note(paneId, screen, agent, nowMs);
    const now = judge(screen, agent, before, { older, nowMs });
    const isNew = before?.hash !== now.hash;
    const { asksStyle } = now;
    const result = { isNew, isUnknown: false, asksStyle };
    if (asksStyle && !screen.isStyled)
      return { evidence: null, ...result, needsSecondCapture: false };
    this.#memory.set(paneId, now);
    if (agent === null) return { evidence: null, ...result, needsSecondCapture: false };
    if (isTooEarly(now, agent, titleOrigin, nowMs)) {
      const evidence = isMoving(now, agent, nowMs) ? this.#goesOn(agent, now, nowMs) : null;
      return { evidence, ...result, needsSecondCapture: true };
    }
    if (now.verdict?.says === null) {
      const evidence = this.#hidden(paneId, agent, now, nowMs);
      return { evidence, ...result, needsSecondCapture: false };
    }
    return { ...result, ...this.#judged(paneId, agent, { before, now }, nowMs) };
  }

  #judged(
    paneId: string,
    agent: PaneAgent,
    { before, now }: { before: ScreenMemory | null; now: ScreenMemory },
    nowMs: number,
  ): Pick<ScreenJudgement, 'evidence' | 'isUnknown' | 'needsSecondCapture'> {
    const isUnproven = now.verdict === null && !now.isReported;
    const isFirst = before === null || before.verdict !== null || !sameAgent(before, now);
    this.#memory.set(paneId, { ...now, isReported: !(isUnproven && isFirst) });
    if (isUnproven && isFirst) {
      return { evidence: null, isUnknown: true, needsSecondCapture: true };
    }
    return {
      evidence: this.#report(paneId, agent, now, nowMs),
      isUnknown: false,
      // It may have been captured before and not been reported, as it was too early.
      needsSecondCapture: !now.isReported && needsSecondCapture(now.verdict),
    };
  }

  #olderText(
    paneId: string,
    screen: CapturedScreen,
    agent: PaneAgent | null,
    before: ScreenMemory | null,
  ): OlderText | null {
    const isSame = before !== null && before.runtimeId === agent?.runtime.runtimeId;
    return this.#drawn.olderText(paneId, screen, agent, isSame ? before.older : undefined);
  }

  /** Behind a viewer a turn may end unseen; a dialog waits there until the viewer is closed. */
  #hidden(paneId: string, agent: PaneAgent, now: ScreenMemory, nowMs: number): Evidence | null {
    const { reported } = now;
    if (reported !== null && isAsking(reported.verdict)) return this.#again(agent, now, nowMs);
    return reported?.verdict.says === 'running' ? this.#report(paneId, agent, now, nowMs) : null;
  }

  /** Text that moves after work was shown is work, though it looks like rest. */
  #goesOn(agent: PaneAgent, now: ScreenMemory, nowMs: number): Evidence | null {
    return now.reported?.verdict.says === 'running' ? this.#again(agent, now, nowMs) : null;
  }

  #report(paneId: string, agent: PaneAgent, now: ScreenMemory, nowMs: number): Evidence {
    const { verdict, saysAtMs } = now;
    const reported = verdict === null || verdict.says === null ? null : { verdict, saysAtMs };
    const memory = this.#memory.get(paneId) ?? now;
    this.#memory.set(paneId, { ...memory, reported });
    return this.#evidence(agent, now, nowMs);
  }

  /** The evidence that was reported last, read again. */
  #again(agent: PaneAgent, now: ScreenMemory, nowMs: number): Evidence | null {
    return now.reported && this.#evidence(agent, { ...now, ...now.reported }, nowMs);
  }

  #evidence({ runtime, adapter }: PaneAgent, memory: ScreenMemory, nowMs: number): Evidence {
    const spec = screenSourceOf(adapter);
    return paneEvidence(signalOfScreen(memory.verdict, spec, memory.changedAtMs), this.#daemon, {
      channel: this.#channel,
      spec,
      runtimeId: runtime.runtimeId,
      nowMs,
      atMs: memory.saysAtMs,
    });
  }
}

function judge(
  screen: CapturedScreen,
  agent: PaneAgent | null,
  before: ScreenMemory | null,
  { older, nowMs }: { older: OlderText | null; nowMs: number },
): ScreenMemory {
  const adapter = agent?.adapter ?? null;
  const runtimeId = agent?.runtime.runtimeId ?? null;
  const readStyle = before?.asksStyle ?? false;
  const seen = hashOf(screen, readStyle);
  const isSameProcess = before?.panePid === screen.panePid && before.runtimeId === runtimeId;
  if (isSameProcess && before.hash === seen && before.adapter === adapter) return before;
  const { ansi, ...plain } = screen;
  const input = { ...plain, ...(screen.isStyled && { ansi }), olderCount: older?.ownFrom };
  const isInside = agent === null || isUnseen(agent);
  const view = viewScreen(isInside ? insideScreen(input) : input);
  const verdict = agent === null ? null : verdictOn(view, agent);
  const { panePid } = screen;
  const keptView = isInside ? view : null;
  const asksStyle = view.asksStyle();
  const hash = asksStyle === readStyle ? seen : hashOf(screen, asksStyle);
  const shown = { hash, panePid, view: keptView, verdict, asksStyle, changedAtMs: nowMs };
  const now = { adapter, runtimeId, ...shown };
  const foreign = foreignOf(screen, agent, before, nowMs);
  return { ...now, foreign, older, ...keptFrom(before, now, nowMs) };
}

/** What outlasts a change of the screen: all of it where it says the same of the same agent. */
function keptFrom(
  before: ScreenMemory | null,
  now: Pick<ScreenMemory, 'adapter' | 'runtimeId' | 'verdict'>,
  nowMs: number,
): Pick<ScreenMemory, 'reported' | 'saysAtMs' | 'isReported'> {
  if (before === null || !sameAgent(before, now)) {
    return { reported: null, saysAtMs: nowMs, isReported: false };
  }
  const { reported, saysAtMs, isReported } = before;
  const isSame = contentOf(before) === contentOf(now);
  return isSame
    ? { reported, saysAtMs, isReported }
    : { reported, saysAtMs: nowMs, isReported: false };
}

/**
 * An agent that has just begun has painted nothing yet: what another left there, a dialog even, is
 * not its own until something changes, or until it must have painted. Its title may come first.
 */
function foreignOf(
  screen: CapturedScreen,
  agent: PaneAgent | null,
  before: ScreenMemory | null,
  nowMs: number,
): ScreenMemory['foreign'] {
  if (agent === null) return null;
  const { pid, startedAtMs, runtimeId } = agent.runtime;
  const isFirst = before?.runtimeId !== runtimeId;
  const mayBe = isFirst ? pid !== null && nowMs - startedAtMs < YOUNG_MS : before.foreign !== null;
  if (!mayBe) return null;
  const drawn = hashOf({ ...screen, title: '' }, false);
  return isFirst || before.foreign?.drawn === drawn ? { drawn } : null;
}

/** Without a process of its own an agent is behind ssh or in a nested tmux, as far as is known. */
const isUnseen = ({ runtime }: PaneAgent): boolean => runtime.pid === null;

/** There a shell, a pager or an editor at the live end shows that the agent is not in front. */
function verdictOn(view: ScreenView, agent: PaneAgent): ScreenVerdict | null {
  if (isUnseen(agent) && foreignBottom(view) !== null) return null;
  return judgeScreen(agent.adapter.screen, view);
}

/**
 * Text that streams looks like rest in some agents, and their titles do not come through a nested
 * tmux: there a rest counts when nothing moves.
 */
const isMoving = (memory: ScreenMemory, agent: PaneAgent, nowMs: number): boolean =>
  isUnseen(agent) && needsSecondCapture(memory.verdict) && nowMs - memory.changedAtMs < QUIET_MS;

/** Whether what is drawn may be another's, or may still be changing. */
function isTooEarly(
  memory: ScreenMemory,
  agent: PaneAgent,
  titleOrigin: TitleOrigin,
  nowMs: number,
): boolean {
  if (isMoving(memory, agent, nowMs)) return true;
  const { foreign, older } = memory;
  // At its start an agent rests, whoever drew that.
  const isAllOlder = older?.isAll === true && memory.verdict?.says !== 'at_rest';
  if (foreign === null && !isAllOlder) return false;
  const waitMs = titleOrigin === 'left_at_work' || isAllOlder ? UNTITLED_MS : YOUNG_MS;
  return nowMs - agent.runtime.startedAtMs < waitMs;
}

const sameAgent = (
  a: Pick<ScreenMemory, 'adapter' | 'runtimeId'>,
  b: Pick<ScreenMemory, 'adapter' | 'runtimeId'>,
): boolean => a.adapter === b.adapter && a.runtimeId === b.runtimeId;

/** Two dialogs of one rule are two: what they ask is part of what the screen says. */
const contentOf = ({ verdict }: Pick<ScreenMemory, 'verdict'>): string =>
  verdict === null
    ? ''
    : JSON.stringify([verdict.rule.id, verdict.says, isAsking(verdict) ? verdict.details : null]);

const isAsking = ({ says }: ScreenVerdict): boolean =>
  says === 'waiting_approval' || says === 'waiting_input';

// Titles are part of some rules, and the cursor tells a dialog from a picture of it. Styles count
// where rules ask for them: a capture without them is the same screen elsewhere.
function hashOf(screen: CapturedScreen, hasStyle: boolean): string {
  const { ansi, lines, title, cursor, cols, alternateOn } = screen;
  return createHash('sha1')
    .update(JSON.stringify([title, cursor, cols, alternateOn]))
    .update(hasStyle ? ansi : lines.join('\n'))
    .digest('base64');
}
