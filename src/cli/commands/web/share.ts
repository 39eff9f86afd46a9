// `agtmux share REF`: a link that shows one agent's screen to whoever has it, for a while. Also
// what is shared now, and its end.

import { clockText } from '../../../render/pane-notes.ts';
import { safeText } from '../../../render/safe-text.ts';
import type { ShareItem } from '../../../schema/web/share.ts';
import { callView } from '../../call-view.ts';
import { type Call, type CommandSpec, isSet, numberOf } from '../../command.ts';
import { withDaemon } from '../../daemon-link.ts';
import { refArgument, text } from '../../options.ts';
import { printed, printJson } from '../../output/print.ts';
import { isLocalLink, qrCode } from './pairing-text.ts';

export const shareCommand: CommandSpec = {
  name: 'share',
  summary: "make a link that shows one agent's screen, read-only",
  notes: [
    'Whoever has the link sees the screen, live, and can neither type nor see another pane.',
    'What looks like a secret is hidden; that is never complete.',
    'It ends after --expires, when its agent ends, and with agtmux share revoke.',
    'The web service must be open: agtmux web.',
  ],
  examples: ['agtmux share work:0.1', 'agtmux share %3 --expires 15m'],
  args: [refArgument],
  options: [
    {
      name: 'expires',
      value: { kind: 'duration', label: 'DURATION' },
      summary: 'how long it is shown, 1m to 7d (1h)',
    },
  ],
  commands: [
    {
      name: 'list',
      summary: 'list what is shared, without the links',
      examples: ['agtmux share list'],
      run: runList,
    },
    {
      name: 'revoke',
      summary: 'end a share: its link shows nothing any more',
      examples: ['agtmux share revoke 1a2b3c4d'],
      args: [{ value: text('ID'), summary: 'as agtmux share list shows it' }],
      run: runRevoke,
    },
  ],
  run: runShare,
};

async function runShare(call: Call): Promise<number> {
  const expiresMs = numberOf(call.flags, 'expires');
  const input = {
    ref: call.args[0] ?? '',
    ...(expiresMs === undefined ? {} : { expires_in_ms: expiresMs }),
  };
  const made = await withDaemon(call, (client) => client.call('share_pane', input));
  if (isSet(call.flags, 'json')) {
    printJson(call, made);
    return 0;
  }
  const view = callView(call, Date.now());
  const { share, link } = made;
  const until = clockText(view, Date.parse(share.expires_at));
  const isLocal = isLocalLink(link);
  const code = isLocal || !call.io.isTerminal ? null : await qrCode(link, view);
  const lines = [
    `Whoever opens this link sees ${safeText(share.ref)} until ${until}:`,
    `  ${safeText(link)}`,
    ...(isLocal ? ['It leads to this machine alone. For others: agtmux web --public-url.'] : []),
    `To end it: agtmux share revoke ${share.id}`,
    ...(code === null ? [] : ['', ...code, '']),
  ];
  call.io.writeOut(lines.map((line) => `${line}\n`).join(''));
  return 0;
}

async function runList(call: Call): Promise<number> {
  const list = await withDaemon(call, (client) => client.call('list_shares', {}));
  return printed(call, list, sharesText(call, list.shares));
}

async function runRevoke(call: Call): Promise<number> {
  const id = call.args[0] ?? '';
  const list = await withDaemon(call, (client) => client.call('revoke_share', { id }));
  return printed(call, list, `The link of ${safeText(id)} shows nothing any more.\n`);
}

function sharesText(call: Call, shares: readonly ShareItem[]): string {
  const view = callView(call, Date.now());
  const lines = shares.map(({ id, ref, agent, status, expires_at, viewed_at }) => {
    const viewed = viewed_at === null ? 'never' : clockText(view, Date.parse(viewed_at));
    const times = `until ${clockText(view, Date.parse(expires_at))}  looked at ${viewed}`;
    return safeText(`${id}  ${status.padEnd(6)}  ${times}  ${agent ?? '-'}  ${ref}`);
  });
  const none = 'Nothing is shared. agtmux share REF shares an agent.';
  return [...(lines.length === 0 ? [none] : lines), ''].join('\n');
}
