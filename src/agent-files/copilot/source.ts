// Reads Copilot CLI: the events of the sessions that each live one has open.

import type { AgentFilesSourceMaker } from '../readers/agent-files-source.ts';
import { readerSource } from '../readers/agent-readers.ts';
import { CopilotReader, EVENTS } from './reader.ts';

export const copilotSource: AgentFilesSourceMaker = (context) =>
  readerSource(context, [EVENTS], (agent) => new CopilotReader(context, agent));
