// Reads Claude Code: the session file and the transcript of each live one.

import type { AgentFilesSourceMaker } from '../readers/agent-files-source.ts';
import { readerSource } from '../readers/agent-readers.ts';
import { ClaudeReader, TRANSCRIPT } from './reader.ts';
import { SESSION_FILE } from './session-file.ts';

export const claudeSource: AgentFilesSourceMaker = (context) =>
  readerSource(context, [SESSION_FILE, TRANSCRIPT], (agent) => new ClaudeReader(context, agent));
