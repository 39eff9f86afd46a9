// Push messages in a page: handed to its worker by DevTools, as a push service would, and what the
// worker then has on screen.

import type { CDPSession, Page } from 'playwright-core';
import { eventually } from '../live/tmux-server.ts';
import type { Visit } from './dashboard-browser.ts';

interface ShownNotification {
  readonly title: string;
  readonly body: string;
  readonly tag: string;
  readonly hash: string;
  readonly actions: readonly string[];
}

/** What the worker has on screen. */
export const shown = (page: Page): Promise<ShownNotification[]> =>
  page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    return (await registration.getNotifications()).map((each) => ({
      title: each.title,
      body: each.body,
      tag: each.tag,
      hash: (each.data as { hash: string }).hash,
      actions: ((each as { actions?: { action: string }[] }).actions ?? []).map(
        ({ action }) => action,
      ),
    }));
  });

/** Hands a message to the worker of the page, as a push service would. */
export async function pusher(
  { page, context }: Visit,
  url: string,
): Promise<(data: string) => Promise<unknown>> {
  await context.grantPermissions(['notifications'], { origin: url });
  await page.evaluate(() => navigator.serviceWorker.ready);
  const devTools: CDPSession = await context.newCDPSession(page);
  let registrationId = '';
  devTools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    const [own] = registrations.filter(({ scopeURL }) => scopeURL.startsWith(url));
    registrationId = own?.registrationId ?? registrationId;
  });
  await devTools.send('ServiceWorker.enable');
  await eventually(() => registrationId !== '', 'the worker is registered');
  return (data: string) =>
    devTools.send('ServiceWorker.deliverPushMessage', { origin: url, registrationId, data });
}
