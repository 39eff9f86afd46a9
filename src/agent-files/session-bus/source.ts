// What opencode and Kilo tell without a plugin: by their own server, where they were started with
// one, and by their log. On other machines nothing is connected to.

import type { AgentFilesSourceMaker } from '../readers/agent-files-source.ts';
import { AgentReaders } from '../readers/agent-readers.ts';
import { LogReader } from './log-reader.ts';
import { BusReader } from './reader.ts';

export const sessionBusSource =
  (agent: string): AgentFilesSourceMaker =>
  (context) => {
    const [server, log] = [`${agent}-http`, `${agent}-log`];
    const servers = new AgentReaders((seat) => new BusReader({ context, source: server, seat }));
    const logs = new AgentReaders((seat) => new LogReader(context, log, seat));
    return {
      keep: (living) => {
        logs.keep(living);
        if (context.isLocal) servers.keep(living);
      },
      beat: (nowMs) => {
        const readers = servers.readers();
        for (const reader of [...readers, ...logs.readers()]) reader.look();
        // Silent when every server is lost: one that is lost alone has its log to speak for it.
        const isLost = readers.some((each) => each.isLost) && !readers.some((each) => each.isOpen);
        const alive = isLost ? [log] : [log, server];
        context.daemon.submit(
          alive.map((each) => ({ kind: 'heartbeat', channel: context.channel(each), atMs: nowMs })),
        );
      },
      [Symbol.dispose]: () => {
        servers[Symbol.dispose]();
        logs[Symbol.dispose]();
      },
    };
  };
