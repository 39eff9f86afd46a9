// Reads Cline: the log of each live one.

import type { AgentFilesSourceMaker } from '../readers/agent-files-source.ts';
import { readerSource } from '../readers/agent-readers.ts';
import { ClineLogReader, LOG } from './reader.ts';

export const clineSource: AgentFilesSourceMaker = (context) =>
  readerSource(context, [LOG], (agent) => new ClineLogReader(context, agent));
