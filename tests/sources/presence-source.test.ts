// When processes are looked at: at once when something may have begun or ended, else seldom; never
// in a loop, and never again for what is gone.

import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type ScreenView, viewScreen } from '../../src/agents/screen/screen-view.ts';
import { LocalProcesses } from '../../src/platform/process/processes.ts';
import { defaultConfig } from '../../src/schema/config.ts';
import { type AgentName, id } from '../../src/schema/ids.ts';
import { PresenceSource } from '../../src/sources/processes/presence-source.ts';
import type { HostProcesses } from '../../src/tmux/host.ts';
import {
  address,
  channel,
  knownPane,
  makeFolder,
  process as processOf,
  recorded,
  registry,
  row,
  runtime,
  T0,
  TestDaemon,
} from './fixture.ts';

let daemon: TestDaemon;
let presence: PresenceSource;
let processes: LocalProcesses;
let screen: ScreenView | null = null;

beforeEach(() => {
  screen = null;
  daemon = new TestDaemon();
  processes = new LocalProcesses(makeFolder());
  presence = sourceWith(processes);
});

const sourceWith = (given: HostProcesses): PresenceSource =>
  new PresenceSource({
    address,
    daemon,
    channel,
    processes: given,
    registry: () => registry,
    config: () => defaultConfig.process,
    screenOf: () => screen,
  });

/** This test's own process, as the first process of a pane. */
const ownFacts = () => ({
  birth: { pid: process.pid, startedAtMs: processes.startedAtMs(process.pid) ?? 0 },
  command: 'node',
});
const ownRow = () => row({ panePid: process.pid, currentCommand: 'node' });

/** How often a pane is looked at within a span, when it is looked at whenever it is due. */
function looksWithin(spanMs: number): number {
  const asked = vi.spyOn(daemon, 'paneAt');
  for (const endMs = daemon.now + spanMs; daemon.now < endMs; ) {
    const nextMs = presence.nextMs;
    daemon.now = Math.max(daemon.now, nextMs);
    presence.scan(daemon.now);
    if (presence.nextMs <= daemon.now) throw new Error('it is due again at once');
  }
  return asked.mock.calls.length;
}

describe('a pane', () => {
  it('is looked at when it is new, and when another program is in its foreground', () => {
    daemon.panes.set('%1', knownPane(null, ownFacts()));
    expect(presence.nextMs).toBe(Number.POSITIVE_INFINITY);
    presence.listed(ownRow());
    expect(presence.nextMs).toBeLessThanOrEqual(T0);
    expect(presence.scan(T0)).toHaveLength(1);
    expect(presence.scan(T0)).toEqual([]);
    presence.listed(ownRow());
    expect(presence.nextMs).toBeGreaterThan(T0);
    presence.listed({ ...ownRow(), currentCommand: 'claude' });
    expect(presence.nextMs).toBeLessThanOrEqual(T0);
  });

  it('in which nothing happens is looked at more and more seldom', () => {
    daemon.panes.set('%1', knownPane(null, ownFacts()));
    presence.listed(ownRow());
    expect(looksWithin(600_000)).toBeLessThanOrEqual(30);
  });

  it('with an agent is looked at every few seconds', () => {
    const { birth } = ownFacts();
    const known = runtime({
      agent: id<AgentName>('my-agent'),
      pid: birth.pid,
      startedAtMs: birth.startedAtMs,
      basis: 'osc',
    });
    daemon.panes.set('%1', knownPane(known, ownFacts()));
    presence.listed(ownRow());
    const count = looksWithin(60_000);
    expect(count).toBeGreaterThanOrEqual(20);
    expect(count).toBeLessThanOrEqual(40);
  });

  it('with an agent that lives on as before is read whole only now and then', () => {
    const { birth } = ownFacts();
    const known = runtime({ agent: id<AgentName>('my-agent'), basis: 'osc', ...birth });
    daemon.panes.set('%1', knownPane(known, ownFacts()));
    presence.listed(ownRow());
    const { agentMs, treeMs } = defaultConfig.process;
    expect(presence.scan(T0)).toHaveLength(1);
    expect(presence.scan(T0 + agentMs)).toEqual([]);
    expect(presence.scan(T0 + treeMs)).toHaveLength(1);
    // Whatever may have changed it asks for a whole one.
    presence.ask('%1');
    expect(presence.scan(T0 + treeMs + 1)).toHaveLength(1);
    // So does another process in its place.
    daemon.panes.set('%1', knownPane({ ...known, pid: 1 }, ownFacts()));
    expect(presence.scan(T0 + treeMs + 1 + agentMs)).toHaveLength(1);
  });

  it('with an agent that prints is seen at once: by one file as long as it lives on', () => {
    const { birth } = ownFacts();
    const known = runtime({ agent: id<AgentName>('my-agent'), basis: 'osc', ...birth });
    daemon.panes.set('%1', knownPane(known, ownFacts()));
    presence.listed(ownRow());
    presence.scan(T0);
    presence.noteOutput('%1', T0 + 1);
    expect(presence.nextMs).toBeLessThanOrEqual(T0 + 1);
    expect(presence.scan(T0 + 1)).toEqual([]);
    // Another process is in its place: it has ended.
    daemon.panes.set('%1', knownPane({ ...known, pid: 1 }, ownFacts()));
    presence.noteOutput('%1', T0 + 2);
    expect(presence.scan(T0 + 2)).toHaveLength(1);
  });

  it('whose agent was missed before it was gone still had an agent at its prompt', () => {
    const bash = processOf(100, 1, ['-bash'], 'Ss');
    const claude = processOf(200, 100, ['/usr/local/bin/claude']);
    let tree = [bash, claude];
    let isThere = true;
    const startedAtMs = (pid: number) => (pid === 200 && !isThere ? null : claude.startedAtMs);
    const own = { refresh: null, foregroundOf: null, signOf: () => null, startedAtMs };
    presence = sourceWith({ ...own, tree: () => tree });
    const pane = { birth: { pid: 100, startedAtMs: bash.startedAtMs } };
    daemon.panes.set('%1', knownPane(null, pane));
    presence.listed(row({ panePid: 100 }));
    const [first] = presence.scan(T0);
    const found = first?.kind === 'scan' ? first.scan.tree?.found : null;
    const { runtimeId, startedAtMs: atMs } = found ?? { runtimeId: null, startedAtMs: 0 };
    if (runtimeId === null) throw new Error('no agent was found');
    daemon.panes.set('%1', knownPane(runtime({ runtimeId, pid: 200, startedAtMs: atMs }), pane));
    const scanAt = (ms: number) => {
      presence.ask('%1');
      return presence.scan(T0 + ms);
    };
    tree = [bash];
    expect(scanAt(100)).toMatchObject([{ scan: { tree: { found: null, pidGone: false } } }]);
    isThere = false;
    expect(scanAt(400)).toMatchObject([{ scan: { tree: { pidGone: true, isInteractive: true } } }]);
  });

  it('whose agent is not found is looked at again within half a second', () => {
    const known = runtime({ pid: process.pid, startedAtMs: 1 });
    daemon.panes.set('%1', knownPane(known, ownFacts()));
    presence.listed(ownRow());
    expect(presence.scan(T0)).toMatchObject([{ scan: { tree: { found: null } } }]);
    expect(presence.nextMs - T0).toBeLessThanOrEqual(500);
  });

  it('that the daemon does not know yet is asked for later, not in a loop', () => {
    presence.listed(ownRow());
    expect(presence.scan(T0)).toEqual([]);
    expect(presence.nextMs).toBeGreaterThan(T0 + 500);
    expect(looksWithin(60_000)).toBeLessThanOrEqual(60);
  });

  it('that is gone is forgotten', () => {
    presence.listed(ownRow());
    presence.keep(new Set());
    expect(presence.nextMs).toBe(Number.POSITIVE_INFINITY);
    presence.ask('%1');
    expect(presence.nextMs).toBe(Number.POSITIVE_INFINITY);
  });

  it('whose first process is another one now says nothing', () => {
    const { birth } = ownFacts();
    const facts = { birth: { ...birth, startedAtMs: birth.startedAtMs - 10 }, command: 'bash' };
    daemon.panes.set('%1', knownPane(runtime(), facts));
    presence.listed(ownRow());
    expect(presence.scan(T0)).toEqual([]);
  });

  it('about to end starts no agent by the name of its command alone', () => {
    const { birth } = ownFacts();
    const facts = { birth: { ...birth, startedAtMs: birth.startedAtMs - 10 }, command: 'claude' };
    daemon.panes.set('%1', knownPane(null, facts));
    presence.listed(ownRow());
    expect(presence.scan(T0)).toEqual([]);
  });
});

/** A pane whose tree the test gives: ssh in the foreground of a shell. */
class ShellWithSsh extends LocalProcesses {
  override tree() {
    return [processOf(100, 1, ['-bash'], 'Ss'), processOf(300, 100, ['ssh', 'host'])];
  }
  override startedAtMs(pid: number) {
    return pid === 100 || pid === 300 ? T0 + pid : null;
  }
}

/** A screen with the cursor behind its last line. */
function viewOf(...lines: readonly string[]): ScreenView {
  const last = lines.at(-1) ?? '';
  const cursor = { x: last.length, y: lines.length - 1, isVisible: true };
  return viewScreen({ lines, title: '', cols: 80, rows: 24, cursor });
}

describe('an opaque pane', () => {
  const facts = { birth: { pid: 100, startedAtMs: T0 + 100 }, command: 'ssh', opaque: true };

  beforeEach(() => {
    presence = new PresenceSource({
      address,
      daemon,
      channel,
      processes: new ShellWithSsh(makeFolder()),
      registry: () => registry,
      config: () => defaultConfig.process,
      screenOf: () => screen,
    });
    presence.listed(row({ currentCommand: 'ssh' }));
  });

  it('is known as one after the first look', () => {
    daemon.panes.set('%1', knownPane(null, facts));
    expect(presence.isOpaque('%1')).toBe(false);
    presence.scan(T0);
    expect(presence.isOpaque('%1')).toBe(true);
    expect(presence.isOpaque('%2')).toBe(false);
  });

  it('is still one after a restart of the daemon, before the first look', () => {
    daemon.panes.set('%2', knownPane(runtime({ pid: null, basis: 'osc' }), facts));
    presence.listed(row({ paneId: '%2', currentCommand: 'ssh' }));
    expect(presence.isOpaque('%2')).toBe(true);
    presence.listed(row({ paneId: '%2', currentCommand: 'ssh', panePid: 101 }));
    expect(presence.isOpaque('%2')).toBe(false);
  });

  it('whose agent has no process to look for is not looked at in haste', () => {
    daemon.panes.set('%1', knownPane(runtime({ pid: null, basis: 'osc' }), facts));
    expect(looksWithin(60_000)).toBeLessThanOrEqual(40);
  });

  it('ends an agent whose own process has ended, though its screen looks as before', () => {
    screen = recorded('claude/111-waiting_approval').view;
    daemon.panes.set('%1', knownPane(runtime(), facts));
    expect(presence.scan(T0)).toMatchObject([{ scan: { tree: { found: null, pidGone: true } } }]);
    daemon.panes.set('%1', knownPane(null, facts));
    presence.ask('%1');
    expect(presence.scan(T0 + 1)).toMatchObject([
      { fact: { type: 'runtime.started', agent: 'claude', basis: 'screen', pid: null } },
    ]);
  });

  describe('whose agent has left it', () => {
    const shell = viewOf('$ ssh host', 'vm$ claude', 'vm$ ');
    const cleared = viewOf('> something');
    const ends = { scan: { tree: { found: null, leftOpaque: true } } };
    const doubts = { scan: { tree: { found: null, leftOpaque: false, isShellInFront: true } } };
    const shows = { scan: { tree: { found: null, leftOpaque: false, isShellInFront: false } } };
    const ended = '"leftOpaque":true';
    /** Everything that is observed until `untilMs`, at the pace of the source itself. */
    const observedUntil = (untilMs: number) => {
      const all: unknown[] = [];
      for (let nowMs = T0; nowMs <= T0 + untilMs; nowMs += 1_000) all.push(...presence.scan(nowMs));
      return all;
    };

    it.each(['screen', 'tag', 'osc', 'event'] as const)(
      'shows a shell for 45 s: an agent known by %s ends',
      (basis) => {
        const known = runtime({ pid: null, basis });
        daemon.panes.set('%1', knownPane(known, facts));
        if (basis === 'tag') presence.tag('%1', known.agent);
        screen = shell;
        expect(presence.scan(T0)).toMatchObject([doubts]);
        expect(JSON.stringify(observedUntil(44_000))).not.toContain(ended);
        expect(presence.scan(T0 + 60_000)).toMatchObject([ends]);
      },
    );

    it('shows nothing of an agent that its screen alone proved: it ends', () => {
      screen = cleared;
      daemon.panes.set('%1', knownPane(runtime({ pid: null, basis: 'screen' }), facts));
      expect(observedUntil(44_000)).toEqual([]);
      expect(presence.scan(T0 + 60_000)).toMatchObject([ends]);
    });

    it('keeps one that declared itself where its screen is not known', () => {
      screen = cleared;
      daemon.panes.set('%1', knownPane(runtime({ pid: null, basis: 'osc' }), facts));
      expect(JSON.stringify(observedUntil(120_000))).not.toContain(ended);
    });

    it('stays while the screen is still its own, also with pauses of a shell between', () => {
      daemon.panes.set('%1', knownPane(runtime({ pid: null, basis: 'screen' }), facts));
      for (const turn of [0, 1, 2]) {
        screen = shell;
        expect(presence.scan(T0 + turn * 60_000)).toMatchObject([doubts]);
        expect(presence.scan(T0 + turn * 60_000 + 30_000)).toMatchObject([doubts]);
        screen = recorded('claude/111-waiting_approval').view;
        expect(presence.scan(T0 + turn * 60_000 + 40_000)).toMatchObject([shows]);
      }
    });

    it('does not get a tagged one again before the shell is gone', () => {
      const known = runtime({ pid: null, basis: 'tag' });
      daemon.panes.set('%1', knownPane(known, facts));
      presence.tag('%1', known.agent);
      screen = shell;
      presence.scan(T0);
      expect(presence.scan(T0 + 50_000)).toMatchObject([ends]);
      daemon.panes.set('%1', knownPane(null, facts));
      expect(presence.scan(T0 + 60_000)).toEqual([]);
      screen = recorded('claude/101-idle').view;
      expect(presence.scan(T0 + 100_000)).toMatchObject([{ fact: { basis: 'tag' } }]);
    });
  });

  it('is what a person says it is, until another process is in it', () => {
    daemon.panes.set('%1', knownPane(null, facts));
    presence.tag('%1', 'codex');
    expect(presence.scan(T0)).toMatchObject([{ fact: { agent: 'codex', basis: 'tag' } }]);
    presence.listed(row({ currentCommand: 'ssh', panePid: 999 }));
    expect(presence.scan(T0 + 1)).not.toMatchObject([{ fact: { agent: 'codex' } }]);
  });
});

describe('a dead pane', () => {
  it('gives the exit status to the agent that was its first process, and to no other', () => {
    const dead = { ...ownFacts(), dead: true };
    const status = { ...ownRow(), dead: true, deadStatus: 3 };
    daemon.panes.set('%1', knownPane(runtime({ pid: process.pid }), dead));
    presence.listed(status);
    expect(presence.scan(T0)).toMatchObject([
      { scan: { tree: { pidGone: true, exitCode: 3, crashed: true } } },
    ]);
    daemon.panes.set('%1', knownPane(runtime({ pid: process.pid + 1 }), dead));
    presence.ask('%1');
    expect(presence.scan(T0)).toMatchObject([
      { scan: { tree: { pidGone: true, exitCode: null, crashed: false } } },
    ]);
  });

  it('is given a moment to report how its agent ended, and no more', () => {
    const dead = { ...ownFacts(), dead: true };
    const untold = { ...ownRow(), dead: true, deadStatus: null };
    daemon.panes.set('%1', knownPane(runtime({ pid: process.pid }), dead));
    presence.listed(untold);
    expect(presence.scan(T0)).toEqual([]);
    presence.listed({ ...untold, deadStatus: 3 });
    expect(presence.scan(T0 + 200)).toMatchObject([{ scan: { tree: { crashed: true } } }]);
    presence.listed(untold);
    expect(presence.scan(T0 + 3_000)).toMatchObject([{ scan: { tree: { crashed: false } } }]);
  });
});
