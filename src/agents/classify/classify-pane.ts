// One pane, one answer, from what tmux shows and the process tree: who is there and what the screen
// says, and for a record, what its signals add. This is what `agtmux classify` prints and what the
// accuracy figure measures; the daemon weighs the same verdicts against other sources in core/.

import { parseVisibleRecord, type VisibleRecord } from '../../schema/record.ts';
import type { Confidence, Presence, ReasonCode, Says, State } from '../../schema/state.ts';
import {
  type Identity,
  identifyPane,
  isCommandOf,
  isOpaquePane,
} from '../identify/identify-pane.ts';
import { parseProcessTree } from '../identify/process-tree.ts';
import type { Registry } from '../registry.ts';
import { foreignBottom } from '../screen/live-bottom.ts';
import { insideScreen } from '../screen/nested-screen.ts';
import { isInputEmpty, judgeScreen, type ScreenVerdict } from '../screen/rules.ts';
import { type ScreenView, viewScreen } from '../screen/screen-view.ts';
import { weighSignals } from './weigh-signals.ts';

export interface PaneClassification {
  readonly agent: string | null;
  readonly presence: Presence;
  readonly state: State;
  readonly reasonCode: ReasonCode | null;
  readonly confidence: Confidence;
  readonly rule: string | null;
  readonly identity: Identity;
  readonly verdict: ScreenVerdict | null;
  /** Null where no input box is shown. */
  readonly inputEmpty: boolean | null;
}

export interface ClassifyOptions {
  /** Looks at no other agent, and takes this one as present where the tree cannot be read. */
  readonly agent?: string | undefined;
  /** A bare screen: it may come without its command. */
  readonly isRaw?: boolean | undefined;
}

export interface RecordOptions extends ClassifyOptions {
  /** Uses the recorded signals too; where they prove something they outrank the screen. */
  readonly withSignals?: boolean | undefined;
}

/** Classifies a record file, or null when the value is not a record. */
export function classifyRecord(
  raw: unknown,
  registry: Registry,
  options: RecordOptions = {},
): PaneClassification | null {
  const visible = parseVisibleRecord(raw);
  if (visible === null) return null;
  const shown = classifyPane(visible, registry, options);
  return options.withSignals ? reclassifyBySignals(raw, shown) : shown;
}

/** The answer from the signals of the record together with the screen. */
function reclassifyBySignals(raw: unknown, shown: PaneClassification): PaneClassification {
  const { identity, verdict, inputEmpty } = shown;
  if (identity.adapter === null || identity.suspended) return shown;
  const claim = weighSignals(raw, {
    agent: identity.adapter.agent,
    screen: verdict?.says ?? null,
    // A menu, a picker or a draft: the person who opened it knows how the turn ended.
    personActed: verdict?.rule.reason === 'dialog_open' || inputEmpty === false,
  });
  if (claim === null) return shown;
  return {
    ...shown,
    state: stateOf(claim.says),
    reasonCode: claim.reason ?? interruption(claim.says),
    rule: claim.rule ?? null,
    confidence: identity.basis === 'screen' ? 'medium' : 'high',
  };
}

/** The answer for what a record shows. Never throws on what a record may hold. */
export function classifyPane(
  record: VisibleRecord,
  registry: Registry,
  options: ClassifyOptions = {},
): PaneClassification {
  const adapters = registry.adapters.filter(
    (adapter) => options.agent === undefined || adapter.agent === options.agent,
  );
  const processes = record.process_tree ? parseProcessTree(record.process_tree) : null;
  const command = record.pane_current_command;
  const screen = viewRecord(record, isOpaquePane({ processes, command }));
  // The command of another agent is that agent, whichever one the caller named.
  const isOther = registry.adapters.some((each) => isCommandOf(each, command));
  const tagged = isOther ? undefined : options.agent;
  const { isRaw } = options;
  const identity = identifyPane({ processes, command, screen, tagged, isRaw }, adapters);
  if (identity.adapter === null) {
    return buildClassification(identity, null, { state: 'unknown', reasonCode: 'no_agent' });
  }
  if (identity.suspended) {
    return buildClassification(identity, null, { state: 'unknown', reasonCode: 'suspended' });
  }
  const { screen: rules } = identity.adapter;
  const isLeft = identity.opaque && foreignBottom(screen) !== null;
  const verdict = isLeft ? null : judgeScreen(rules, screen);
  const inputEmpty = verdict && isInputEmpty(rules, screen);
  return { ...fromVerdict(identity, verdict), inputEmpty };
}

function fromVerdict(identity: Identity, verdict: ScreenVerdict | null): PaneClassification {
  if (verdict === null || verdict.says === null) {
    const rule = verdict?.rule.id ?? null;
    return buildClassification(identity, verdict, {
      state: 'unknown',
      reasonCode: 'no_evidence',
      rule,
    });
  }
  return buildClassification(identity, verdict, {
    state: stateOf(verdict.says),
    reasonCode: verdict.rule.reason ?? interruption(verdict.says),
    rule: verdict.rule.id,
  });
}

/** The state of a claim without history: rest is idle. */
export function stateOf(says: Says): State {
  return says === 'at_rest' || says === 'began' || says === 'interrupted' ? 'idle' : says;
}

const interruption = (says: Says): ReasonCode | null =>
  says === 'interrupted' ? 'interrupted' : null;

function buildClassification(
  identity: Identity,
  verdict: ScreenVerdict | null,
  outcome: { state: State; reasonCode: ReasonCode | null; rule?: string | null },
): PaneClassification {
  return {
    agent: identity.adapter?.agent ?? null,
    presence: identity.adapter === null ? 'unmanaged' : 'managed',
    rule: null,
    ...outcome,
    confidence: confidenceOf(identity, verdict, outcome.state),
    identity,
    verdict,
    inputEmpty: null,
  };
}

// Where only the screen shows that an agent is there, its state is not certain.
function confidenceOf(identity: Identity, verdict: ScreenVerdict | null, state: State): Confidence {
  if (identity.adapter === null) return identity.basis === 'none' ? 'high' : 'low';
  if (state === 'unknown') return 'low';
  const own = verdict?.rule.confidence ?? 'high';
  return identity.basis === 'screen' && own === 'high' ? 'medium' : own;
}

/** The screen of a record, as rules see it; of a terminal within the pane, what is inside. */
export function viewRecord(record: VisibleRecord, isOpaque = false): ScreenView {
  const [x, y, flag] = (record.cursor ?? '').split(',').map(Number);
  const hasCursor = Number.isInteger(x) && Number.isInteger(y);
  const isVisible = flag === undefined ? undefined : flag === 1;
  const { alternate_on: alternate } = record;
  const screen = {
    lines: record.capture,
    ...(record.capture_ansi === undefined ? {} : { ansi: record.capture_ansi }),
    title: record.pane_title,
    cols: record.cols,
    rows: record.rows,
    cursor: hasCursor ? { x: x as number, y: y as number, isVisible } : undefined,
    alternateOn: alternate === '1' ? true : alternate === '0' ? false : undefined,
  };
  return viewScreen(isOpaque ? insideScreen(screen) : screen);
}
