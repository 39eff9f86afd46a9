// How an agent is typed to, compiled from the `[acting]` table of its file: the keys that stop a
// turn, the labels that mean yes and no, and the texts that its input box takes for something else.
// When and what is typed is decided in acting/.

import type { AgentFile } from '../../schema/agent-file.ts';
import type { OpenRequest } from '../../schema/pane.ts';
import { type CompileContext, compileIn } from './conditions.ts';
import { LINE_LENGTH_MAX } from './pattern.ts';

/** What an option of a dialog means. */
export type OptionRole = 'approve' | 'always' | 'deny' | 'own_answer';

export interface ActingRules {
  readonly interruptKeys: readonly string[];
  readonly settleMs: number;
  readonly textBytesMax: number;
  readonly roles: Readonly<Record<OptionRole, RegExp | null>>;
  /** Keys that refuse in place of an option; null where the option does. */
  readonly denyKeys: readonly string[] | null;
  /** How these options take a text; null where they do not. */
  readonly fields: Readonly<Record<'deny' | 'own_answer', FieldRules | null>>;
  /** A row of the page that the option that refuses opens; null where it refuses at once. */
  readonly reasonPage: RegExp | null;
  readonly several: SeveralRules | null;
  readonly pasteMark: RegExp | null;
  /** The first row of the box where its text is no prompt: a shell, a note, a search. */
  readonly otherMode: RegExp | null;
  readonly traps: readonly Trap[];
  readonly keyTraps: readonly KeyTrap[];
}

export type OwnAnswerRequest = Pick<OpenRequest, 'kind' | 'detail'>;

export interface FieldRules {
  /** Pressed on the marked option; empty where its field is open by then. */
  readonly openKeys: readonly string[];
}

/** A question that takes several options. */
export interface SeveralRules {
  readonly toggleKeys: readonly string[];
  readonly submitKeys: readonly string[];
  readonly submitOption: RegExp | null;
  readonly scrolled: RegExp | null;
  readonly review: RegExp | null;
  readonly confirmKeys: readonly string[];
}

export interface Trap {
  readonly pattern: RegExp;
  readonly cure: 'blank' | 'refuse';
  readonly why: string;
}

/** A key that does more than move, edit or submit. */
export interface KeyTrap {
  readonly keys: readonly string[];
  /** How often it is pressed before it does. */
  readonly times: number;
  readonly why: string;
}

/** Compiles the `[acting]` table; null for an agent without one: only `force` types to it. */
export function compileActing(
  file: AgentFile['acting'],
  context: CompileContext,
): ActingRules | null {
  if (file === undefined) return null;
  const compile = (source: string | undefined): RegExp | null =>
    source === undefined ? null : compileIn(source, 'line', context);
  return {
    interruptKeys: file.interrupt,
    settleMs: file.settle_ms,
    textBytesMax: file.text_bytes_max,
    roles: {
      approve: compile(file.approve),
      always: compile(file.always),
      deny: compile(file.deny),
      own_answer: compile(file.own_answer),
    },
    denyKeys: file.deny_keys ?? null,
    fields: { deny: fieldOf(file.reason_field), own_answer: fieldOf(file.answer_field) },
    reasonPage: compile(file.reason_page),
    several: file.several
      ? {
          toggleKeys: file.several.toggle,
          submitKeys: file.several.submit,
          submitOption: compile(file.several.submit_option),
          scrolled: compile(file.several.scrolled),
          review: compile(file.several.review),
          confirmKeys: file.several.confirm,
        }
      : null,
    pasteMark: compile(file.paste_mark),
    otherMode: compile(file.other_mode),
    keyTraps: file.key_traps,
    traps: file.traps.flatMap(({ match, cure, why }) => {
      const pattern = compile(match);
      return pattern === null ? [] : [{ pattern, cure, why }];
    }),
  };
}

const fieldOf = (file: { readonly open?: string[] | undefined } | undefined): FieldRules | null =>
  file === undefined ? null : { openKeys: file.open ?? [] };

/**
 * Whether the dialog takes an answer in the words of a person. What was read off the screen has an
 * option for it; where the agent itself reports its question, the list leaves that option out.
 */
export function takesOwnAnswer(rules: ActingRules | null, request: OwnAnswerRequest): boolean {
  const { kind, detail } = request;
  if (kind !== 'question' || detail === undefined || !rules?.fields.own_answer) return false;
  const { options = [], text, tool } = detail;
  if (options.length === 0) return text !== undefined || tool !== undefined;
  const isOffScreen = options.some(({ selected }) => selected);
  return !isOffScreen || options.some(({ label }) => rules.roles.own_answer?.test(label) ?? false);
}

/** Agents trim blanks, so that many of them must not hide what is behind them. */
const BLANKS_MAX = 20;

/** What the text runs into. Patterns look at its start and its end alone. */
export function findTrap(rules: ActingRules, whole: string): Trap | null {
  const text = fewBlanks(whole);
  const half = LINE_LENGTH_MAX / 2;
  const edges =
    text.length <= LINE_LENGTH_MAX ? text : `${text.slice(0, half)}\n${text.slice(-half)}`;
  return rules.traps.find(({ pattern }) => pattern.test(edges)) ?? null;
}

/** The text with no more than a few blanks before and after it. */
function fewBlanks(text: string): string {
  const start = text.length - text.trimStart().length;
  const end = text.trimEnd().length;
  return text.slice(Math.max(0, start - BLANKS_MAX), end + BLANKS_MAX);
}

/** The first of some keys that does something else in this agent, and what; null without one. */
export function findKeyTrap(
  rules: ActingRules | null,
  keys: readonly string[],
): { readonly key: string; readonly why: string } | null {
  for (const trap of rules?.keyTraps ?? []) {
    const pressed = keys.flatMap((key) =>
      keysIn(key).flatMap((each) => (trap.keys.includes(each) ? [key] : [])),
    );
    const [key] = pressed;
    if (key !== undefined && pressed.length >= trap.times) return { key, why: trap.why };
  }
  return null;
}

/** What an agent makes of a key: Meta is an Escape before it, which many leave out of account. */
function keysIn(key: string): readonly string[] {
  if (key === 'M-Escape') return ['Escape', 'Escape'];
  return [key.startsWith('C-M-') ? key.replace('M-', '') : key];
}
