// The screen rules of one agent, compiled once from its file, and the verdict on one screen: the
// first rule that holds, by priority. What no rule proves has no verdict. Nothing here decides a
// state: a verdict becomes a claim, and core/ weighs it against the other sources.

import type { AgentFile, RuleFile } from '../../schema/agent-file.ts';
import type { Confidence, ReasonCode, Says } from '../../schema/state.ts';
import { type ActingRules, compileActing } from './acting-rules.ts';
import { type CompileContext, compileGroup, type ScreenPredicate } from './conditions.ts';
import { compileExtract, type DialogDetails, type Extractor } from './extract.ts';
import {
  compileCursorInput,
  compileInput,
  type DraftReader,
  type InputDraft,
} from './input-box.ts';
import { compileRegions } from './regions.ts';
import { type ScreenView, scopeTo } from './screen-view.ts';

export interface ScreenRule {
  readonly id: string;
  readonly priority: number;
  readonly says: Says | null;
  readonly reason: ReasonCode | null;
  readonly confidence: Confidence;
  readonly anchored: boolean;
  /** The recordings that prove the rule, as `folder/file` without its ending. */
  readonly proof: readonly string[];
  /** Why no recording proves it; null where some do. */
  readonly unproven: string | null;
  readonly holds: ScreenPredicate;
  readonly extract: Extractor | null;
}

export interface ScreenRules {
  /** Best first. */
  readonly rules: readonly ScreenRule[];
  /** Any of these proves the agent where no process tree can be read. */
  readonly identities: readonly ScreenPredicate[];
  readonly draft: DraftReader;
  readonly hasCursorInInput: ScreenPredicate;
  /** Null for an agent that nobody has typed to yet. */
  readonly acting: ActingRules | null;
}

export interface ScreenVerdict {
  readonly rule: ScreenRule;
  /** Null for a viewer that hides the live screen: nothing may be updated from it. */
  readonly says: Says | null;
  readonly details: DialogDetails;
}

export interface CompiledScreen {
  readonly screen: ScreenRules;
  readonly problems: readonly string[];
}

/** Compiles everything in a file that looks at a screen. Problems name the rule and the pattern. */
export function compileScreen(file: AgentFile): CompiledScreen {
  const { regions, problems: regionProblems } = compileRegions(file.regions);
  const problems = [...regionProblems];
  const marks = new Map<string, ScreenPredicate>(
    Object.keys(file.marks).map((name) => [name, () => false]),
  );
  const at = (place: string): CompileContext => ({ regions, marks, problems, place });
  for (const [name, group] of Object.entries(file.marks)) {
    marks.set(name, compileGroup(group, at(`mark ${name}`)));
  }
  const rules = file.rules
    .filter((rule) => rule.enabled)
    .map((rule) => compileRule(rule, file, at(`rule ${rule.id}`)))
    .sort((a, b) => b.priority - a.priority);
  const ids = rules.map((rule) => rule.id);
  for (const id of new Set(ids.filter((each, index) => ids.indexOf(each) !== index))) {
    problems.push(`rule ${id}: there are two of that id`);
  }
  const identities = file.identify.screens.map((group, index) => {
    if (!readsScreen(group)) {
      problems.push(`identify.screens ${index + 1}: a title alone never proves an agent`);
    }
    return compileGroup(group, at(`identify.screens ${index + 1}`));
  });
  const draft = compileInput(file.input, at('input'));
  const hasCursorInInput = compileCursorInput(file.input, at('input'));
  const acting = compileActing(file.acting, at('acting'));
  return { screen: { rules, identities, draft, hasCursorInInput, acting }, problems };
}

function compileRule(rule: RuleFile, file: AgentFile, context: CompileContext): ScreenRule {
  const { extract } = rule;
  const isMissing = typeof extract === 'string' && !Object.hasOwn(file.extracts, extract);
  if (isMissing) context.problems.push(`${context.place}: there is no extract ${extract}`);
  const found = typeof extract === 'string' ? file.extracts[extract] : extract;
  const named = isMissing ? undefined : found;
  return {
    id: rule.id,
    priority: rule.priority,
    says: rule.says ?? null,
    reason: rule.reason ?? null,
    confidence: rule.unproven && rule.confidence === 'high' ? 'medium' : rule.confidence,
    anchored: rule.anchored,
    proof: rule.proof,
    unproven: rule.unproven ?? null,
    holds: compileGroup(rule, context),
    extract: named ? compileExtract(named, context) : null,
  };
}

// Something in `all`, or everything in `any`, must look at the screen itself.
function readsScreen(group: AgentFile['identify']['screens'][number]): boolean {
  const looks = (condition: object): boolean =>
    ['match', 'text', 'mark', 'region', 'any', 'all'].some((key) => key in condition);
  const all = group.all ?? [];
  const any = group.any ?? [];
  return all.some(looks) || (any.length > 0 && any.every(looks));
}

/** The verdict of the first rule that holds, or null when none does. */
export function judgeScreen(screen: ScreenRules, whole: ScreenView): ScreenVerdict | null {
  const view = scopeTo(whole, screen);
  const rule = screen.rules.find((each) => each.holds(view));
  if (rule === undefined) return null;
  return {
    rule,
    says: rule.says,
    details: rule.extract?.(view) ?? {},
  };
}

/** What is typed into the agent's input box; null where no box is shown. */
export function readDraft(screen: ScreenRules, whole: ScreenView): InputDraft | null {
  return screen.draft(scopeTo(whole, screen));
}

/** Whether nothing is typed into the agent's input box; null where none is shown. */
export function isInputEmpty(screen: ScreenRules, whole: ScreenView): boolean | null {
  const draft = readDraft(screen, whole);
  return draft === null ? null : draft.lines.length === 0;
}

/** Whether the cursor is where the agent has it: hidden, or in its input box. */
export function hasOwnCursor(screen: ScreenRules, whole: ScreenView): boolean {
  if (whole.cursor?.isVisible !== true) return true;
  return screen.hasCursorInInput(scopeTo(whole, screen));
}

/** True when the screen itself proves the agent (for opaque panes and bare wrappers). */
export function provesAgent(screen: ScreenRules, whole: ScreenView): boolean {
  const view = scopeTo(whole, screen);
  return screen.identities.some((holds) => holds(view));
}
