// The team that is in force, made of the texts of all files and of what was in force before: a file
// that breaks keeps its last good content, and the reason is in `problems`. Pure.

import { type Bundle, noTeam, type Team, type TeamProblem } from '../../schema/relay/team.ts';
import {
  type BundleFile,
  bundleFileSchema,
  type CodersFile,
  codersFileSchema,
  type OperatorsFile,
  operatorsFileSchema,
  type PoliciesFile,
  policiesFileSchema,
} from '../../schema/relay/team-files.ts';
import { type CheckedFile, checkTomlFile, type ParsedFile, problemAt } from './checked-file.ts';
import {
  type ComposedBundle,
  coderProblems,
  composeBundle,
  operatorProblems,
  operatorsOf,
  policiesOf,
  policyProblems,
} from './compose-team.ts';

/** A file as it was read: its text, or why it has none. */
export interface FileText {
  readonly file: string;
  readonly text: string | null;
  /** Why it could not be read; null where it is only absent. */
  readonly problem: string | null;
}

export interface TeamTexts {
  readonly coders: FileText;
  readonly policies: FileText;
  readonly operators: FileText;
  /** By the name of the bundle. */
  readonly bundles: ReadonlyMap<string, FileText>;
}

export interface TeamState {
  readonly team: Team;
  readonly problems: readonly TeamProblem[];
  /** The last good content of the files that all bundles share. */
  readonly good: {
    readonly coders: ParsedFile<CodersFile> | null;
    readonly policies: ParsedFile<PoliciesFile> | null;
    readonly operators: ParsedFile<OperatorsFile> | null;
  };
}

export const emptyTeamState: TeamState = {
  team: noTeam,
  problems: [],
  good: { coders: null, policies: null, operators: null },
};

const BUNDLE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

const refused = (file: string, message: string): readonly TeamProblem[] => [
  problemAt({ file, text: '' }, [], message),
];

/** What is in force now. `before`: what was, for the files that cannot be used any more. */
export function nextTeamState(texts: TeamTexts, before: TeamState): TeamState {
  const isNeeded = [...texts.bundles.values()].some(({ text }) => text?.includes('[[sessions]]'));
  const problems: TeamProblem[] = [];
  const usable = <T>(checked: CheckedFile<T>, good: ParsedFile<T> | null): ParsedFile<T> | null => {
    if (checked.ok) return checked.parsed;
    problems.push(...checked.problems);
    return good;
  };
  const shared = (text: FileText, isOptional: boolean): FileText =>
    text.text === null && text.problem === null && isNeeded && !isOptional
      ? { ...text, problem: 'is missing; agtmux bundle init writes one' }
      : text;
  const coders = usable(checkCoders(shared(texts.coders, false)), before.good.coders);
  const policies = usable(checkPolicies(shared(texts.policies, false)), before.good.policies);
  const inForce = policies && policiesOf(policies.value);
  const operators = usable(checkOperators(texts.operators, inForce), before.good.operators);
  const operatorsInForce = operatorsOf(operators?.value ?? { sessions: [] });
  // Without the files that all share, whatever a bundle names would look unknown.
  const parts =
    coders && inForce
      ? { coders: coders.value, policies: inForce, operators: operatorsInForce }
      : null;
  const bundles = new Map<string, Bundle>();
  for (const [name, text] of [...texts.bundles].toSorted(([one], [other]) =>
    one < other ? -1 : 1,
  )) {
    const checked = checkBundle(name, text, parts);
    const last = before.team.bundles.get(name);
    if (!checked.ok) problems.push(...checked.problems);
    const bundle = checked.ok ? checked.bundle : last;
    if (bundle && bundle.members.length > 0) bundles.set(name, bundle);
  }
  const team = { bundles, policies: inForce, operators: operatorsInForce };
  return { team, problems, good: { coders, policies, operators } };
}

/** An absent file is an empty one where it may be absent. */
function checkText<T>(
  { file, text, problem }: FileText,
  check: (text: string) => CheckedFile<T>,
  absent: T | null,
): CheckedFile<T> {
  if (problem !== null) return { ok: false, problems: refused(file, problem) };
  if (text !== null) return check(text);
  if (absent !== null) return { ok: true, parsed: { file, text: '', value: absent } };
  return { ok: false, problems: [] };
}

function alsoChecked<T>(
  checked: CheckedFile<T>,
  more: (parsed: ParsedFile<T>) => readonly TeamProblem[],
): CheckedFile<T> {
  if (!checked.ok) {
    const inRest = checked.rest ? more(checked.rest) : [];
    return { ...checked, problems: [...checked.problems, ...inRest] };
  }
  const problems = more(checked.parsed);
  return problems.length === 0 ? checked : { ok: false, problems };
}

function checkCoders(text: FileText): CheckedFile<CodersFile> {
  const checked = checkText(text, (each) => checkTomlFile(codersFileSchema, text.file, each), null);
  return alsoChecked(checked, coderProblems);
}

function checkPolicies(text: FileText): CheckedFile<PoliciesFile> {
  const checked = checkText(
    text,
    (each) => checkTomlFile(policiesFileSchema, text.file, each),
    null,
  );
  return alsoChecked(checked, policyProblems);
}

function checkOperators(text: FileText, policies: Team['policies']): CheckedFile<OperatorsFile> {
  const check = (each: string) => checkTomlFile(operatorsFileSchema, text.file, each);
  const checked = checkText(text, check, { sessions: [] });
  return alsoChecked(checked, (parsed) => operatorProblems(parsed, policies));
}

type Parts = Parameters<typeof composeBundle>[2];

function checkBundle(name: string, text: FileText, parts: Parts | null): ComposedBundle {
  if (!BUNDLE_NAME.test(name)) {
    const message = `"${name}" is no name of a bundle: letters, digits, "_", "-" and "."`;
    return { ok: false, problems: refused(text.file, message) };
  }
  const checked: CheckedFile<BundleFile> = checkText(
    text,
    (each) => checkTomlFile(bundleFileSchema, text.file, each),
    null,
  );
  if (!checked.ok) {
    const composed = checked.rest && parts ? composeBundle(name, checked.rest, parts) : null;
    const inRest = composed?.ok === false ? composed.problems : [];
    return { ok: false, problems: [...checked.problems, ...inRest] };
  }
  return parts ? composeBundle(name, checked.parsed, parts) : { ok: false, problems: [] };
}
