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
  clockShiftMs: () => 0,
  gate: () => openGate,
  onProblem: (problem) => {
    throw new Error(problem);
  },
};

const lineAt = (type: string, agoMs: number, offset: number) => {
  const timestamp = new Date(daemon.now - agoMs).toISOString();
  return { text: JSON.stringify({ type, id: `${offset}`, data: {}, timestamp }), offset };
};

it('a session that is written down long after it began leaves the lines behind it in order', () => {
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
  // The engine takes a time that is too old for that of the reading.
  expect(times).toEqual([daemon.now, daemon.now]);
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
