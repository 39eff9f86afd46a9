// What browsers keep of the page: its own files, so that it opens without a connection, and the
// notifications that are pushed to it. Nothing of the fleet is kept here, and no call goes through.

// The files of this version, and a name of their own; the build writes them.
declare const SHELL_FILES: readonly string[];
declare const SHELL_NAME: string;

/** What the library of browsers has for pages, and not for workers. */
interface WorkerEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface FetchEvent extends WorkerEvent {
  readonly request: Request;
  respondWith(reply: Promise<Response>): void;
}
interface PushEvent extends WorkerEvent {
  readonly data: { json(): unknown } | null;
}
interface NotificationEvent extends WorkerEvent {
  readonly notification: Notification;
  /** The button that was pressed; empty for the notification itself. */
  readonly action: string;
}
interface WindowClient {
  readonly url: string;
  focus(): Promise<WindowClient>;
  navigate(url: string): Promise<WindowClient | null>;
}
interface Worker {
  readonly registration: ServiceWorkerRegistration;
  readonly clients: {
    claim(): Promise<void>;
    matchAll(options: object): Promise<readonly WindowClient[]>;
    openWindow(url: string): Promise<WindowClient | null>;
  };
  skipWaiting(): Promise<void>;
  addEventListener(type: 'install' | 'activate', listener: (event: WorkerEvent) => void): void;
  addEventListener(type: 'fetch', listener: (event: FetchEvent) => void): void;
  addEventListener(type: 'push', listener: (event: PushEvent) => void): void;
  addEventListener(type: 'notificationclick', listener: (event: NotificationEvent) => void): void;
}

const worker = self as unknown as Worker;
const scope = (): string => worker.registration.scope;

worker.addEventListener('install', (event) => {
  const keep = async (): Promise<void> => {
    const cache = await caches.open(SHELL_NAME);
    await cache.addAll(SHELL_FILES.map((name) => new URL(name, scope()).href));
    await worker.skipWaiting();
  };
  event.waitUntil(keep());
});

const isOlderShell = (name: string): boolean =>
  name !== SHELL_NAME && name.startsWith(SHELL_NAME.replace(/[^-]*$/, ''));

worker.addEventListener('activate', (event) => {
  const clean = async (): Promise<void> => {
    const names = await caches.keys();
    await Promise.all(
      // Another page of this origin may keep something too.
      names.filter(isOlderShell).map((name) => caches.delete(name)),
    );
    await worker.clients.claim();
  };
  event.waitUntil(clean());
});

worker.addEventListener('fetch', (event) => {
  const { request } = event;
  const path = request.url.startsWith(scope()) ? request.url.slice(scope().length) : null;
  if (request.method !== 'GET' || path === null) return;
  const name = path.split(/[?#]/)[0] ?? '';
  if (name === '' || name === 'index.html') event.respondWith(page(request));
  // Their names change with what is in them.
  else if (SHELL_FILES.includes(name)) event.respondWith(kept(request));
});

/** The page as the service has it now; without a connection, as it was kept. */
async function page(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch {
    return (await caches.match(new URL('./', scope()).href)) ?? Response.error();
  }
}

async function kept(request: Request): Promise<Response> {
  return (await caches.match(request)) ?? fetch(request);
}

/** What the service pushes: text of ours and names of the fleet, never something to run. */
interface Pushed {
  readonly title: string;
  readonly body: string;
  readonly tag: string;
  /** What of the page it opens, behind its `#`. */
  readonly hash: string;
  readonly needCount: number | null;
}

const textOf = (value: unknown, otherwise: string): string =>
  typeof value === 'string' && value !== '' ? value.slice(0, 500) : otherwise;

/** Whatever came: a push must show something. */
function readPush(data: PushEvent['data']): Pushed {
  let fields: Record<string, unknown> = {};
  try {
    fields = Object(data?.json()) as Record<string, unknown>;
  } catch {
    // No JSON: it is shown without words of its own.
  }
  const { title, body, tag, hash, url, count } = fields;
  const place = [hash, url].find((each) => typeof each === 'string' && /#\//.test(each));
  return {
    title: textOf(title, 'agtmux'),
    body: textOf(body, 'An agent needs you.'),
    tag: textOf(tag, 'agtmux'),
    hash: place === undefined ? '#/inbox' : String(place).replace(/^[^#]*/, ''),
    needCount: typeof count === 'number' ? count : null,
  };
}

worker.addEventListener('push', (event) => {
  const { title, body, tag, hash, needCount } = readPush(event.data);
  const icon = new URL('icon-192.png', scope()).href;
  // Buttons open something and do nothing by themselves: what is approved must be seen first.
  const actions = [
    { action: 'open', title: 'Open' },
    { action: 'inbox', title: 'Inbox' },
  ];
  const options = { body, tag, icon, data: { hash }, actions, renotify: true };
  const show = worker.registration.showNotification(title, options);
  event.waitUntil(Promise.all([show, setBadge(needCount)]));
});

/** The number on the icon of an installed page. */
async function setBadge(count: number | null): Promise<void> {
  if (count === null || !('setAppBadge' in navigator)) return;
  const { setAppBadge } = navigator as unknown as { setAppBadge(count: number): Promise<void> };
  await setAppBadge.call(navigator, count).catch(() => {});
}

// It opens what it is about, and does nothing by itself.
worker.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const { hash } = (event.notification.data ?? {}) as { readonly hash?: string };
  const url = new URL(event.action === 'inbox' ? '#/inbox' : (hash ?? '#/'), scope()).href;
  const open = async (): Promise<void> => {
    const pages = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
    // Not the page of a share, nor that of a pairing link.
    const [known] = pages.filter((each) => each.url.split(/[?#]/)[0] === scope());
    if (!known) await worker.clients.openWindow(url);
    else {
      // Some browsers refuse to bring a window to the front.
      await known.focus().catch(() => {});
      await known.navigate(url);
    }
  };
  event.waitUntil(open());
});
