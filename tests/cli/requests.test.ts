// `list requests`: what is printed of each open request.

import { expect, it } from 'vitest';
import { renderRequests } from '../../src/render/requests.ts';
import type { OpenRequestItem } from '../../src/schema/api/acting.ts';
import { NOW, paneItem } from './fixture.ts';

const view = { width: 80, color: false, unicode: true, nowMs: Date.parse(NOW) };
const head = { schema_version: 1 as const, generated_at: NOW };

const signIn: OpenRequestItem = {
  request_id: 'dialog@1',
  kind: 'question',
  since: new Date(Date.parse(NOW) - 60_000).toISOString(),
  seen: false,
  pane: paneItem({ agent: 'qwen', state: 'waiting_input', reason_code: 'auth_required' }),
};

it('a request that could not be read says what it is, and where it is answered', () => {
  expect(renderRequests(view, { ...head, requests: [signIn] })).toBe(
    [
      'main:1.0  qwen  question for 1m',
      '  What this sign-in menu of qwen says is on its screen.',
      '  Answer it in its pane: agtmux attach.',
      '',
    ].join('\n'),
  );
});

it('one with options names them, and leads nowhere else', () => {
  const options = [
    { label: 'PostgreSQL', selected: true },
    { label: 'SQLite', selected: false },
  ];
  const detail = { kind: 'question' as const, text: 'Which?', options };
  expect(renderRequests(view, { ...head, requests: [{ ...signIn, detail }] })).toBe(
    ['main:1.0  qwen  question for 1m', '  Which?', '  >1. PostgreSQL 2. SQLite', ''].join('\n'),
  );
});
