// What Copilot CLI tells by itself: the events of the sessions that each living one has open.

import type { AgentFilesSourceMaker } from '../readers/agent-files-source.ts';
import { readerSource } from '../readers/agent-readers.ts';
import { CopilotReader, EVENTS } from './reader.ts';

export const copilotSource: AgentFilesSourceMaker = (context) =>
  readerSource(context, [EVENTS], (seat) => new CopilotReader(context, seat));
