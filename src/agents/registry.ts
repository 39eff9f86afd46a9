// The table of agents: built-in adapters and the user's own, from their files. An adapter of a
// contract version that this build does not know is kept and disabled with `unsupported_signal`;
// a file that is broken is refused with reasons, and the rest of the table still works.

import { type AgentFile, agentFileSchema, type OptionFile } from '../schema/agent-file.ts';
import { type AgentName, id, type SourceName } from '../schema/ids.ts';
import {
  type Adapter,
  type AdapterHealth,
  CONTRACT_VERSION,
  type IdentifySpec,
  type NormaliserTable,
  type ResumeSpec,
  type SourceSpec,
} from './adapter.ts';
import { compileEventMap } from './event-map.ts';
import { compileResume } from './resume-argv.ts';
import { compilePattern } from './screen/pattern.ts';
import { type CompiledScreen, compileScreen, type ScreenRules } from './screen/rules.ts';
import { foreignOptionNormaliser } from './shared/foreign-option.ts';

/** The agent whose sources every other agent has too. */
const GENERIC = 'generic';
/** Read from the pane, so it ranks after the agent's own signals. */
const SCREEN = 'screen';

export interface ParsedRuleFile {
  readonly file: string;
  readonly content: unknown;
  /** Its screen rules are known to be right, so they are compiled when they are first needed. */
  readonly isProven?: boolean;
}

export interface RuleFileProblem {
  readonly file: string;
  readonly problem: string;
}

export interface Registry {
  readonly adapters: readonly Adapter[];
  readonly problems: readonly RuleFileProblem[];
}

export interface RegistryOptions {
  /** Normalisers in code, by agent; they win over an event map. `generic` serves every agent. */
  readonly normalisers?: Readonly<Record<string, NormaliserTable>>;
  /** Agents that the user switched off. */
  readonly disabled?: readonly string[];
}

interface CompiledFile {
  readonly file: string;
  readonly content: AgentFile;
  readonly screen: ScreenRules;
  readonly identify: IdentifySpec;
  readonly resume: ResumeSpec | null;
}

/** Builds the table. A later source of the same agent overrides the earlier one, part by part. */
export function buildRegistry(
  sources: readonly ParsedRuleFile[],
  options: RegistryOptions = {},
): Registry {
  const problems: RuleFileProblem[] = [];
  const files = new Map<string, CompiledFile>();
  for (const source of sources) {
    const name = nameOf(source.content);
    const earlier = name === null ? undefined : files.get(name);
    if (isForeign(source.content)) {
      const problem = `contract_version ${foreignVersion(source.content)} is not known here`;
      if (earlier) problems.push({ file: source.file, problem: `unsupported_signal: ${problem}` });
      else problems.push(...addStub(files, source));
      continue;
    }
    const merged = earlier ? override(earlier.content, source.content) : source.content;
    const parsed = agentFileSchema.safeParse(merged);
    if (parsed.success) {
      const { file } = source;
      const content = parsed.data;
      const { screen, problems: refusals } = screenOf(source, content);
      const { identify, problems: others } = compileIdentify(content);
      const { resume, problems: more } = compileResume(content);
      const wrong = [...refusals, ...others, ...more];
      if (wrong.length === 0) files.set(content.name, { file, content, screen, identify, resume });
      problems.push(...wrong.map((problem) => ({ file, problem })));
    } else {
      problems.push(...schemaProblems(source.file, parsed.error.issues, merged));
    }
  }
  const shared = files.get(GENERIC)?.content.sources ?? [];
  const adapters = [...files.values()].map((each) => adapterFrom(each, shared, options));
  return { adapters, problems };
}

const screenOf = ({ isProven }: ParsedRuleFile, content: AgentFile): CompiledScreen =>
  isProven === true ? compileWhenNeeded(content) : compileScreen(content);

/** Most people run few of the agents, and compiling the screens of all takes 40 ms. */
function compileWhenNeeded(content: AgentFile): CompiledScreen {
  let compiled: ScreenRules | null = null;
  const rules = (): ScreenRules => {
    compiled ??= compileScreen(content).screen;
    return compiled;
  };
  const screen: ScreenRules = {
    get rules() {
      return rules().rules;
    },
    get identities() {
      return rules().identities;
    },
    get draft() {
      return rules().draft;
    },
    get hasCursorInInput() {
      return rules().hasCursorInInput;
    },
    get acting() {
      return rules().acting;
    },
  };
  return { screen, problems: [] };
}

// A file of a version that is not ours may hold anything: only its name and version are read.
const isForeign = (content: unknown): boolean => {
  const version = foreignVersion(content);
  return version !== null && version !== CONTRACT_VERSION && nameOf(content) !== null;
};

function foreignVersion(content: unknown): string | null {
  const version = isTable(content) ? content['contract_version'] : undefined;
  return typeof version === 'string' || typeof version === 'number' ? String(version) : null;
}

/** An agent that is listed, disabled with `unsupported_signal`. */
function addStub(
  files: Map<string, CompiledFile>,
  { file, content }: ParsedRuleFile,
): RuleFileProblem[] {
  const parsed = agentFileSchema.safeParse({
    name: nameOf(content),
    contract_version: foreignVersion(content)?.slice(0, 20),
  });
  if (!parsed.success) return schemaProblems(file, parsed.error.issues, content);
  const { screen } = compileScreen(parsed.data);
  const { identify } = compileIdentify(parsed.data);
  const compiled = { file, content: parsed.data, screen, identify, resume: null };
  files.set(parsed.data.name, compiled);
  return [];
}

export const adapterOf = (registry: Registry, agent: string): Adapter | undefined =>
  registry.adapters.find((adapter) => adapter.agent === agent);

/** The same table with one agent switched on or off. An unsupported one stays off. */
export function setEnabled(registry: Registry, agent: string, enabled: boolean): Registry {
  const health: AdapterHealth = enabled
    ? { status: 'ok' }
    : { status: 'disabled', reason: 'by_user' };
  const adapters = registry.adapters.map((adapter) =>
    adapter.agent === agent && adapter.contractVersion === CONTRACT_VERSION
      ? { ...adapter, health }
      : adapter,
  );
  return { ...registry, adapters };
}

function adapterFrom(
  { content, screen, identify, resume }: CompiledFile,
  shared: AgentFile['sources'],
  options: RegistryOptions,
): Adapter {
  const { capabilities } = content;
  return {
    contractVersion: content.contract_version,
    agent: id<AgentName>(content.name),
    title: content.title ?? content.name,
    capabilities: {
      eventDriven: capabilities.event_driven,
      pollingRequired: capabilities.polling_required,
      supportsWaitingApproval: capabilities.supports_waiting_approval,
      supportsWaitingInput: capabilities.supports_waiting_input,
      supportsCompleted: capabilities.supports_completed,
    },
    identify,
    sources: rankSources(content.sources, [...shared, ...content.options.map(optionSource)]),
    normalisers: {
      ...options.normalisers?.[GENERIC],
      ...compileEventMap(content.events),
      ...Object.fromEntries(
        content.options.map((each) => [sourceNameOf(each), foreignOptionNormaliser(each)]),
      ),
      ...options.normalisers?.[content.name],
    },
    options: content.options.map((each) => ({
      name: each.name,
      source: id<SourceName>(sourceNameOf(each)),
    })),
    screen,
    resume,
    health: healthOf(content, options.disabled ?? []),
  };
}

const sourceNameOf = ({ name }: OptionFile): string => `option.${name.slice(1).toLowerCase()}`;

/** Another tool's option ranks after the sources that every agent has. */
const optionSource = (option: OptionFile): AgentFile['sources'][number] => ({
  name: sourceNameOf(option),
  mode: 'poll',
  kind: 'level',
  tier: option.tier,
  covers: [],
  rank: 0,
  parameters: { option: option.name },
});

/** An agent's own sources, those that every agent has, and its screen, counted from 0. */
function rankSources(
  own: AgentFile['sources'],
  shared: AgentFile['sources'],
): readonly SourceSpec[] {
  const byRank = own.toSorted((a, b) => a.rank - b.rank);
  const names = new Set(own.map(({ name }) => name));
  return [
    ...byRank.filter(({ name }) => name !== SCREEN),
    ...shared.filter(({ name }) => !names.has(name)),
    ...byRank.filter(({ name }) => name === SCREEN),
  ].map((source, rank) => ({ ...source, name: id<SourceName>(source.name), rank }));
}

function healthOf(content: AgentFile, disabled: readonly string[]): AdapterHealth {
  if (content.contract_version !== CONTRACT_VERSION) {
    return { status: 'disabled', reason: 'unsupported_signal' };
  }
  if (disabled.includes(content.name)) return { status: 'disabled', reason: 'by_user' };
  return { status: 'ok' };
}

function compileIdentify({ identify }: AgentFile): {
  readonly identify: IdentifySpec;
  readonly problems: readonly string[];
} {
  const problems: string[] = [];
  const compile = (sources: readonly string[]): RegExp[] =>
    sources.flatMap((source) => {
      const result = compilePattern(source, 'line');
      if (result.ok) return [result.regExp];
      problems.push(`identify: pattern ${source} is refused: ${result.reason}`);
      return [];
    });
  const spec: IdentifySpec = {
    priority: identify.priority,
    executables: new Set(identify.executables.map((name) => name.toLowerCase())),
    packages: identify.packages,
    paths: identify.paths,
    versionArgv0: identify.version_argv0,
    notArgv: compile(identify.not_argv),
    sharedArgv: compile(identify.shared_argv),
    oneShot: new Set(identify.one_shot),
    titles: compile(identify.titles),
  };
  return { identify: spec, problems };
}

function nameOf(content: unknown): string | null {
  if (typeof content !== 'object' || content === null || !('name' in content)) return null;
  return typeof content.name === 'string' ? content.name : null;
}

// A user's file of a known agent holds only what differs: rules by id, regions and marks by name.
function override(base: AgentFile, content: unknown): unknown {
  if (typeof content !== 'object' || content === null) return content;
  const own = content as Record<string, unknown>;
  const merged: Record<string, unknown> = { ...base, ...own };
  for (const key of ['identify', 'capabilities', 'regions', 'marks', 'extracts'] as const) {
    if (isTable(own[key])) merged[key] = { ...base[key], ...own[key] };
  }
  if (Array.isArray(own['rules'])) {
    const replaced = new Set(own['rules'].map((rule) => (isTable(rule) ? rule['id'] : undefined)));
    // A rule that is only switched off need not be written again.
    const rules = own['rules'].map((rule) => {
      if (!isTable(rule) || rule['enabled'] !== false) return rule;
      const earlier = base.rules.find((each) => each.id === rule['id']);
      return earlier ? { ...earlier, ...rule } : rule;
    });
    merged['rules'] = [...rules, ...base.rules.filter((rule) => !replaced.has(rule.id))];
  }
  return merged;
}

const isTable = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

function schemaProblems(
  file: string,
  issues: readonly Issue[],
  content: unknown,
): RuleFileProblem[] {
  return issues.slice(0, 20).map(({ path, message }) => {
    const rule = path[0] === 'rules' ? ruleIdAt(content, path[1]) : null;
    const place = path.map(String).join('.') || 'file';
    return { file, problem: `${rule ? `rule ${rule}: ` : ''}${place}: ${message}` };
  });
}

function ruleIdAt(content: unknown, index: PropertyKey | undefined): string | null {
  const rules = isTable(content) ? content['rules'] : null;
  const rule = Array.isArray(rules) ? rules[Number(index)] : null;
  return isTable(rule) && typeof rule['id'] === 'string' ? rule['id'] : null;
}
