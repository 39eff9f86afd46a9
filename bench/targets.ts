// `npm run bench:targets`: other machines that are dead or frozen, and what they cost the others.
// Ten targets over real sshd on loopback, three of them dead: what a listing takes. A link that
// freezes while a program behind it prints 1 MB/s. Fails over its budgets. `--only fleet|frozen`
// does a half, `--json` prints the figures as data.

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
  const { asked, command, bareNode, requested, responded, errors, panes } = figures;
  say('ten targets over ssh, three of them dead: refused, frozen, unauthorised');
  say(
    tableOf([
      ['list_panes', spreadText(asked)],
      ['agtmux list panes', spreadText(command)],
      ['node -e 0', spreadText(bareNode)],
      ['requested, responded, panes', [requested, responded, panes].join(', ')],
    ]),
  );
  for (const error of errors) say(`  ${error}`);
}

function sayFrozen({ stalledMs, printedMb, local, missed, toldMs }: FrozenFigures): void {
  say(`a link frozen for ${FROZEN_MS / 1_000} s while a tapped pane behind it prints 1 MB/s`);
  say(
    tableOf([
      ['the longest that the program could not print', `${figure(stalledMs)} ms`],
      ['what it printed meanwhile', `${figure(printedMb)} MB`],
      ['changes on this machine, to the client', `${spreadText(local)}, ${missed} missed`],
      ['its rows are told as unknown after', toldMs === null ? 'never' : `${figure(toldMs)} ms`],
    ]),
  );
}

const load = loadavg()[0] ?? 0;
const checks: Check[] = [];
const told: Record<string, unknown> = { load };
if (!flags.json) say(`load ${figure(load)}`);
if (flags.only !== 'frozen') {
  const figures = await measureFleet({ asked: 300, commands: 15 });
  if (!flags.json) sayFleet(figures);
  told['fleet'] = figures;
  checks.push(...fleetChecks(figures));
}
if (flags.only !== 'fleet') {
  const figures = await measureFrozen({ frozenMs: FROZEN_MS });
  if (!flags.json) sayFrozen(figures);
  told['frozen'] = figures;
  checks.push(...frozenChecks(figures, FROZEN_MS));
}
if (flags.json) say(JSON.stringify({ ...told, checks }, null, 2));
judge(checks);
