// `npm run bench:conversations`: the first page and the whole history of a conversation of 20,000
// events, by pages over the socket and as a stream over the web service, and the memory of the
// daemon. Fails over its budgets. `--quick` reads it fewer times, `--json` prints data.

import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { conversationsChecks, measureConversations } from './live/conversations-run.ts';
import { figure, judge, type Spread, say, tableOf } from './live/figures.ts';

const { values: flags } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
  },
});

const wholeSize = { events: 20_000, firstPages: 50, warmUps: 10, histories: 20 };
const size = flags.quick ? { ...wholeSize, warmUps: 2, histories: 4 } : wholeSize;

const spreadText = ({ p50Ms, p95Ms, maxMs, count }: Spread): string =>
  `p50 ${figure(p50Ms)}, p95 ${figure(p95Ms)}, max ${figure(maxMs)} ms; n ${count}`;

const figures = await measureConversations(size);
const { transcriptMb, firstPage, byPages, byStream, listing, memoryMb } = figures;
if (flags.json) say(JSON.stringify({ load: loadavg()[0], ...figures }, null, 2));
else {
  const load = figure(loadavg()[0] ?? 0);
  say(`load ${load}; a transcript of ${size.events} events, ${figure(transcriptMb)} MB`);
  say(
    tableOf([
      ['first page, 100 entries', spreadText(firstPage)],
      ['whole history, by pages of 500', spreadText(byPages)],
      ['whole history, by tmux-converter.v1', spreadText(byStream)],
      ['list_panes meanwhile', spreadText(listing)],
      [
        'memory (PSS) without Node: at rest, after some, after all',
        memoryMb.map(figure).join(', '),
      ],
    ]),
  );
}
judge(conversationsChecks(figures));
