// A viewer over an agent's screen, from the captures to the row: what it covers is claimed by no
// screen, and by the agent's own signals where there are any.

import { beforeEach, describe, expect, it } from 'vitest';
import { normaliseSignal } from '../../src/agents/agent-sources.ts';
import type { Evidence } from '../../src/schema/evidence.ts';
import { type ChannelName, id } from '../../src/schema/ids.ts';
import { paneEvidence } from '../../src/sources/evidence.ts';
import { ScreenSource } from '../../src/sources/panes/screen-source.ts';
import { Run, runtimeId, T0 } from '../scenario.ts';
import { adapter, channel, recorded, runtime, TestDaemon } from './fixture.ts';

const claude = adapter('claude');
const agent = { runtime: runtime({ runtimeId: runtimeId(0) }), adapter: claude };
const working = recorded('claude/104-running').screen;
const approval = recorded('claude/111-waiting_approval').screen;
const viewer = recorded('claude/2.1.250-180-idle').screen;

const files = id<ChannelName>('files@local');

let daemon: TestDaemon;
let screens: ScreenSource;
let run: Run;

beforeEach(() => {
  daemon = new TestDaemon();
  daemon.now = T0 + 60_000;
  screens = new ScreenSource(daemon, channel);
  run = new Run();
});

const see = (evidence: Evidence | null): void => {
  if (evidence !== null) run.see(evidence);
};

/** Shows a screen for some seconds, with a capture and a look at what is due in each. */
function show(screen: typeof working, seconds: number): string {
  for (let second = 0; second < seconds; second += 1) {
    daemon.now += 1_000;
    see(screens.read('%1', screen, agent, 'own').evidence);
    run.observe({ kind: 'heartbeat', channel, atMs: daemon.now });
    run.observe({ kind: 'heartbeat', channel: files, atMs: daemon.now });
    run.tick(daemon.now);
  }
  return run.row().state;
}

/** A line of the transcript, as the agent writes it. */
function write(line: Readonly<Record<string, unknown>>): void {
  const spec = claude.sources.find(({ name }) => name === 'claude-transcript');
  const signal = normaliseSignal('claude', 'claude-transcript', line, { nowMs: daemon.now });
  if (spec === undefined || signal.kind !== 'claims') throw new Error('no claims');
  const reading = { spec, runtimeId: runtimeId(0), nowMs: daemon.now };
  see(paneEvidence(signal, daemon, { ...reading, channel: files }));
}

describe('behind a transcript viewer', () => {
  it('a turn is unknown where only the screen can be read', () => {
    expect(show(working, 3)).toBe('running');
    expect(show(viewer, 3)).toBe('unknown');
  });

  it('a turn that ends is completed, by the transcript', () => {
    show(working, 3);
    write({ type: 'user', message: { content: 'explain' } });
    expect(show(viewer, 3)).toBe('running');
    write({ type: 'system', subtype: 'turn_duration', durationMs: 1 });
    expect(show(viewer, 90)).toBe('completed');
  });

  it('a dialog that was there before stays open for as long as the viewer does', () => {
    expect(show(approval, 3)).toBe('waiting_approval');
    expect(show(viewer, 300)).toBe('waiting_approval');
    expect(show(working, 1)).toBe('running');
  });
});
