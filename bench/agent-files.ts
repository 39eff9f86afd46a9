// `npm run bench:agent-files`: what reading the agents' own files costs: the daemon's CPU at rest
// with and without 10,000 transcripts of old sessions on disk, and the time of a listing before a
// transcript of 200 MB is opened, while it is opened and while it grows. Fails over its budgets.
// `--quick` runs smaller sizes, `--json` prints the figures as data.

import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { agentFilesChecks, least, measureAgentFiles } from './live/agent-files-run.ts';
import { figure, judge, type Spread, say, tableOf } from './live/figures.ts';

const { values: flags } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
  },
});

const wholeSize = {
  agents: 10,
  oldTranscripts: 10_000,
  rounds: 3,
  warmUpMs: 10_000,
  measureMs: 30_000,
  largeMb: 200,
  askMs: 10_000,
};
const quickSize = { ...wholeSize, rounds: 2, warmUpMs: 5_000, measureMs: 10_000, askMs: 4_000 };

const spreadText = ({ p50Ms, p99Ms, maxMs, count }: Spread): string =>
  `p50 ${figure(p50Ms)}, p99 ${figure(p99Ms)}, max ${figure(maxMs)} ms; n ${count}`;

const size = flags.quick ? quickSize : wholeSize;
const figures = await measureAgentFiles(size);
const { without, beside, listing, opening, growing, grownMb, memoryMb } = figures;
if (flags.json) say(JSON.stringify({ load: loadavg()[0], ...figures }, null, 2));
else {
  const percents = (values: readonly number[]): string =>
    `${figure(least(values))} % of a core (${values.map(figure).join(', ')})`;
  say(`load ${figure(loadavg()[0] ?? 0)}; ${size.agents} agents at rest, read from their files`);
  say(
    tableOf([
      ['daemon at rest', percents(without)],
      [`beside ${size.oldTranscripts} old transcripts`, percents(beside)],
      ['list_panes', spreadText(listing)],
      [`while ${size.largeMb} MB are opened`, spreadText(opening)],
      [`while they grow by ${figure(grownMb)} MB`, spreadText(growing)],
      ['memory (PSS) without Node, before, after', `${memoryMb.map(figure).join(', ')} MB`],
    ]),
  );
}
judge(agentFilesChecks(figures));
