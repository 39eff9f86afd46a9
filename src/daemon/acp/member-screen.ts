// What an ACP member said and did as the lines of a screen, for whoever looks at an agent: the end
// of its transcript, and the message that still grows.

import { ConversationReader } from '../../agent-files/conversations/conversation-reader.ts';
import type { PlacedEntry } from '../../agent-files/conversations/placed-entry.ts';
import { acpConversation } from '../../agents/shared/acp-conversation.ts';
import type { PaneScreen } from '../../operations/ports/ports.ts';
import type { AcpTranscript } from '../../relay/acp/acp-transcript.ts';
import { logLines } from '../../render/conversation/log-lines.ts';
import { shapeEntry } from '../conversing/shape-entry.ts';
import { acpRecords } from './acp-records.ts';

const COLUMNS = 120;
const ROWS = 40;
/** Enough for as many lines as anybody asks for. */
const RECORDS_MAX = 1_000;

export function memberScreen(
  transcript: AcpTranscript,
  view: { readonly lineCount: number; readonly pid: number; readonly nowMs: number },
): PaneScreen {
  const reader = new ConversationReader(acpRecords(transcript), acpConversation, 'acp');
  const { open } = transcript;
  const position = transcript.end;
  const text = JSON.stringify(open);
  const growing = open === null ? [] : [{ position, next: position + 1, text }];
  const records = [...transcript.records.slice(-RECORDS_MAX), ...growing];
  const entries: readonly PlacedEntry[] = records.flatMap((record) => reader.entriesOf(record));
  const style = {
    width: COLUMNS,
    color: false,
    unicode: true,
    nowMs: view.nowMs,
    isUnfolded: false,
  };
  const all = entries.flatMap((entry) => logLines(style, shapeEntry(reader, entry)));
  const lines = all.slice(-Math.max(ROWS, view.lineCount));
  return {
    ansi: lines.join('\n'),
    ...{ cols: COLUMNS, rows: Math.max(1, Math.min(ROWS, lines.length)) },
    cursor: { x: 0, y: 0 },
    inMode: false,
    panePid: view.pid,
  };
}
