// A sign-in is the same kind of wait for every agent: a question, because of `auth_required`.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../scripts/script-entry.ts';
import { classifyRecord } from '../../src/agents/classify/classify-pane.ts';
import { loadRegistry } from '../../src/sources/rule-files.ts';

const registry = loadRegistry({});

it.each([
  ['claude', 'login', 'claude/2.1.74-458-waiting_input'],
  ['codex', 'sign-in menu', 'codex/503-waiting_input'],
  ['codex', 'API key field', 'codex/0.148.0-103-waiting_input'],
  ['gemini', 'authentication choice', 'gemini/148-waiting_input'],
  ['gemini', 'API key field', 'gemini/0.47.0-003-waiting_input'],
  ['qwen', 'authentication choice', 'qwen/0.12.0-002-waiting_input'],
])('the %s %s is waiting_input with auth_required', (_agent, _screen, name) => {
  const record = JSON.parse(readFileSync(join(root, 'corpus', `${name}.json`), 'utf8'));
  const answer = classifyRecord(record, registry);
  expect([answer?.state, answer?.reasonCode]).toEqual(['waiting_input', 'auth_required']);
});
