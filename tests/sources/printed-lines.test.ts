// Lines of JSON that `codex exec --json` prints: each is evidence once, wrapped or not, and those
// of an earlier run are evidence of none.

import { beforeEach, describe, expect, it } from 'vitest';
import { id, type RuntimeId } from '../../src/schema/ids.ts';
import { PrintedLines } from '../../src/sources/panes/printed-lines.ts';
import { adapter, channel, plainScreen, runtime, TestDaemon } from './fixture.ts';

const codex = { runtime: runtime(), adapter: adapter('codex') };
const started = '{"type":"thread.started","thread_id":"t-1"}';
const turn = '{"type":"turn.started"}';
const message =
  '{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"a"}}';
const tool =
  '{"type":"item.started","item":{"id":"item_1","type":"command_execution","command":"sleep 8"}}';
const completed = '{"type":"turn.completed","usage":{"input_tokens":2400,"output_tokens":80}}';
const failed = '{"type":"turn.failed","error":{"message":"bad request"}}';
const command = 'vm$ codex exec --json "do it"';

let printed: PrintedLines;

beforeEach(() => {
  printed = new PrintedLines(new TestDaemon(), channel);
});

const wrap = (line: string, cols: number): readonly string[] =>
  line.match(new RegExp(`.{1,${cols}}`, 'gu')) ?? [];

const read = (lines: readonly string[], agent = codex): readonly string[] =>
  printed
    .read('%1', plainScreen(...lines), agent)
    .map(({ type, claims }) => [type, ...claims.map(({ says }) => says)].join(' '));

describe('lines that codex exec prints', () => {
  it('are evidence once each, in their order', () => {
    expect(read([command])).toEqual([]);
    expect(read([command, started, turn])).toEqual(['thread.started', 'turn.started running']);
    expect(read([command, started, turn])).toEqual([]);
    const rest = [message, tool, completed];
    expect(read([started, turn, ...rest])).toEqual([
      'item.completed running',
      'item.started running',
      'turn.completed completed',
    ]);
  });

  it('are read where the pane wraps them, once they are whole', () => {
    for (const cols of [20, 37, 50]) {
      printed = new PrintedLines(new TestDaemon(), channel);
      const rows = [started, tool, failed].flatMap((line) => wrap(line, cols));
      expect(read([command, ...rows.slice(0, -1)])).toEqual([]);
      const last = ['thread.started', 'item.started running', 'turn.failed error'];
      expect(read([command, ...rows, ''])).toEqual(last);
    }
  });

  it('are not those of an earlier run, whole or broken off', () => {
    expect(read([started, turn, completed, command])).toEqual([]);
    expect(read([started, turn, tool.slice(0, 40), '^C', command])).toEqual([]);
    expect(read([started, completed, command, 'a warning', started, turn])).toEqual([
      'thread.started',
      'turn.started running',
    ]);
  });

  it('are those of the next agent again, even if they look the same', () => {
    expect(read([command, turn])).toHaveLength(1);
    const next = { ...codex, runtime: runtime({ runtimeId: id<RuntimeId>('runtime-2') }) };
    expect(read([command, turn], next)).toEqual(['turn.started running']);
  });

  it('say nothing where they are quoted, malformed, or of another agent', () => {
    expect(read([command, `  ${turn}`])).toEqual([]);
    expect(read([command, '{"type":"turn.started"'])).toEqual([]);
    expect(read([command, '{"type":"something new"}'])).toEqual([]);
    expect(read([command, turn], { ...codex, adapter: adapter('claude') })).toEqual([]);
  });
});
