// What Claude Code tells by itself: the session file and the transcript of each one that lives.

import type { AgentFilesSourceMaker } from '../readers/agent-files-source.ts';
import { readerSource } from '../readers/agent-readers.ts';
import { ClaudeReader, TRANSCRIPT } from './reader.ts';
import { SESSION_FILE } from './session-file.ts';

export const claudeSource: AgentFilesSourceMaker = (context) =>
  readerSource(context, [SESSION_FILE, TRANSCRIPT], (seat) => new ClaudeReader(context, seat));
