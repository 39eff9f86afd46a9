// What the files say together: each bundle with its members resolved, or why it cannot be. Pure.
// Reading the files, and what is kept while one is broken, is team-folder.ts.

import {
  type Bundle,
  EVERY_BUNDLE,
  type Member,
  type MemberTransport,
  type Operators,
  type Policies,
  type PromptRule,
  type TeamProblem,
} from '../../schema/relay/team.ts';
import type {
  BundleFile,
  CodersFile,
  OperatorsFile,
  PoliciesFile,
} from '../../schema/relay/team-files.ts';
import { type ParsedFile, problemAt } from './checked-file.ts';
import { fillTemplate, isPlainSessionId, templateProblem } from './command-template.ts';
import { commandWords } from './command-words.ts';
import { promptPattern } from './prompt-pattern.ts';

type Coder = CodersFile['coders'][number];
type TmuxCoder = NonNullable<Coder['tmux']>;
type SessionTable = BundleFile['sessions'][number];

const INSPECT_LINES = 3;
const INSPECT_LINES_MAX = 40;
const NO_RESTART = { when: 'never', attempts: 5, 'backoff-ms': 1_000 } as const;

/** All that is wrong in coders.toml, beyond its shape. */
export function coderProblems(parsed: ParsedFile<CodersFile>): readonly TeamProblem[] {
  const { coders } = parsed.value;
  const ids = coders.map((each) => each.id);
  return coders.flatMap((coder, index) => {
    const at = (path: readonly string[], message: string) =>
      problemAt(parsed, ['coders', index, ...path], message);
    const twice = ids.indexOf(coder.id) < index ? [at(['id'], `"${coder.id}" is there twice`)] : [];
    if ((coder.tmux === undefined) === (coder.acp === undefined)) {
      return [...twice, at([], 'needs either [coders.tmux] or [coders.acp]')];
    }
    const inTmux = coder.tmux ? tmuxCoderProblems(coder.tmux) : [];
    const problems = inTmux.map(([key, message]) => at(['tmux', key], message));
    const command = coder.acp?.channel === 'stdio' ? commandWords(coder.acp.command) : null;
    if (command && !command.ok) problems.push(at(['acp', 'command'], command.problem));
    return [...twice, ...problems];
  });
}

function tmuxCoderProblems(tmux: TmuxCoder): readonly (readonly [string, string])[] {
  const templates = (['initial-command', 'resume-command'] as const).flatMap((key) => {
    const problem = templateProblem(tmux[key]);
    return problem === null ? [] : [[key, problem] as const];
  });
  const regex = tmux['prompt-regex'];
  const problem = regex === undefined ? null : regexProblem(regex);
  return problem === null ? templates : [...templates, ['prompt-regex', problem]];
}

function regexProblem(regex: string): string | null {
  try {
    promptPattern(regex);
    return null;
  } catch (error) {
    return `is no pattern: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** All that is wrong in policies.toml, beyond its shape. */
export function policyProblems(parsed: ParsedFile<PoliciesFile>): readonly TeamProblem[] {
  const { default: standard, policies } = parsed.value;
  const ids = policies.map(({ id }) => id);
  const twice = ids.flatMap((id, index) =>
    ids.indexOf(id) < index
      ? [problemAt(parsed, ['policies', index, 'id'], `"${id}" is there twice`)]
      : [],
  );
  if (standard === undefined || ids.includes(standard)) return twice;
  return [...twice, unknownPolicy(parsed, ['default'], standard)];
}

const unknownPolicy = (
  parsed: ParsedFile<unknown>,
  path: readonly (string | number)[],
  policy: string,
): TeamProblem =>
  problemAt(parsed, path, `no policy "${policy}" is declared`, 'validation_unknown_policy');

export const policiesOf = ({ default: standard, policies }: PoliciesFile): Policies => ({
  default: standard ?? null,
  byId: new Map(policies.map((each) => [each.id, each])),
});

/** All that is wrong in tui.toml, beyond its shape. */
export function operatorProblems(
  parsed: ParsedFile<OperatorsFile>,
  policies: Policies | null,
): readonly TeamProblem[] {
  const { sessions, 'default-session': standard } = parsed.value;
  const ids = sessions.map(({ id }) => id);
  const problems = sessions.flatMap(({ id, policy }, index) => {
    const path = ['sessions', index];
    return [
      ...(ids.indexOf(id) < index
        ? [problemAt(parsed, [...path, 'id'], `"${id}" is there twice`)]
        : []),
      ...(policies && !policies.byId.has(policy)
        ? [unknownPolicy(parsed, [...path, 'policy'], policy)]
        : []),
    ];
  });
  if (standard === undefined || ids.includes(standard)) return problems;
  return [...problems, problemAt(parsed, ['default-session'], `no session "${standard}"`)];
}

export const operatorsOf = (file: OperatorsFile): Operators => ({
  defaultBundle: file['default-bundle'] ?? null,
  defaultSession: file['default-session'] ?? null,
  byId: new Map(
    file.sessions.map(({ id, name = null, policy }) => [id, { id, name, policy }] as const),
  ),
});

export interface TeamParts {
  readonly coders: CodersFile;
  readonly policies: Policies;
  readonly operators: Operators;
}

export type ComposedBundle =
  | { readonly ok: true; readonly bundle: Bundle }
  | { readonly ok: false; readonly problems: readonly TeamProblem[] };

/** A bundle with everything that it names, or all that is wrong with it. */
export function composeBundle(
  name: string,
  parsed: ParsedFile<BundleFile>,
  parts: TeamParts,
): ComposedBundle {
  const { value } = parsed;
  const problems = [...groupProblems(parsed), ...duplicateProblems(parsed)];
  const members = value.sessions.flatMap((session, index): readonly Member[] => {
    const found = memberOf(name, session, parts);
    const isAway = found.ok && found.member.transport.kind === 'acp' && value.target !== 'local';
    if (isAway) {
      const message = 'has no terminal: such members run on this machine alone';
      problems.push(problemAt(parsed, ['sessions', index, 'coder'], message));
    }
    if (found.ok) return [found.member];
    for (const [key, message, code] of found.problems) {
      problems.push(problemAt(parsed, ['sessions', index, key], message, code));
    }
    return [];
  });
  if (problems.length > 0) return { ok: false, problems };
  const { when, attempts, 'backoff-ms': backoffMs } = value.restart ?? NO_RESTART;
  const bundle: Bundle = {
    name,
    file: parsed.file,
    autostart: value.autostart,
    groups: [...new Set(value.groups)],
    target: value.target,
    server: value.server,
    restart: { when, attempts, backoffMs },
    members: members.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
  };
  return { ok: true, bundle };
}

function groupProblems(parsed: ParsedFile<BundleFile>): readonly TeamProblem[] {
  return parsed.value.groups.flatMap((group, index) => {
    const at = ['groups', index];
    if (group === EVERY_BUNDLE) {
      const message = `every bundle is in ${EVERY_BUNDLE}; leave it out`;
      return [problemAt(parsed, at, message, 'validation_reserved_group_name')];
    }
    if (/^[a-z0-9_-]{1,64}$/.test(group)) return [];
    const message = `"${group}" is no group: small letters, digits, "_" or "-"`;
    return [problemAt(parsed, at, message, 'validation_invalid_group_name')];
  });
}

function duplicateProblems(parsed: ParsedFile<BundleFile>): readonly TeamProblem[] {
  const { sessions } = parsed.value;
  return (['id', 'name'] as const).flatMap((key) => {
    const values = sessions.map((each) => each[key]);
    return values.flatMap((value, index) =>
      value !== undefined && values.indexOf(value) < index
        ? [problemAt(parsed, ['sessions', index, key], `"${value}" is there twice`)]
        : [],
    );
  });
}

type SessionProblem = readonly [keyof SessionTable, string, TeamProblem['code']?];
type ResolvedMember =
  | { readonly ok: true; readonly member: Member }
  | { readonly ok: false; readonly problems: readonly SessionProblem[] };

function memberOf(bundle: string, session: SessionTable, parts: TeamParts): ResolvedMember {
  const { id, name = null, directory, coder: coderId, policy = null } = session;
  const coder = parts.coders.coders.find((each) => each.id === coderId);
  const transport = coder
    ? transportOf(coder, session['coder-session-id'] ?? null)
    : ({ ok: false, problem: ['coder', `no coder "${coderId}" is declared`] } as const);
  const problems: SessionProblem[] = transport.ok ? [] : [transport.problem];
  if (!/^(?:\/|~\/|~$)/.test(directory) || /[\0\n]/.test(directory)) {
    problems.push(['directory', 'is no path from / or ~']);
  }
  const unknown = policy !== null && !parts.policies.byId.has(policy);
  if (unknown) {
    problems.push(['policy', `no policy "${policy}" is declared`, 'validation_unknown_policy']);
  }
  const operator = parts.operators.byId.get(id);
  if (operator && operator.policy !== (policy ?? parts.policies.default)) {
    problems.push(['id', `tui.toml has the same id with policy "${operator.policy}"`]);
  }
  if (!transport.ok || problems.length > 0) return { ok: false, problems };
  const member = { bundle, id, name, directory, coder: coderId, policy };
  return { ok: true, member: { ...member, transport: transport.transport } };
}

type FilledTransport =
  | { readonly ok: true; readonly transport: MemberTransport }
  | { readonly ok: false; readonly problem: SessionProblem };

function transportOf({ tmux, acp }: Coder, sessionId: string | null): FilledTransport {
  if (acp) return { ok: true, transport: { kind: 'acp', acp, sessionId } };
  if (!tmux) return { ok: false, problem: ['coder', 'has no way to be started'] };
  if (sessionId !== null && !isPlainSessionId(sessionId)) {
    const message = 'holds what a shell would read; letters, digits and . _ : / @ + = , - may be';
    return { ok: false, problem: ['coder-session-id', message] };
  }
  const template = sessionId === null ? tmux['initial-command'] : tmux['resume-command'];
  const filled = fillTemplate(template, sessionId);
  if (!filled.ok) return { ok: false, problem: ['coder', `its command ${filled.problem}`] };
  const transport = { kind: 'tmux', command: filled.command, prompt: promptRuleOf(tmux) } as const;
  return { ok: true, transport };
}

function promptRuleOf(tmux: TmuxCoder): PromptRule | null {
  const regex = tmux['prompt-regex'];
  if (regex === undefined) return null;
  const inspectLines = Math.min(tmux['prompt-inspect-lines'] ?? INSPECT_LINES, INSPECT_LINES_MAX);
  return { regex, inspectLines, idleColumn: tmux['prompt-idle-column'] ?? null };
}
