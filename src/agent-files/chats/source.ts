// The conversations of agents that report by their hooks what they do, and keep their chats by
// folder, with the last words in them.

import type {
  AgentFilesContext,
  AgentFilesSource,
  AgentFilesSourceMaker,
  LiveAgent,
} from '../readers/agent-files-source.ts';
import { readerSource } from '../readers/agent-readers.ts';
import type { FindChatFolder } from './chat-folders.ts';
import { ChatReader, chatSourceName } from './reader.ts';

export const chatSource =
  (name: string, find: FindChatFolder): AgentFilesSourceMaker =>
  (context: AgentFilesContext): AgentFilesSource => {
    let living: readonly LiveAgent[] = [];
    const isAlone = (agent: LiveAgent): boolean =>
      living.filter(({ pane }) => pane.facts.path === agent.pane.facts.path).length === 1;
    const source = readerSource(
      context,
      [chatSourceName(name)],
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
