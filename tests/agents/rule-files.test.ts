// Rule files from disk: a user's own agent with no code, overrides of a built-in one, reloading,
// and what happens to a file that is broken.

import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { classifyPane } from '../../src/agents/classify/classify-pane.ts';
import { adapterOf, type Registry, setEnabled } from '../../src/agents/registry.ts';
import { type AgentName, id, type SourceName } from '../../src/schema/ids.ts';
import { builtInFolder, loadRegistry, RuleFiles } from '../../src/sources/rule-files.ts';

let user = '';

beforeEach(() => {
  user = join(mkdtempSync(join(tmpdir(), 'agtmux-rules-')), 'agents');
  mkdirSync(user);
});

afterEach(() => {
  rmSync(join(user, '..'), { recursive: true, force: true });
});

const write = (name: string, text: string): void => writeFileSync(join(user, name), text);

const OWN_AGENT = `
name = "robo"
title = "Robo"
contract_version = "1"

[identify]
executables = ["robo"]
packages = ["@acme/robo"]

[capabilities]
event_driven = true
polling_required = true
supports_waiting_approval = true
supports_waiting_input = false
supports_completed = true

[[sources]]
name = "robo-hooks"
mode = "subscribe"
kind = "edge"
covers = ["running", "completed"]
rank = 0

[[events]]
source = "robo-hooks"
field = "event.name"
equals = "done"
says = "completed"
session = "session"

[[events]]
source = "robo-hooks"
field = "event.name"
equals = "ping"
ignore = true

[[rules]]
id = "robo.asks"
priority = 100
says = "waiting_approval"
all = [{ region = "last", match = '^Allow \\\\[y/n\\\\]' }]
unproven = "an agent of this test"
`.replaceAll('\\\\', '\\');

function classify(registry: Registry, command: string, lines: string[]) {
  return classifyPane(
    { capture: lines, pane_title: '', pane_current_command: command, cols: 80, rows: 24 },
    registry,
  );
}

describe("a user's own agent", () => {
  it('is one file: found by process and command, its screen read, its events normalised', () => {
    write('robo.toml', OWN_AGENT);
    const registry = loadRegistry({ user });
    expect(registry.problems).toEqual([]);
    const answer = classify(registry, 'robo', ['working', 'Allow [y/n]']);
    expect(answer).toMatchObject({ agent: 'robo', state: 'waiting_approval', rule: 'robo.asks' });
    const adapter = adapterOf(registry, 'robo');
    const source = adapter!.sources[0]!;
    const normalise = adapter!.normalisers['robo-hooks']!;
    const context = { agent: id<AgentName>('robo'), source, nowMs: 0 };
    expect(normalise({ event: { name: 'done' }, session: 's1' }, context)).toMatchObject({
      kind: 'claims',
      sessionKey: 's1',
      claims: [{ says: 'completed', covers: ['running', 'completed'], rank: 0, basis: 'signal' }],
    });
    expect(normalise({ event: { name: 'ping' } }, context).kind).toBe('ignored');
    for (const odd of [null, 'x', 7, [], { event: null }, { event: { name: 'other' } }]) {
      expect(normalise(odd, context).kind).toBe('unknown');
    }
    expect(source.name).toBe(id<SourceName>('robo-hooks'));
    const done = { event: { name: 'done' }, session: 's1' };
    expect(normalise(JSON.stringify(done), context)).toMatchObject({ sessionKey: 's1' });
    const env = { TMUX_PANE: '%3' };
    expect(normalise({ event: 'x', payload: JSON.stringify(done), env }, context)).toMatchObject({
      type: 'done',
      bind: { paneId: '%3' },
    });
    expect(normalise({ event: 'done', payload: {} }, context)).toMatchObject({ type: 'done' });
  });
});

const OVERRIDE = `name = "claude"
[[rules]]
id = "claude.rest"
priority = 500
says = "running"
all = [{ mark = "box" }]
`;

describe('an override', () => {
  it('replaces rules by id, adds others, and leaves the rest as it was', () => {
    write('claude.toml', OVERRIDE);
    const before = adapterOf(loadRegistry({}), 'claude')!;
    const registry = loadRegistry({ user });
    expect(registry.problems).toEqual([]);
    const after = adapterOf(registry, 'claude')!;
    expect(after.screen.rules.length).toBe(before.screen.rules.length);
    expect(after.screen.rules.find((rule) => rule.id === 'claude.rest')?.says).toBe('running');
    expect(after.sources).toEqual(before.sources);
  });

  it('may switch a rule off', () => {
    write('claude.toml', `${OVERRIDE}enabled = false`);
    const rules = adapterOf(loadRegistry({ user }), 'claude')!.screen.rules;
    expect(rules.some((rule) => rule.id === 'claude.rest')).toBe(false);
    write('claude.toml', 'name = "claude"\n[[rules]]\nid = "claude.rest"\nenabled = false');
    const short = loadRegistry({ user });
    expect(short.problems).toEqual([]);
    const kept = adapterOf(short, 'claude')!.screen.rules;
    expect(kept.map((rule) => rule.id)).toEqual(rules.map((rule) => rule.id));
  });
});

describe('an adapter', () => {
  it('of an unknown contract version is disabled with unsupported_signal', () => {
    write('robo.toml', OWN_AGENT.replace('contract_version = "1"', 'contract_version = "9"'));
    const registry = loadRegistry({ user });
    const health = { status: 'disabled', reason: 'unsupported_signal' };
    expect(adapterOf(registry, 'robo')?.health).toEqual(health);
    expect(adapterOf(setEnabled(registry, 'robo', true), 'robo')?.health).toEqual(health);
    expect(classify(registry, 'robo', ['Allow [y/n]']).presence).toBe('unmanaged');
  });

  it('of an unknown contract version may hold anything else', () => {
    write('robo.toml', 'name = "robo"\ncontract_version = "2"\n[telepathy]\na = 1');
    const registry = loadRegistry({ user });
    const health = { status: 'disabled', reason: 'unsupported_signal' };
    expect(adapterOf(registry, 'robo')?.health).toEqual(health);
    expect(registry.problems).toEqual([]);
  });

  it('stays built in where its override is of an unknown version, which is reported', () => {
    write('claude.toml', 'name = "claude"\ncontract_version = "9"\nwhat = 1');
    const registry = loadRegistry({ user });
    expect(adapterOf(registry, 'claude')?.health).toEqual({ status: 'ok' });
    expect(registry.problems).toMatchObject([{ problem: expect.stringMatching(/unsupported/) }]);
  });

  it('can be switched off and on', () => {
    const registry = loadRegistry({}, { disabled: ['claude'] });
    expect(classify(registry, 'claude', []).presence).toBe('unmanaged');
    expect(classify(setEnabled(registry, 'claude', true), 'claude', []).presence).toBe('managed');
  });
});

describe('a broken file', () => {
  it.each([
    ['name = ', /line 1|1:/],
    ['name = "robo"', /contract_version/],
    [OWN_AGENT.replace('^Allow', '(a+)+$'), /rule robo\.asks: pattern .*quantifier inside/],
    [OWN_AGENT.replace("'^Allow", "'^(Allow"), /rule robo\.asks: .*Unterminated group/],
    [OWN_AGENT.replace('region = "last"', 'region = "nowhere"'), /no region nowhere/],
    [OWN_AGENT.replace('priority = 100', 'priority = "high"'), /rule robo\.asks: .*priority/],
    [OWN_AGENT.replace('says = "waiting_approval"', 'says = "maybe"'), /rule robo\.asks: /],
    [`${OWN_AGENT}\nextract = "constructor"`, /no extract constructor/],
    [`${OWN_AGENT}\n[regions.a]\nwithin = "b"\n[regions.b]\nwithin = "a"`, /within itself/],
    [`${OWN_AGENT}\n[[identify.screens]]\nall = [{ title = 'x' }]`, /title alone/],
    ['\u0000\u0001', /./],
  ])('%# is refused with file and reason, and the built-in agents still work', (text, reason) => {
    write('robo.toml', text);
    const registry = loadRegistry({ user });
    expect(registry.problems[0]?.file).toContain('robo.toml');
    expect(registry.problems.map((each) => each.problem).join('\n')).toMatch(reason);
    expect(adapterOf(registry, 'robo')).toBeUndefined();
    expect(adapterOf(registry, 'claude')?.health.status).toBe('ok');
  });
});

describe('one bad file of two', () => {
  it('is blamed itself, and the agent stays by the others', () => {
    write('a.toml', 'name = "claude"\n[identify]\ntitles = ["(a+)+"]');
    write('b.toml', 'name = "claude"\ntitle = "Mine"');
    const registry = loadRegistry({ user });
    expect(registry.problems.map(({ file }) => file)).toEqual([join(user, 'a.toml')]);
    expect(adapterOf(registry, 'claude')).toMatchObject({
      title: 'Mine',
      health: { status: 'ok' },
    });
  });
});

describe('reloading', () => {
  it('finds a folder that is made later', async () => {
    rmSync(user, { recursive: true });
    using files = new RuleFiles({ user });
    expect(adapterOf(files.registry, 'robo')).toBeUndefined();
    mkdirSync(user);
    write('robo.toml', OWN_AGENT);
    await vi.waitFor(() => expect(adapterOf(files.registry, 'robo')).toBeDefined(), {
      timeout: 10_000,
    });
  });

  it('finds a folder that is made later with all folders above it', async () => {
    const later = join(user, 'home', '.config', 'agtmux', 'agents');
    using files = new RuleFiles({ user: later });
    mkdirSync(later, { recursive: true });
    writeFileSync(join(later, 'robo.toml'), OWN_AGENT);
    await vi.waitFor(() => expect(adapterOf(files.registry, 'robo')).toBeDefined(), {
      timeout: 10_000,
    });
  });

  it('goes on after the folder was removed and made again', async () => {
    write('robo.toml', OWN_AGENT);
    using files = new RuleFiles({ user });
    const priority = () => adapterOf(files.registry, 'robo')?.screen.rules[0]?.priority;
    const reaches = (value: number | undefined) =>
      vi.waitFor(() => expect(priority()).toBe(value), { timeout: 10_000 });
    rmSync(user, { recursive: true });
    await reaches(undefined);
    mkdirSync(user);
    write('robo.toml', OWN_AGENT.replace('priority = 100', 'priority = 300'));
    await reaches(300);
    write('robo.toml', OWN_AGENT.replace('priority = 100', 'priority = 400'));
    await reaches(400);
  }, 40_000);

  it('goes on after the folder was replaced at once', async () => {
    write('robo.toml', OWN_AGENT);
    using files = new RuleFiles({ user });
    const priority = () => adapterOf(files.registry, 'robo')?.screen.rules[0]?.priority;
    const reaches = (value: number | undefined) =>
      vi.waitFor(() => expect(priority()).toBe(value), { timeout: 10_000 });
    rmSync(user, { recursive: true });
    mkdirSync(user);
    write('robo.toml', OWN_AGENT.replace('priority = 100', 'priority = 300'));
    await reaches(300);
    write('robo.toml', OWN_AGENT.replace('priority = 100', 'priority = 400'));
    await reaches(400);
  }, 40_000);

  it('keeps the built-in agents while the package is replaced under it', () => {
    const builtIn = join(user, '..', 'package');
    cpSync(builtInFolder(), builtIn, {
      recursive: true,
      filter: (path) => !basename(path).includes('.') || path.endsWith('.toml'),
    });
    using files = new RuleFiles({ user, builtIn });
    const agents = files.registry.adapters.map(({ agent }) => agent);
    expect(agents.length).toBeGreaterThan(5);
    rmSync(builtIn, { recursive: true });
    write('robo.toml', OWN_AGENT);
    expect(files.reload().adapters.map(({ agent }) => agent)).toEqual(
      expect.arrayContaining([...agents, 'robo']),
    );
  });

  it('takes a changed file, and keeps the last good one when the change is broken', async () => {
    write('robo.toml', OWN_AGENT);
    using files = new RuleFiles({ user });
    const priority = () => adapterOf(files.registry, 'robo')?.screen.rules[0]?.priority;
    expect(priority()).toBe(100);
    write('robo.toml', OWN_AGENT.replace('priority = 100', 'priority = 200'));
    await vi.waitFor(() => expect(priority()).toBe(200), { timeout: 10_000 });
    write('robo.toml', OWN_AGENT.replace('priority = 100', 'priority = "x"'));
    await vi.waitFor(() => expect(files.registry.problems.length).toBeGreaterThan(0), {
      timeout: 10_000,
    });
    expect(priority()).toBe(200);
  });
});
