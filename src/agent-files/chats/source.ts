// The conversations of agents that say by their hooks what they do, and keep their chats by folder.

import type {
  AgentFilesContext,
  AgentFilesSource,
  AgentFilesSourceMaker,
  LiveAgent,
} from '../readers/agent-files-source.ts';
import { readerSource } from '../readers/agent-readers.ts';
import type { FindChatFolder } from './chat-folders.ts';
import { ChatReader } from './reader.ts';

/** It reads no evidence, so no channel of it has to live. */
export const chatSource =
  (find: FindChatFolder): AgentFilesSourceMaker =>
  (context: AgentFilesContext): AgentFilesSource => {
    let living: readonly LiveAgent[] = [];
    const isAlone = (agent: LiveAgent): boolean =>
      living.filter(({ pane }) => pane.facts.path === agent.pane.facts.path).length === 1;
    const source = readerSource(
      context,
      [],
      (agent) => new ChatReader({ context, agent, find, isAlone }),
    );
    return {
      keep: (agents) => {
        living = agents;
        source.keep(agents);
      },
      beat: (nowMs) => source.beat(nowMs),
      [Symbol.dispose]: () => source[Symbol.dispose](),
    };
  };
