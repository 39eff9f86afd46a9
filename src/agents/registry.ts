// The table of agents: built-in adapters and the user's own, from their files. An adapter of a
// contract version that this build does not know is kept and disabled with `unsupported_signal`;
// a file that is broken is refused with reasons, and the rest of the table still works.

import { type AgentFile, agentFileSchema } from '../schema/agent-file.ts';
import { type AgentName, id, type SourceName } from '../schema/ids.ts';
import {
  type Adapter,
  type AdapterHealth,
  CONTRACT_VERSION,
  type NormaliserTable,
  type SourceSpec,
} from './adapter.ts';
import { normalisersOf } from './event-map.ts';
import type { IdentifySpec } from './identify/spec.ts';
import { compilePattern } from './screen/pattern.ts';
import { compileScreen, type ScreenRules } from './screen/rules.ts';

/** The agent whose sources every other agent has too. */
const GENERIC = 'generic';
/** Read off the pane, so it comes after whatever the agent says itself. */
const SCREEN = 'screen';

/** The parsed content of one file and where it came from. */
export interface AgentSource {
  readonly file: string;
  readonly content: unknown;
}

export interface FileProblem {
  readonly file: string;
  readonly problem: string;
}

export interface Registry {
  readonly adapters: readonly Adapter[];
  readonly problems: readonly FileProblem[];
}

export interface RegistryOptions {
  /**
   * Normalisers written in code, by agent; they win over an event map of the same source. Those of
   * `generic` serve every agent.
   */
  readonly normalisers?: Readonly<Record<string, NormaliserTable>>;
  /** Agents that the user switched off. */
  readonly disabled?: readonly string[];
}

interface CompiledFile {
  readonly file: string;
  readonly content: AgentFile;
  readonly screen: ScreenRules;
}

/** Builds the table. A later source of the same agent overrides the earlier one, part by part. */
export function buildRegistry(
  sources: readonly AgentSource[],
  options: RegistryOptions = {},
): Registry {
  const problems: FileProblem[] = [];
  const files = new Map<string, CompiledFile>();
  for (const source of sources) {
    const name = nameOf(source.content);
    const earlier = name === null ? undefined : files.get(name);
    const merged = earlier ? override(earlier.content, source.content) : source.content;
    const parsed = agentFileSchema.safeParse(merged);
    if (parsed.success) {
      const { file } = source;
      const { screen, problems: refusals } = compileScreen(parsed.data);
      if (refusals.length === 0)
        files.set(parsed.data.name, { file, content: parsed.data, screen });
      problems.push(...refusals.map((problem) => ({ file, problem })));
    } else {
      problems.push(...schemaProblems(source.file, parsed.error.issues, merged));
    }
  }
  const shared = files.get(GENERIC)?.content.sources ?? [];
  const adapters = [...files.values()].map((each) =>
    compileAdapter(each, shared, options, problems),
  );
  return { adapters: adapters.filter((each) => each !== null), problems };
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

function compileAdapter(
  { file, content, screen }: CompiledFile,
  shared: AgentFile['sources'],
  options: RegistryOptions,
  problems: FileProblem[],
): Adapter | null {
  const identify = compileIdentify(content, (problem) => problems.push({ file, problem }));
  if (identify === null) return null;
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
    sources: rankSources(content.sources, shared),
    normalisers: {
      ...options.normalisers?.[GENERIC],
      ...normalisersOf(content.events),
      ...options.normalisers?.[content.name],
    },
    screen,
    health: healthOf(content, options.disabled ?? []),
  };
}

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

function compileIdentify(
  { identify }: AgentFile,
  report: (problem: string) => void,
): IdentifySpec | null {
  const compiled = [...identify.not_argv, ...identify.titles].map((source) => {
    const result = compilePattern(source, 'line');
    if (!result.ok) report(`identify: pattern ${source} is refused: ${result.reason}`);
    return result.ok ? result.regExp : null;
  });
  const patterns = compiled.filter((each) => each !== null);
  if (patterns.length < compiled.length) return null;
  return {
    priority: identify.priority,
    executables: new Set(identify.executables.map((name) => name.toLowerCase())),
    packages: identify.packages,
    paths: identify.paths,
    versionArgv0: identify.version_argv0,
    notArgv: patterns.slice(0, identify.not_argv.length),
    titles: patterns.slice(identify.not_argv.length),
  };
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
    merged['rules'] = [...own['rules'], ...base.rules.filter((rule) => !replaced.has(rule.id))];
  }
  return merged;
}

const isTable = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

function schemaProblems(file: string, issues: readonly Issue[], content: unknown): FileProblem[] {
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
