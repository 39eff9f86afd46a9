// `npm run bench:messages`: messages to the members of a bundle, beside pastes by tmux alone into
// the same panes in the same run. Fails over its budgets. `--quick` sends fewer, `--json` prints
// data.

import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { figure, judge, type Spread, say, tableOf } from './live/figures.ts';
import {
  measureMessages,
  messagesChecks,
  perSecond,
  type Throughput,
} from './live/messages-run.ts';

const { values: flags } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
  },
});

const size = flags.quick
  ? { members: 10, messages: 400, rounds: 1, samples: 20 }
  : { members: 50, messages: 2_000, rounds: 2, samples: 100 };

const spreadText = ({ p50Ms, p95Ms, maxMs, count }: Spread): string =>
  `p50 ${figure(p50Ms)}, p95 ${figure(p95Ms)}, max ${figure(maxMs)} ms; n ${count}`;
const rateText = (side: Throughput): string =>
  `${figure(perSecond(side))} a second; ${side.messages} in ${side.prompts} prompts`;

const figures = await measureMessages(size);
const { raw, agtmux, acceptedMs, daemonMs } = figures;
if (flags.json) say(JSON.stringify({ load: loadavg()[0], ...figures }, null, 2));
else {
  say(`load ${figure(loadavg()[0] ?? 0)}, ${size.members} members`);
  say(
    tableOf([
      ['raw paste, one at a time, until it arrived', spreadText(figures.rawArrival)],
      ['message to a member at rest, until it arrived', spreadText(figures.arrival)],
      ['message to a member at rest, until its receipt', spreadText(figures.delivered)],
      ['raw pastes, all members at once', rateText(raw)],
      ['messages, all members at once', rateText(agtmux)],
      ['messages over raw pastes', `${figure(perSecond(agtmux) / perSecond(raw))} x`],
      ['accepted', `${figure((agtmux.messages / acceptedMs) * 1_000)} a second`],
      ['processor time of the daemon', `${figure(daemonMs / agtmux.messages)} ms a message`],
    ]),
  );
}
judge(messagesChecks(figures, size.members));
