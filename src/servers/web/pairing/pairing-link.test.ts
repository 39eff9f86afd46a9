import { expect, it } from 'vitest';
import { browserName } from './browser-name.ts';
import { linkBase, pairingLink } from './pairing-link.ts';

const address = (text: string, family: 'IPv4' | 'IPv6', internal = false) => ({
  ...{ address: text, family, internal, cidr: null, mac: '', netmask: '', scopeid: 0 },
});
const interfaces = {
  lo: [address('127.0.0.1', 'IPv4', true)],
  eth0: [address('fe80::1', 'IPv6'), address('2001:db8::7', 'IPv6')],
  wlan0: [address('192.168.1.20', 'IPv4')],
} as unknown as Parameters<typeof linkBase>[0]['interfaces'];

it.each([
  ['http://127.0.0.1:8080', null, 'http://127.0.0.1:8080'],
  ['https://0.0.0.0:8080', null, 'https://192.168.1.20:8080'],
  ['http://[::]:8080', null, 'http://192.168.1.20:8080'],
  ['http://10.0.0.3:8080', null, 'http://10.0.0.3:8080'],
  ['http://127.0.0.1:8080', 'https://a.example.com/', 'https://a.example.com'],
])('a link to %s with the public URL %s begins with %s', (url, publicUrl, base) => {
  expect(linkBase({ url, publicUrl: URL.parse(publicUrl ?? ''), interfaces })).toBe(base);
});

it('a machine that only has IPv6, or no network at all, still has a link', () => {
  const publicUrl = null;
  const url = 'http://0.0.0.0:80';
  const six = { eth0: [address('2001:db8::7', 'IPv6')] } as unknown as typeof interfaces;
  expect(linkBase({ url, publicUrl, interfaces: six })).toMatch('http://[2001:db8::7]:');
  expect(linkBase({ url, publicUrl, interfaces: {} })).toMatch('http://127.0.0.1:');
});

it('the code is in the fragment, which no server sees', () => {
  const link = new URL(pairingLink('http://a:1', 'code'));
  expect([link.pathname, link.search, link.hash]).toEqual(['/pair', '', '#code']);
});

it.each([
  ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537 Chrome/140 Safari/537', 'Chrome on Linux'],
  ['Mozilla/5.0 (Windows NT 10.0) Chrome/140 Safari/537 Edg/140', 'Edge on Windows'],
  ['Mozilla/5.0 (Android 15; Mobile; rv:140) Gecko/140 Firefox/140', 'Firefox on Android'],
  ['<script>alert(1)</script>\u001b[31m', 'a browser'],
  [undefined, 'a browser'],
])('%j is called %s', (userAgent, name) => {
  expect(browserName(userAgent)).toBe(name);
});
