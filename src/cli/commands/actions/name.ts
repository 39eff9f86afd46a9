// `agtmux name REF TEXT | --clear`: a name of the user's own for a pane, shown in its place and
// accepted wherever a pane is named.

import { safeText } from '../../../render/safe-text.ts';
import { locationText } from '../../../render/typed-names.ts';
import { type Call, type CommandSpec, isSet } from '../../command.ts';
import { withDaemon } from '../../daemon-link.ts';
import { usageProblem } from '../../exit-codes.ts';
import { refArgument, text } from '../../options.ts';
import { printJson } from '../../output/print.ts';

export const nameCommand: CommandSpec = {
  name: 'name',
  summary: 'give a pane a name of your own, or remove it',
  notes: [
    'Listings and the live view show the name, and every command takes it in place of the pane.',
    'It stays until the pane is closed, even if the agent or the daemon restarts.',
  ],
  examples: ['agtmux name work:0.1 api', 'agtmux name %3 review bot', 'agtmux name api --clear'],
  args: [
    refArgument,
    { value: text('TEXT'), summary: 'the name; empty removes it', optional: true, repeated: true },
  ],
  options: [{ name: 'clear', summary: 'remove the name' }],
  run: runName,
};

async function runName(call: Call): Promise<number> {
  const [ref = '', ...words] = call.args;
  const isClear = isSet(call.flags, 'clear');
  if ((words.length === 0) !== isClear) {
    throw usageProblem('name needs either TEXT or --clear.', 'See agtmux name --help.');
  }
  const alias = words.join(' ').trim() || null;
  const reply = await withDaemon(call, (client) => client.call('name_pane', { ref, alias }));
  if (isSet(call.flags, 'json')) {
    printJson(call, reply);
    return 0;
  }
  const { pane } = reply;
  const place = pane.identity === null ? pane.ref : locationText(pane.identity);
  const now =
    pane.alias === null ? 'has no name of its own any more' : `is now called ${pane.alias}`;
  call.io.writeOut(`${safeText(`${place} ${now}`)}\n`);
  return 0;
}
