// Notifications end to end: a real daemon and tmux, agents whose rows come from their own screens,
// and a webhook on loopback. The daemon is killed in the middle.

import { describe, expect, it } from 'vitest';
import type { PaneItem } from '../../src/schema/api/panes.ts';
import { fakeAgent } from '../daemon-live/live-agents.ts';
import { LiveDaemon, Subscriber } from '../daemon-live/live-daemon.ts';
import { eventually, isTmuxMissing, privateTmux } from '../live/tmux-server.ts';
import { type WebhookReceiver, webhookReceiver } from './webhook-receiver.ts';

const APPROVAL = 'claude/111-waiting_approval';
const OTHER_APPROVAL = 'claude/114-waiting_approval';
const IDLE = 'claude/101-idle';

const config = (receiver: WebhookReceiver, more = ''): string => `[notify]
enabled = true
channels = ["phone"]
${more}
[notify.webhook.phone]
url = "${receiver.url}"
`;

const requestsOf = ({ requests }: WebhookReceiver) =>
  requests.flatMap(({ body }) => JSON.parse(body).requests as Record<string, unknown>[]);

describe.skipIf(isTmuxMissing)('notifications of a live daemon', () => {
  it('tell once of an approval, also over kill -9, and the log says why', async () => {
    const receiver = await webhookReceiver();
    await using daemon = new LiveDaemon();
    daemon.configure(config(receiver));
    const pane = fakeAgent(daemon.tmux, 'claude', 'work');
    let pid = await daemon.start();
    pane.show(APPROVAL);
    await eventually(() => receiver.requests.length > 0, 'the webhook is asked');
    expect(requestsOf(receiver)).toMatchObject([
      { kind: 'approval', agent: 'claude', place: 'work:0.0' },
    ]);
    // No text of the screen leaves the machine unless it is included.
    expect(Object.keys(requestsOf(receiver)[0] ?? {}).sort()).toEqual([
      ...['agent', 'kind', 'place', 'ref', 'session', 'since', 'target'],
    ]);
    for (let restart = 0; restart < 2; restart += 1) {
      await daemon.kill(pid, 'SIGKILL');
      pid = await daemon.start();
      using subscriber = new Subscriber(await daemon.client());
      await subscriber.state(pane.paneId, 'waiting_approval');
    }
    const second = fakeAgent(daemon.tmux, 'claude', 'next');
    second.show(APPROVAL);
    await eventually(() => receiver.requests.length > 1, 'the second one is told');
    expect(requestsOf(receiver).map(({ place }) => place)).toEqual(['work:0.0', 'next:0.0']);
    const log = JSON.parse((await daemon.cli('notify', 'log', '--json')).out);
    expect(log.entries).toMatchObject([
      { place: 'next:0.0', kind: 'approval', notified: true, deliveries: [{ channel: 'phone' }] },
      { place: 'work:0.0', kind: 'approval', reason: 'at_once', notification: 1 },
    ]);
  });

  it('that a channel refuses open an alert, which ends with the next that it takes', async () => {
    const receiver = await webhookReceiver({ status: 404 }, { status: 200 });
    await using daemon = new LiveDaemon();
    daemon.configure(config(receiver));
    const pane = fakeAgent(daemon.tmux, 'claude', 'work');
    await daemon.start();
    const client = await daemon.client();
    const failures = async () =>
      (await client.call('list_alerts', {})).alerts.filter(({ code }) => code === 'notify_failed');
    pane.show(APPROVAL);
    await eventually(async () => (await failures()).length > 0, 'the alert opens');
    expect(await failures()).toMatchObject([{ about: 'phone', detail: 'status 404' }]);
    fakeAgent(daemon.tmux, 'claude', 'next').show(APPROVAL);
    await eventually(async () => (await failures()).length === 0, 'the alert ends');
  });

  it('lose none that was open when the daemon was killed before its time', async () => {
    const receiver = await webhookReceiver();
    await using daemon = new LiveDaemon();
    // An approval that waits, so that the daemon can be killed while it does.
    daemon.configure(config(receiver, 'at_once = []\ndwell = "3s"'));
    const pane = fakeAgent(daemon.tmux, 'claude', 'work');
    const pid = await daemon.start();
    const client = await daemon.client();
    pane.show(APPROVAL);
    await eventually(async () => {
      const { pending } = await client.call('notify_status', {});
      return pending.some(({ waits_for }) => waits_for === 'dwell');
    }, 'it waits for the dwell time');
    await daemon.kill(pid, 'SIGKILL');
    expect(receiver.requests).toEqual([]);
    await daemon.start();
    await eventually(() => receiver.requests.length > 0, 'the webhook is asked');
    expect(requestsOf(receiver)).toMatchObject([{ kind: 'approval', place: 'work:0.0' }]);
  });

  it('wait while a person has the pane on screen, and are held back once it is seen', async () => {
    const receiver = await webhookReceiver();
    await using daemon = new LiveDaemon();
    daemon.configure(config(receiver));
    const { tmux } = daemon;
    const pane = fakeAgent(tmux, 'claude', 'work');
    await daemon.start();
    using subscriber = new Subscriber(await daemon.client());
    const client = await daemon.client();
    // A real client of tmux, in a terminal that another tmux is.
    using terminal = privateTmux('terminal.sock');
    const attach = `env -u TMUX tmux -u -S '${tmux.socketPath}' attach-session -t work`;
    terminal.newSession('terminal', attach);
    pane.show(APPROVAL);
    const isSeen = ({ attention }: PaneItem) => attention.requests.some(({ seen }) => seen);
    await subscriber.until(pane.paneId, isSeen, 'the daemon knows of the client');
    pane.show(IDLE);
    await subscriber.until(pane.paneId, ({ attention }) => attention.requests.length === 0, 'over');
    const approvals = async () =>
      (await client.call('notify_log', {})).entries.filter(({ kind }) => kind === 'approval');
    const before = (await approvals()).length;
    const askedBefore = requestsOf(receiver).filter(({ kind }) => kind === 'approval').length;
    pane.show(OTHER_APPROVAL);
    const entries = await eventually(async () => {
      const log = await approvals();
      return log.length > before ? log : null;
    }, 'it is decided');
    expect(entries[0]).toMatchObject({ reason: 'seen', notified: false });
    const asked = requestsOf(receiver).filter(({ kind }) => kind === 'approval');
    expect(asked).toHaveLength(askedBefore);
  });
});
