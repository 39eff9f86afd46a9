// Reads opencode and Kilo without a plugin: by their own server, where they were started with one,
// and by their log. Servers on other machines are not connected to.

import type { AgentFilesSourceMaker } from '../readers/agent-files-source.ts';
import { AgentReaders } from '../readers/agent-readers.ts';
import { LogReader } from './log-reader.ts';
import { BusReader } from './reader.ts';
import { sessionSourceName, TranscriptFinder } from './transcript-finder.ts';

export const sessionBusSource =
  (agent: string): AgentFilesSourceMaker =>
  (context) => {
    const [server, log] = [`${agent}-http`, `${agent}-log`];
    const servers = new AgentReaders(
      (live) => new BusReader({ context, source: server, agent: live }),
    );
    const logs = new AgentReaders((live) => new LogReader(context, log, live));
    const transcripts = new AgentReaders((live) => new TranscriptFinder(context, live));
    return {
      keep: (living) => {
        logs.keep(living);
        if (!context.isLocal) return;
        servers.keep(living);
        // A database cannot be read in pieces from afar.
        transcripts.keep(living);
      },
      beat: (nowMs) => {
        const readers = servers.readers();
        const others = [...logs.readers(), ...transcripts.readers()];
        for (const reader of [...readers, ...others]) reader.look();
        // No heartbeat when every server is lost; the log still covers a single lost one.
        const isLost = readers.some((each) => each.isLost) && !readers.some((each) => each.isOpen);
        const words = context.isLocal ? [sessionSourceName(agent)] : [];
        const alive = [log, ...words, ...(isLost ? [] : [server])];
        context.daemon.submit(
          alive.map((each) => ({ kind: 'heartbeat', channel: context.channel(each), atMs: nowMs })),
        );
      },
      [Symbol.dispose]: () => {
        servers[Symbol.dispose]();
        logs[Symbol.dispose]();
        transcripts[Symbol.dispose]();
      },
    };
  };
