// Only addresses of the web lead anywhere.

import { expect, it } from 'vitest';
import { webAddress } from './web-links.ts';

it.each([
  ['https://example.org/a?b=c#d', 'https://example.org/a?b=c#d'],
  ['http://localhost:3000', 'http://localhost:3000/'],
  ['javascript:alert(1)', null],
  ['data:text/html,x', null],
  ['file:///etc/passwd', null],
  ['vscode://file/x', null],
  ['not an address', null],
  [`https://example.org/${'x'.repeat(3_000)}`, null],
])('%s', (text, expected) => {
  expect(webAddress(text)).toBe(expected);
});
