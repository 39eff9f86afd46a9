// Push messages as a page asks for them: with the token of its browser, over the web service. The
// inside of a daemon is real, without tmux; what is sent is tests/notify/web-push.test.ts.

import { expect, it } from 'vitest';
import { Inside } from '../api/fixture.ts';
import { PushBrowser } from '../notify/push-receiver.ts';
import { ask, TOKEN } from './web-lab.ts';

const SERVICE = 'https://push.example.net';

async function open() {
  const inside = await new Inside().serve();
  const client = await inside.connect();
  const { url } = await client.call('open_web', { port: 0, auth_token: TOKEN });
  const call = async (token: string, method: string, params: object = {}) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const { text } = await ask(url, '/rpc', { method: 'POST', headers, body });
    return JSON.parse(text) as {
      readonly result?: Record<string, never>;
      readonly error?: { readonly data: { readonly code: string } };
    };
  };
  const subscribe = (token: string, path = '/1') =>
    call(token, 'subscribe_push', {
      ...new PushBrowser(path).subscription(SERVICE),
      label: 'Chrome on Android',
    });
  return { client, call, subscribe, inside };
}

it('a browser subscribes, is listed without its endpoint, and switches off again', async () => {
  const { client, call, subscribe } = await open();
  const phone = await client.call('create_web_token', { name: 'phone' });
  await subscribe(phone.token);
  const status = await client.call('push_status', {});
  expect(status).toMatchObject({
    on: false,
    subscriptions: [
      { label: 'Chrome on Android', service: 'push.example.net', token: phone.id, last: null },
    ],
  });
  expect(Buffer.from(status.public_key, 'base64url')).toHaveLength(65);
  expect(JSON.stringify(status)).not.toMatch(/\/1"|p256dh|auth/);
  const id = status.subscriptions[0]?.id ?? '';
  const { result } = await call(phone.token, 'unsubscribe_push', { id });
  expect(result).toMatchObject({ subscriptions: [] });
  const again = await call(phone.token, 'unsubscribe_push', { id });
  expect(again.error?.data.code).toBe('E_REF_NOT_FOUND');
});

it.each(['revoke_web_token', 'rotate_web_token'] as const)(
  'a browser is notified no more after %s',
  async (operation) => {
    const { client, subscribe } = await open();
    const phone = await client.call('create_web_token', { name: 'phone' });
    const other = await client.call('create_web_token', { name: 'tablet' });
    await subscribe(phone.token);
    await subscribe(other.token, '/2');
    await client.call(operation, { id: phone.id });
    const { subscriptions } = await client.call('push_status', {});
    expect(subscriptions.map(({ token }) => token)).toEqual([other.id]);
  },
);

it('who may only look subscribes nobody', async () => {
  const { client, subscribe } = await open();
  const wall = await client.call('create_web_token', { name: 'wall', scope: 'read' });
  expect((await subscribe(wall.token)).error?.data.code).toBe('E_NOT_PERMITTED');
  expect((await client.call('push_status', {})).subscriptions).toEqual([]);
});

it('the token of a command ends with its service, and so does what it subscribed', async () => {
  const { client, subscribe, inside } = await open();
  await subscribe(TOKEN);
  expect((await client.call('push_status', {})).subscriptions).toHaveLength(1);
  client.close();
  const next = await inside.connect();
  await expect
    .poll(async () => (await next.call('push_status', {})).subscriptions, { timeout: 10_000 })
    .toEqual([]);
});

it('a push that cannot be sent is said to be so', async () => {
  const { client } = await open();
  const browser = new PushBrowser('/1').subscription('https://127.0.0.1:9');
  const { subscription } = await client.call('subscribe_push', { ...browser, label: 'phone' });
  expect(await client.call('test_push', { id: subscription.id })).toMatchObject({
    delivered: false,
    detail: 'its push service is not at a public address',
  });
  const [shown] = (await client.call('push_status', {})).subscriptions;
  expect(shown?.last?.problem).toBe('its push service is not at a public address');
});
