// Push messages in Chromium: delivered by its DevTools to the real page worker, with the text that
// the daemon pushes, and the settings that switch them on. No push service can be reached here.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { pushContent } from '../../src/notify/push/push-content.ts';
import type { UserNotification } from '../../src/schema/notify/user-notification.ts';
import { eventually } from '../live/tmux-server.ts';
import { HOSTILE, item, notification } from '../notify/notification-fixture.ts';
import { PushBrowser } from '../notify/push-receiver.ts';
import { BrowserLab, isBrowserMissing } from './browser-lab.ts';
import type { Visit } from './dashboard-browser.ts';
import { pusher, shown } from './push-messages.ts';

/** Clicks on the notification with this tag, or on one of its buttons. */
async function click({ context }: Visit, tag: string, action = ''): Promise<void> {
  const [worker] = context.serviceWorkers();
  if (!worker) throw new Error('no worker');
  await worker.evaluate(
    async ([wanted, button]) => {
      const scope = self as unknown as { registration: ServiceWorkerRegistration } & EventTarget;
      const all = await scope.registration.getNotifications();
      const clicked = all.find((each) => each.tag === wanted);
      const Kind = (self as unknown as { NotificationEvent: new (...args: unknown[]) => Event })
        .NotificationEvent;
      scope.dispatchEvent(new Kind('notificationclick', { notification: clicked, action: button }));
    },
    [tag, action] as const,
  );
}

const textOf = (pushed: UserNotification): string => pushContent(pushed, 2).text;

describe.skipIf(isBrowserMissing)('a push in a browser', { timeout: 120_000 }, () => {
  let lab: BrowserLab;
  beforeAll(async () => {
    lab = await BrowserLab.open();
    await lab.agent('build');
  }, 120_000);
  afterEach(() => lab.closeVisits());
  afterAll(() => lab?.[Symbol.asyncDispose]());

  it('shows title and text, one for each request, and a click opens its pane', async () => {
    const visit = await lab.visit('#/settings');
    const { page, errors } = visit;
    const push = await pusher(visit, lab.url);
    const { panes } = await lab.lab.client.call('list_panes', {});
    const [pane] = panes.filter(({ agent }) => agent !== null);
    const request = item({ paneKey: pane?.pane_key ?? '', ref: pane?.ref ?? '' });
    await push(textOf(notification([request])));
    await push(textOf(notification([request])));
    // They are handled in their order: with the last one shown, the second was too.
    await push(textOf(notification([item({ kind: 'question', sinceMs: 5 })])));
    const titles = async () => (await shown(page)).map(({ title }) => title).toSorted();
    const both = ['claude asks a question', 'claude needs an approval'];
    await eventually(async () => (await titles()).length >= 2, 'both are shown');
    expect(await titles()).toEqual(both);
    const first = (await shown(page)).find(({ title }) => title === both[1]);
    expect(first).toMatchObject({
      title: 'claude needs an approval',
      hash: `#/pane/${encodeURIComponent(request.paneKey)}`,
      actions: ['open', 'inbox'],
    });
    await click(visit, first?.tag ?? '');
    await page.locator('pane-page').waitFor();
    expect(new URL(page.url()).hash).toBe(first?.hash);
    expect(await titles()).toEqual([both[0]]);
    expect(errors).toEqual([]);
  });

  it('its buttons open something, and none of them answers', async () => {
    const visit = await lab.visit('#/settings');
    const push = await pusher(visit, lab.url);
    const asked: string[] = [];
    visit.page.on('request', (each) => asked.push(`${each.method()} ${each.url()}`));
    await push(textOf(notification([item(), item({ kind: 'question', sinceMs: 5 })])));
    await eventually(async () => (await shown(visit.page)).length === 1, 'it is shown');
    const [first] = await shown(visit.page);
    await click(visit, first?.tag ?? '', 'inbox');
    await visit.page.locator('inbox-page').waitFor();
    expect(new URL(visit.page.url()).hash).toBe('#/inbox');
    expect(asked.filter((each) => each.startsWith('POST'))).toEqual([]);
    const { actions } = await lab.lab.client.call('list_actions', {});
    expect(actions).toEqual([]);
  });

  it('with hostile names is plain text, and one that is broken still says something', async () => {
    const visit = await lab.visit('#/settings');
    const push = await pusher(visit, lab.url);
    const hostile = item({
      agent: HOSTILE,
      title: HOSTILE,
      request: '<img src=x onerror=alert(1)>',
    });
    await push(textOf(notification([hostile])));
    await push('{"title": 7, "hash": "https://elsewhere.example/"}');
    await push('no JSON');
    await eventually(async () => (await shown(visit.page)).length === 2, 'they are shown');
    const texts = await shown(visit.page);
    expect(texts.some(({ body }) => body.includes('<img src=x onerror=alert(1)>'))).toBe(true);
    expect(texts.find(({ title }) => title === 'agtmux')).toMatchObject({
      body: 'An agent needs you.',
      hash: '#/inbox',
    });
    expect(visit.errors).toEqual([]);
  });

  it('the settings list who is notified, switch all on, and say what fails', async () => {
    const client = lab.lab.client;
    const tablet = new PushBrowser('/1').subscription('https://push.example.net');
    await client.call('subscribe_push', { ...tablet, label: 'a tablet' });
    const visit = await lab.visit('#/settings');
    const { page, context } = visit;
    await context.grantPermissions(['notifications'], { origin: lab.url });
    await page.getByRole('button', { name: 'Switch them on' }).click();
    await page.getByText('Notifications are on').waitFor();
    expect((await client.call('notify_status', {})).on).toBe(true);
    await page.getByRole('button', { name: 'Notify this browser' }).click();
    await page.getByText(/The browser did not subscribe|Notifications were not allowed/).waitFor();
    await page.getByRole('button', { name: 'Remove a tablet' }).click();
    await page.getByText('Removed.').waitFor();
    expect((await client.call('push_status', {})).subscriptions).toEqual([]);
  });
});
