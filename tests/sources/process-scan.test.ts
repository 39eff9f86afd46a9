// One look at the processes of a pane: who is found, who is gone, and who may speak for a program
// that no adapter knows.

import { describe, expect, it } from 'vitest';
import type { FoundAgent, ProcessScan } from '../../src/core/identity/presence.ts';
import type { Observation } from '../../src/core/ingest.ts';
import type { LocalProcess } from '../../src/platform/process/processes.ts';
import { type AgentName, id } from '../../src/schema/ids.ts';
import type { PaneFacts } from '../../src/schema/pane.ts';
import type { KnownRuntime } from '../../src/sources/known-pane.ts';
import {
  type PaneScanInput,
  scanProcesses,
  selfDeclaredSignature,
  speakerIn,
  startOf,
} from '../../src/sources/processes/process-scan.ts';
import { knownPane, process, recorded, registry, runtime, T0 } from './fixture.ts';

const bash = process(100, 1, ['-bash'], 'Ss');
const foregroundBash = process(100, 1, ['-bash'], 'Ss+');
const claude = process(200, 100, ['/usr/local/bin/claude']);
const ssh = process(300, 100, ['ssh', 'host']);
const script = process(400, 100, ['python3', 'my-agent.py']);

interface Case {
  readonly tree: readonly LocalProcess[] | null;
  readonly known?: KnownRuntime | null;
  readonly facts?: Partial<PaneFacts>;
  readonly more?: Partial<PaneScanInput>;
}

function look({ tree, known = null, facts = {}, more = {} }: Case) {
  const pane = knownPane(known, facts);
  const isRuntimeAlive = (tree ?? []).some(({ pid }) => pid === known?.pid);
  const unknown = { screen: null, tagged: undefined, exitCode: null };
  return scanProcesses({ pane, tree, isRuntimeAlive, nowMs: T0, ...unknown, ...more }, registry);
}

/** What a look at a readable tree says; fails where it is none. */
function treeOf(observations: readonly Observation[]): NonNullable<ProcessScan['tree']> {
  const [first] = observations;
  if (first?.kind !== 'scan' || first.scan.tree === null) throw new Error('it is no look');
  return first.scan.tree;
}

const foundIn = (given: Case): FoundAgent | null => treeOf(look(given).observations).found;

const startedIn = (given: Case) =>
  look(given).observations.map((each) =>
    each.kind === 'fact' && each.fact.type === 'runtime.started'
      ? [each.fact.agent, each.fact.basis, each.fact.pid]
      : each.kind,
  );

describe('an agent that waits at a prompt', () => {
  const interactiveIn = (...argv: string[]) =>
    look({ tree: [bash, process(200, 100, argv)] }).interactive !== null;

  it.each([
    ['claude'],
    ['claude --resume abc'],
    ['claude print'],
    ['node /usr/local/bin/gemini'],
    ['codex -p work'],
  ])('is %s', (line) => expect(interactiveIn(...line.split(' '))).toBe(true));

  it.each([
    ['claude -p'],
    ['claude --model opus --print hello'],
    ['codex exec hello'],
    ['codex -c model=o3 exec hello'],
    ['node /usr/local/bin/gemini --prompt=hello'],
    ['opencode run hello'],
  ])('is not %s, which answers once', (line) =>
    expect(interactiveIn(...line.split(' '))).toBe(false),
  );

  it('makes its end one to judge, if it was found just before', () => {
    const known = runtime({ pid: 200, startedAtMs: T0 + 200 });
    const more = { isInteractive: true };
    expect(treeOf(look({ tree: [bash], known, more }).observations)).toMatchObject({
      pidGone: true,
      isInteractive: true,
    });
    expect(treeOf(look({ tree: [bash], known }).observations).isInteractive).toBeUndefined();
  });
});

describe('an agent in the process tree', () => {
  it('is found, with the same id at every look', () => {
    const found = foundIn({ tree: [bash, claude] });
    expect(found).toMatchObject({ agent: 'claude', pid: 200, startedAtMs: T0 + 200 });
    expect(found?.suspended).toBe(false);
    expect(foundIn({ tree: [bash, claude] })?.runtimeId).toBe(found?.runtimeId);
    const other = process(201, 100, ['claude']);
    expect(foundIn({ tree: [bash, other] })?.runtimeId).not.toBe(found?.runtimeId);
  });

  it('that is stopped is suspended', () => {
    const stopped = process(200, 100, ['claude'], 'T');
    expect(foundIn({ tree: [foregroundBash, stopped] })).toMatchObject({ suspended: true });
  });

  it('that is a zombie is not there', () => {
    const dead = process(200, 100, ['claude'], 'Z');
    expect(foundIn({ tree: [foregroundBash, dead] })).toBeNull();
  });

  it('that has left is gone at once, and one that is only not recognised is not', () => {
    const known = runtime({ startedAtMs: T0 + 200 });
    expect(treeOf(look({ tree: [bash], known }).observations)).toMatchObject({
      found: null,
      pidGone: true,
    });
    const renamed = process(200, 100, ['something', 'else']);
    expect(treeOf(look({ tree: [bash, renamed], known }).observations)).toMatchObject({
      found: null,
      pidGone: false,
    });
  });
});

describe('a tree that was read incompletely', () => {
  it('does not end an agent at once whose process lives', () => {
    const known = runtime({ startedAtMs: T0 + 200 });
    const { observations } = look({ tree: [bash], known, more: { isRuntimeAlive: true } });
    expect(treeOf(observations)).toMatchObject({ found: null, pidGone: false });
  });
});

describe('a dead pane', () => {
  it('ends its agent, with the status of its process', () => {
    const known = runtime({ pid: 100 });
    const facts = { dead: true };
    const crashed = look({ tree: [], known, facts, more: { exitCode: 7 } });
    expect(treeOf(crashed.observations)).toEqual({
      found: null,
      pidGone: true,
      exitCode: 7,
      crashed: true,
    });
    const ended = look({ tree: [], known, facts, more: { exitCode: 0 } });
    expect(treeOf(ended.observations)).toMatchObject({ exitCode: 0, crashed: false });
  });
});

describe('a tree that cannot be read', () => {
  it('says nothing of an agent that is known', () => {
    expect(look({ tree: null, known: runtime() }).observations).toEqual([]);
    const facts = { command: 'claude' };
    expect(look({ tree: null, known: runtime(), facts }).observations).toEqual([]);
  });
});

describe('an opaque pane', () => {
  const { view } = recorded('claude/111-waiting_approval');
  const opaque = { opaque: true, command: 'ssh' };

  it('holds an agent only where its screen proves one', () => {
    const bare = look({ tree: [bash, ssh], facts: opaque });
    expect(bare.opaque).toBe(true);
    expect(treeOf(bare.observations).found).toBeNull();
    expect(startedIn({ tree: [bash, ssh], facts: opaque, more: { screen: view } })).toEqual([
      ['claude', 'screen', null],
    ]);
  });

  it('starts its agent once', () => {
    const known = runtime({ pid: null, basis: 'screen' });
    const again = look({ tree: [bash, ssh], known, facts: opaque, more: { screen: view } });
    expect(again).toMatchObject({ observations: [{ kind: 'scan' }], opaque: true });
  });

  it('believes a person who says which agent it is', () => {
    const tagged = { tree: [bash, ssh], facts: opaque, more: { tagged: 'codex' } };
    expect(startedIn(tagged)).toEqual([['codex', 'tag', null]]);
    const known = runtime({ agent: id<AgentName>('codex'), pid: null, basis: 'tag' });
    expect(startedIn({ ...tagged, known })).toEqual(['scan']);
  });

  it('keeps the claims of its agent under a screen that looks like another agent', () => {
    const known = runtime({ agent: id<AgentName>('codex'), pid: null, basis: 'osc' });
    expect(startedIn({ tree: [bash, ssh], known, facts: opaque, more: { screen: view } })).toEqual(
      [],
    );
  });

  it('does not keep alive the agent whose own process has ended before', () => {
    const known = runtime({ pid: 200, startedAtMs: T0 + 200 });
    const { observations } = look({
      tree: [bash, ssh],
      known,
      facts: opaque,
      more: { screen: view },
    });
    expect(treeOf(observations)).toMatchObject({ found: null, pidGone: true });
  });

  it('is not opaque while ssh only serves the shell in the foreground', () => {
    const background = process(300, 100, ['ssh', '-N', 'host'], 'S');
    const { opaque: isOpaque, observations } = look({
      tree: [foregroundBash, background],
      more: { screen: view },
    });
    expect(isOpaque).toBe(false);
    expect(treeOf(observations).found).toBeNull();
  });
});

describe('a tag', () => {
  it('is denied by a tree that can be read', () => {
    const given = { tree: [foregroundBash], more: { tagged: 'claude' } };
    expect(foundIn(given)).toBeNull();
  });
});

describe('an agent that spoke for itself', () => {
  const known = runtime({
    agent: id<AgentName>('my-agent'),
    pid: 400,
    startedAtMs: T0 + 400,
    basis: 'osc',
  });

  it('lives as long as the process that spoke', () => {
    const found = foundIn({ tree: [bash, script], known });
    expect(found).toMatchObject({ agent: 'my-agent', pid: 400 });
    const pane = knownPane(known);
    const start = {
      agent: known.agent,
      basis: 'osc',
      process: script,
      signature: selfDeclaredSignature,
    } as const;
    expect(found?.runtimeId).toBe(startOf(pane, { ...start, nowMs: T0 }).runtimeId);
    expect(treeOf(look({ tree: [foregroundBash], known }).observations)).toMatchObject({
      found: null,
      pidGone: true,
    });
  });

  it('is over when its process is only a zombie', () => {
    const zombie = { ...script, stat: 'Z' };
    expect(foundIn({ tree: [foregroundBash, zombie], known })).toBeNull();
  });

  it('is not another process that got its number', () => {
    const other = { ...script, startedAtMs: T0 + 9_999 };
    expect(foundIn({ tree: [bash, other], known })).toBeNull();
  });

  it('makes way for an agent that an adapter knows', () => {
    expect(foundIn({ tree: [bash, script, claude], known })?.agent).toBe('claude');
  });
});

describe('who may speak for a pane', () => {
  it('is the program in its foreground', () => {
    expect(speakerIn([bash, script])?.pid).toBe(400);
    expect(speakerIn([process(100, 1, ['./agent'], 'Ss+')])?.pid).toBe(100);
  });

  it('is a script, whatever shell runs it', () => {
    expect(speakerIn([bash, process(500, 100, ['sh', './agent.sh'])])?.pid).toBe(500);
  });

  it('is no shell, no pager and no editor: they show what others wrote', () => {
    expect(speakerIn([foregroundBash])).toBeNull();
    expect(speakerIn([bash, process(500, 100, ['less', 'log'])])).toBeNull();
    expect(speakerIn([bash, process(500, 100, ['/usr/bin/vim', 'x'])])).toBeNull();
    expect(speakerIn([bash, process(500, 100, ['bash', '-c', 'printf x'])])).toBeNull();
  });

  it('is nobody in the background', () => {
    expect(speakerIn([foregroundBash, process(500, 100, ['./agent'], 'S')])).toBeNull();
    expect(speakerIn([])).toBeNull();
  });
});
