// The process that the crash test kills: applies random batches to a store for ever, and says on
// stdout what it is about to commit and what it has committed.

import { writeSync } from 'node:fs';
import { Engine } from '../../src/daemon/engine/engine.ts';
import { type EventId, id } from '../../src/schema/ids.ts';
import { openStore } from '../../src/store/open.ts';
import { config, T0 } from '../scenario.ts';
import { firstBatch, randomEvidence, randomOf } from './stream.ts';

const PANES = 12;
const [path = '', seedText = '0'] = process.argv.slice(2);
const seed = Number(seedText);
const random = randomOf(seed);
/** Synchronous: a line that was written cannot be lost with the process. */
const say = (line: string): number => writeSync(1, `${line}\n`);

const store = openStore({ path });
let counter = 0;
const nextEventId = (): EventId => id(`n${seed}-${counter++}`);
const engine = new Engine({ store, nextEventId });
let serial = store.lastSeq() * 10 + 1;
let nowMs = T0 + serial;

engine.observe([{ kind: 'fact', fact: { type: 'daemon.started', atMs: nowMs, config } }]);
if (engine.world.panes.size === 0) engine.observe(firstBatch(PANES, T0));
say('open');

for (let batch = 0; ; batch += 1) {
  const size = 1 + Math.floor(random() * 40);
  const observations = Array.from({ length: size }, () => {
    serial += 1;
    nowMs += Math.floor(random() * 50);
    return randomEvidence(random, { panes: PANES, serial, atMs: nowMs });
  });
  const ids = observations.map((each) => (each.kind === 'evidence' ? each.evidence.eventId : ''));
  say(`begin ${ids.join(' ')}`);
  const { events } = engine.observe(observations);
  say(`ack ${events.map((event) => event.eventId).join(' ')}`);
  if (batch % 7 === 3) engine.tick(nowMs + 4_000);
  if (random() < 0.05) engine.snapshot('periodic', nowMs);
}
