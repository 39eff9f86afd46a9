// Lines of a followed file as evidence: the engine must find them in the order of the file,
// whatever times they carry.

import { expect, it } from 'vitest';
import { LocalFiles } from '../../src/agent-files/files/local-files.ts';
import type { AgentFilesContext } from '../../src/agent-files/readers/agent-files-source.ts';
import { TranscriptEvidence } from '../../src/agent-files/readers/transcript-evidence.ts';
import { configSchema } from '../../src/schema/config.ts';
import { type AgentName, type ChannelName, id, type RuntimeId } from '../../src/schema/ids.ts';
import { adapter, runtime, TestDaemon } from '../sources/fixture.ts';
import { openGate } from './agent-files-stage.ts';

const daemon = new TestDaemon();
daemon.now += 60_000;

const context: AgentFilesContext = {
  files: new LocalFiles(),
  daemon,
  adapter: () => adapter('copilot'),
  channel: (source) => id<ChannelName>(`${source}@local`),
  config: () => configSchema.parse({}),
  isLocal: true,
  toDaemonMs: (hostMs) => hostMs,
  announce: () => {},
  gate: () => openGate,
  onProblem: (problem) => {
    throw new Error(problem);
  },
};

const lineAt = (type: string, agoMs: number, offset: number) => {
  const timestamp = new Date(daemon.now - agoMs).toISOString();
  return {
    text: JSON.stringify({ type, id: `${offset}`, data: {}, timestamp }),
    offset,
    end: offset + 100,
  };
};

it('lines that are read long after they were written keep their times and their order', () => {
  const agent = { ...runtime({ agent: id<AgentName>('copilot') }), pid: 200 };
  const reader = new TranscriptEvidence({
    context,
    source: 'copilot-events',
    runtime: agent,
    name: 'one',
  });
  const lines = [lineAt('session.start', 19_000, 0), lineAt('user.message', 500, 100)];
  const times = reader
    .submit({ lines, isHistory: false }, null)
    .map(({ eventTimeMs }) => eventTimeMs);
  expect(times).toEqual([daemon.now - 19_000, daemon.now - 500]);
});

it('lines that are written after the clock was set back come after those before it', () => {
  const agent = { ...runtime({ agent: id<AgentName>('codex') }), pid: 200 };
  const reader = new TranscriptEvidence({
    context: { ...context, adapter: () => adapter('codex') },
    source: 'codex-rollout',
    runtime: agent,
    name: 'four',
  });
  const lines = [500, 30_500].map((agoMs, ordinal) => {
    const timestamp = new Date(daemon.now - agoMs).toISOString();
    const payload = { type: ordinal === 0 ? 'task_started' : 'task_complete', turn_id: '1' };
    const text = JSON.stringify({ timestamp, ordinal, type: 'event_msg', payload });
    return { text, offset: ordinal * 100, end: ordinal * 100 + 100 };
  });
  const [first, second] = reader.submit({ lines, isHistory: false }, null);
  expect(second?.sourceSeq).toBeGreaterThan(first?.sourceSeq ?? Number.POSITIVE_INFINITY);
  expect(second?.eventTimeMs).toBe(first?.eventTimeMs);
});

it('lines that a session took over from another one say nothing of this process', () => {
  const agent = { ...runtime({ agent: id<AgentName>('copilot') }), pid: 200 };
  const reader = new TranscriptEvidence({
    context,
    source: 'copilot-events',
    runtime: agent,
    name: 'two',
  });
  const lines = [lineAt('user.message', 1_000_000, 0), lineAt('user.message', 500, 100)];
  expect(reader.submit({ lines, isHistory: false }, null)).toHaveLength(1);
});

it('a line has the same name when it is read again, and another for another agent', () => {
  const idOf = (changes: Parameters<typeof runtime>[0]): string | undefined => {
    const agent = { ...runtime({ agent: id<AgentName>('copilot'), ...changes }), pid: 200 };
    const options = { context, source: 'copilot-events', runtime: agent, name: 'three' };
    const piece = { lines: [lineAt('user.message', 500, 0)], isHistory: true };
    return new TranscriptEvidence(options).submit(piece, null)[0]?.eventId;
  };
  expect(idOf({})).toBe(idOf({}));
  expect(idOf({})).not.toBe(idOf({ runtimeId: id<RuntimeId>('another') }));
});
