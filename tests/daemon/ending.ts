// A process that ends as the daemon does. Its arguments say what goes wrong on the way.

import { Quarantine } from '../../src/daemon/engine/quarantine.ts';
import { Shutdown } from '../../src/daemon/life/shutdown.ts';
import { LogOutput } from '../../src/platform/log.ts';
import { type EventId, id } from '../../src/schema/ids.ts';

const [folder = '', how = '', ...eventIds] = process.argv.slice(2);
const say = (line: string): boolean => process.stdout.write(`${line}\n`);
const output = new LogOutput({ level: 'debug', file: `${folder}/agtmuxd.log` });
const quarantine = new Quarantine(`${folder}/suspects.json`);

const shutdown = new Shutdown({
  steps: [
    { name: 'first', run: () => void say('first') },
    {
      name: 'second',
      run: async () => {
        if (how === 'step-fails') throw new Error('cannot close');
        if (how === 'step-hangs' || how === 'step-waits') await new Promise(() => {});
        say('second');
      },
    },
    { name: 'third', run: () => void say('third') },
  ],
  log: output.log,
  quarantine,
  onReload: () => {
    output.reopen();
    say('reloaded');
  },
  endOnHangUp: how === 'foreground',
  ...(how === 'step-hangs' ? { deadlineMs: 300 } : {}),
});
shutdown.install();
// A timer keeps the process alive, as the daemon's own do.
setInterval(() => {}, 1_000);

const ids = eventIds.map((text) => id<EventId>(text));
say(`refused ${quarantine.refused().join(' ')}`);
const batches = [
  ids.filter((each) => !quarantine.suspects(each)),
  ...ids
    .filter((each) => quarantine.suspects(each) && !quarantine.refuses(each))
    .map((one) => [one]),
];
for (const batch of batches) {
  quarantine.begin(batch);
  if (batch.includes(id('bad'))) {
    if (how === 'throws') throw new Error('a bug');
    if (how === 'rejects') await Promise.reject(new Error('a bug'));
    if (how === 'killed') process.kill(process.pid, 'SIGKILL');
  }
  quarantine.done();
}
say('ready');
