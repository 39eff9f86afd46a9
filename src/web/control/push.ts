// Push messages to this browser: whether they can be had here, and on and off. What is pushed is
// decided by the daemon, and shown by the page worker.

import type { PushStatus } from '../../schema/notify/push-schemas.ts';
import type { WebServiceClient } from '../../web-client/web-client.ts';

export type PushState =
  /** The address is not secure, so browsers allow none. */
  | 'insecure'
  /** The browser has none, or has them for an installed page alone. */
  | 'unsupported'
  /** The person has forbidden them. */
  | 'denied'
  | 'off'
  | 'on';

const ENDED = 'The browser did not subscribe';

/** Without asking anybody for anything. */
export async function readPushState({ subscriptions }: PushStatus): Promise<PushState> {
  if (!isSecureContext) return 'insecure';
  if (!('serviceWorker' in navigator) || !('PushManager' in window)) return 'unsupported';
  if (Notification.permission === 'denied') return 'denied';
  const id = await ownId();
  return id !== null && subscriptions.some((each) => each.id === id) ? 'on' : 'off';
}

/** Asks the person, then the push service of the browser. Throws an Error with what is wrong. */
export async function switchPushOn(client: WebServiceClient, status: PushStatus): Promise<void> {
  if ((await Notification.requestPermission()) !== 'granted') {
    throw new Error('Notifications were not allowed.');
  }
  const { pushManager } = await navigator.serviceWorker.ready;
  const key = bytesOf(status.public_key);
  const before = await pushManager.getSubscription();
  // One of an earlier key of the daemon is of no use, and hinders a new one.
  if (before && !isSame(before.options.applicationServerKey, key)) await before.unsubscribe();
  const subscription = await pushManager
    .subscribe({ userVisibleOnly: true, applicationServerKey: key })
    .catch((error: unknown) => {
      throw new Error(`${ENDED}: ${error instanceof Error ? error.message : 'no reason given'}`);
    });
  const { endpoint, keys = {} } = subscription.toJSON();
  const { p256dh = '', auth = '' } = keys;
  await client.call('subscribe_push', {
    endpoint: endpoint ?? '',
    keys: { p256dh, auth },
    label: browserLabel(navigator.userAgent),
  });
}

export async function switchPushOff(client: WebServiceClient): Promise<void> {
  const id = await ownId();
  if (id !== null) await client.call('unsubscribe_push', { id });
  const subscription = await ownSubscription();
  await subscription?.unsubscribe();
}

export async function testPush(client: WebServiceClient): Promise<string> {
  const id = await ownId();
  if (id === null) return 'This browser is not subscribed.';
  const { delivered, detail } = await client.call('test_push', { id });
  return delivered ? 'Sent. It should appear now.' : `It was not sent: ${detail}.`;
}

async function ownSubscription(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration();
  return (await registration?.pushManager.getSubscription()) ?? null;
}

/** What the daemon calls this browser; null where it is not subscribed. */
async function ownId(): Promise<string | null> {
  const subscription = await ownSubscription();
  if (subscription === null) return null;
  const hash = await crypto.subtle.digest(
    'SHA-256',
    new TextEncoder().encode(subscription.endpoint),
  );
  const hex = [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.slice(0, 16);
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

function isSame(given: ArrayBuffer | null, key: Uint8Array): boolean {
  const bytes = new Uint8Array(given ?? new ArrayBuffer(0));
  return bytes.length === key.length && bytes.every((byte, at) => byte === key[at]);
}

/** For the list of browsers: told apart by what they say of themselves. */
export function browserLabel(userAgent: string): string {
  const find = (names: Readonly<Record<string, RegExp>>): string | undefined =>
    Object.entries(names).find(([, pattern]) => pattern.test(userAgent))?.[0];
  const name = find({
    Edge: /\bEdg/,
    Firefox: /\bFirefox/,
    Chrome: /\bChrome/,
    Safari: /\bSafari/,
  });
  const system = find({
    Android: /\bAndroid/,
    iOS: /\b(?:iPhone|iPad)/,
    Windows: /\bWindows/,
    macOS: /\bMac OS/,
    Linux: /\bLinux/,
  });
  return [name ?? 'a browser', ...(system ? [`on ${system}`] : [])].join(' ');
}
