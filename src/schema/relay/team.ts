// Teams as the rest of agtmux sees them: bundles with their members, policies and operators, each
// name resolved. Made by relay/config from the files of the user.

import type { AcpCoderTable, PoliciesFile, restartWhen } from './team-files.ts';

/** When the input box of a coder is ready, where its state is not known. */
export interface PromptRule {
  /** In the syntax of RE2, matched over the last lines, joined by newlines. */
  readonly regex: string;
  /** How many lines from the end, without empty ones there; 1 to 40. */
  readonly inspectLines: number;
  /** The column of the cursor while nothing is typed; null: any. */
  readonly idleColumn: number | null;
}

/** How a member is started, all templates filled in. */
export type MemberTransport =
  | {
      readonly kind: 'tmux';
      /** A line for `/bin/sh`, written by the user. */
      readonly command: string;
      readonly prompt: PromptRule | null;
    }
  | { readonly kind: 'acp'; readonly acp: AcpCoderTable; readonly sessionId: string | null };

export interface Member {
  readonly bundle: string;
  /** Also the name of its tmux session. */
  readonly id: string;
  /** A label for people; it names nobody. */
  readonly name: string | null;
  readonly directory: string;
  readonly coder: string;
  readonly policy: string | null;
  readonly transport: MemberTransport;
}

export interface RestartRule {
  readonly when: (typeof restartWhen)[number];
  readonly attempts: number;
  readonly backoffMs: number;
}

export interface Bundle {
  readonly name: string;
  readonly file: string;
  readonly autostart: boolean;
  readonly groups: readonly string[];
  /** The machine. */
  readonly target: string;
  /** `private`, `user`, or the path of a socket. */
  readonly server: string;
  readonly restart: RestartRule;
  /** In the order of their ids. */
  readonly members: readonly Member[];
}

export type Policy = PoliciesFile['policies'][number];

export interface Policies {
  readonly default: string | null;
  readonly byId: ReadonlyMap<string, Policy>;
}

/** A person, as a sender and a recipient of messages. */
export interface Operator {
  readonly id: string;
  readonly name: string | null;
  readonly policy: string;
}

export interface Operators {
  readonly defaultBundle: string | null;
  readonly defaultSession: string | null;
  readonly byId: ReadonlyMap<string, Operator>;
}

export const teamProblemCodes = [
  'validation_invalid_configuration',
  'validation_reserved_group_name',
  'validation_invalid_group_name',
  'validation_invalid_policy_scope',
  'validation_unknown_policy',
] as const;
export type TeamProblemCode = (typeof teamProblemCodes)[number];

export interface TeamProblem {
  readonly code: TeamProblemCode;
  readonly file: string;
  /** From 1; 1 too where the whole file is meant. */
  readonly line: number;
  /** `sessions[2].coder`; empty where no key is meant. */
  readonly key: string;
  readonly message: string;
}

export interface Team {
  /** By name, in the order of their names. Without those that declare no member. */
  readonly bundles: ReadonlyMap<string, Bundle>;
  /** Null: there is no file of policies that could be read. */
  readonly policies: Policies | null;
  readonly operators: Operators;
}

export const noTeam: Team = {
  bundles: new Map(),
  policies: null,
  operators: { defaultBundle: null, defaultSession: null, byId: new Map() },
};

/** The name of a member among all bundles. Neither part holds a slash. */
export const memberKey = (bundle: string, member: string): string => `${bundle}/${member}`;

/** The group that every bundle is in. */
export const EVERY_BUNDLE = 'ALL';

/** The bundles of a group, in the order of their names; null: no bundle is in it. */
export function bundlesOfGroup(team: Team, group: string): readonly Bundle[] | null {
  const bundles = [...team.bundles.values()];
  if (group === EVERY_BUNDLE) return bundles;
  const found = bundles.filter(({ groups }) => groups.includes(group));
  return found.length === 0 ? null : found;
}
