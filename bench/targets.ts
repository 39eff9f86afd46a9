// `npm run bench:targets`: what dead or frozen machines cost the others. Fleet: the time of a
// listing with ten targets over real sshd on loopback, three of them dead. Frozen: a link that
// freezes while a program behind it prints 1 MB/s. Fails over its budgets. `--only fleet|frozen`
// runs one half, `--json` prints the figures as data.

import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { type Check, figure, judge, type Spread, say, tableOf } from './live/figures.ts';
import { type FleetFigures, fleetChecks, measureFleet } from './live/fleet-run.ts';
import { type FrozenFigures, frozenChecks, measureFrozen } from './live/frozen-run.ts';

const FROZEN_MS = 30_000;

const { values: flags } = parseArgs({
  options: { json: { type: 'boolean', default: false }, only: { type: 'string' } },
});

const spreadText = ({ p50Ms, p95Ms, maxMs, count }: Spread): string =>
  `p50 ${figure(p50Ms)}, p95 ${figure(p95Ms)}, max ${figure(maxMs)} ms; n ${count}`;

function sayFleet(figures: FleetFigures): void {
  const { listing, command, bareNode, requested, responded, errors, panes } = figures;
  say('ten targets over ssh, three of them dead: refused, frozen, unauthorised');
  say(
    tableOf([
      ['list_panes', spreadText(listing)],
      ['agtmux list panes', spreadText(command)],
      ['node -e 0', spreadText(bareNode)],
      ['requested, responded, panes', [requested, responded, panes].join(', ')],
    ]),
  );
  for (const error of errors) say(`  ${error}`);
}

function sayFrozen({ stalledMs, printedMb, local, missed, unknownAfterMs }: FrozenFigures): void {
  say(`a link frozen for ${FROZEN_MS / 1_000} s while a tapped pane behind it prints 1 MB/s`);
  say(
    tableOf([
      ['the longest that the program could not print', `${figure(stalledMs)} ms`],
      ['what it printed meanwhile', `${figure(printedMb)} MB`],
      ['changes on this machine, to the client', `${spreadText(local)}, ${missed} missed`],
      [
        'its rows become unknown after',
        unknownAfterMs === null ? 'never' : `${figure(unknownAfterMs)} ms`,
      ],
    ]),
  );
}

const load = loadavg()[0] ?? 0;
const checks: Check[] = [];
const figuresByPart: Record<string, unknown> = { load };
if (!flags.json) say(`load ${figure(load)}`);
if (flags.only !== 'frozen') {
  const figures = await measureFleet({ listings: 300, commands: 15 });
  if (!flags.json) sayFleet(figures);
  figuresByPart['fleet'] = figures;
  checks.push(...fleetChecks(figures));
}
if (flags.only !== 'fleet') {
  const figures = await measureFrozen({ frozenMs: FROZEN_MS });
  if (!flags.json) sayFrozen(figures);
  figuresByPart['frozen'] = figures;
  checks.push(...frozenChecks(figures, FROZEN_MS));
}
if (flags.json) say(JSON.stringify({ ...figuresByPart, checks }, null, 2));
judge(checks);
