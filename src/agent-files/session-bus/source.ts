// What opencode and Kilo tell without a plugin: by their own server, where they were started with
// one, and by their log. On other machines nothing is connected to.

import type { VendorSourceMaker } from '../agent-files-source.ts';
import { Seats } from '../seats.ts';
import { LogSeat } from './log.ts';
import { BusSeat } from './seat.ts';

export const sessionBusSource =
  (agent: string): VendorSourceMaker =>
  (context) => {
    const [server, log] = [`${agent}-http`, `${agent}-log`];
    const servers = new Seats((seat) => new BusSeat({ context, source: server, seat }));
    const logs = new Seats((seat) => new LogSeat(context, log, seat));
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
