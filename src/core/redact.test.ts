// Secrets leave every text before it is kept: in each form that commands, files and headers have.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allStreams, interleave, someChoices } from '../../tests/laws/streams.ts';
import { claim, evidence, paneFacts, paneKey, Run, T0 } from '../../tests/scenario.ts';
import { eventSchema, type WorldEvent } from '../schema/event.ts';
import { id } from '../schema/ids.ts';
import { redactObservation, redactText, redactValue } from './redact.ts';

/** An event as the engine's door lets it in. */
function redact(event: WorldEvent): unknown {
  const clean = redactObservation({ kind: 'fact', fact: event });
  return clean.kind === 'fact' ? clean.fact : null;
}

const SECRET = 'Zq9hunter2Kx7mP4';
const pem = (kind: string, body: string, tail = `-----END ${kind}-----`) =>
  `-----BEGIN ${kind}-----\n${body}\n${tail}`;

/** Every form in which a secret is known to travel; the argument is what must not survive. */
const forms: Record<string, (secret: string) => string> = {
  'an assignment': (secret) => `export API_KEY=${secret}`,
  'an assignment in quotes': (secret) => `DB_PASSWORD="${secret}" npm start`,
  'an assignment in single quotes': (secret) => `DB_PASSWD='${secret}' npm start`,
  'a line of YAML': (secret) => `  client_secret: ${secret}\n  region: eu`,
  'a query': (secret) => `GET /x?access_token=${secret}&page=2`,
  'JSON text': (secret) => JSON.stringify({ a: 1, password: secret, b: 2 }),
  'JSON text with spaces': (secret) => JSON.stringify({ 'x-api-key': secret }, null, 2),
  'JSON inside a string of JSON': (secret) => JSON.stringify(JSON.stringify({ token: secret })),
  'a Python dictionary': (secret) => `{'private_key': '${secret}'}`,
  'an authorization header': (secret) => `Authorization: Token ${secret}`,
  'a header on a command line': (secret) => `curl -H "x-api-key: ${secret}" https://example.org`,
  'a cookie header': (secret) => `Cookie: theme=dark; session=${secret}; lang=en`,
  'a header that sets a cookie': (secret) => `Set-Cookie: id=${secret}; HttpOnly`,
  'a bearer token': (secret) => `sent as bearer ${secret} to the server`,
  'basic credentials': (secret) => `-H Basic ${secret}==`,
  'a PEM block': (secret) => `key:\n${pem('RSA PRIVATE KEY', `MIIE\n${secret}\nabc`)}\nend`,
  'a PEM block cut off': (secret) => pem('OPENSSH PRIVATE KEY', secret, ''),
  'a password in a URL': (secret) => `postgres://app:${secret}@db.example.org/main`,
  'a password in a URL without a user': (secret) => `redis://:${secret}@10.0.0.1:6379`,
  'a JSON web token': (secret) => `eyJhbGciOiJIUzI1NiJ9.eyJ${secret}.${secret}`,
  'an OpenAI or Anthropic key': (secret) => `the key sk-ant-${secret} works`,
  'a key right behind other text': (secret) => `0%xsk-ant-${secret}`,
  'a token right behind a number': (secret) => `42ghp_${secret}0000`,
  'a GitHub token': (secret) => `remote uses ghp_${secret}0000`,
  'a Slack token': (secret) => `xoxb-${secret}-1`,
  'an AWS key id': (secret) => `AKIA${secret}`,
  'a Google key': (secret) => `AIza${secret}`,
};

describe('a secret does not survive in', () => {
  test.each(Object.entries(forms))('%s', (_name, form) => {
    const clean = redactText(form(SECRET));
    expect(clean).not.toContain(SECRET);
    expect(clean).toContain('[redacted]');
  });

  test.each([
    'task-list-of-the-whole-team',
    'task_live_view_of_the_team',
    'laughs_at_the_whole_team',
  ])('and %s is no secret', (word) => expect(redactText(`-----${word}`)).toContain(word));

  test('any form, whatever the secret and the text around it', () => {
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const secret = fc
      .array(fc.constantFrom(...letters), { minLength: 16, maxLength: 200 })
      .map((parts) => `a${parts.join('')}b`);
    const around = fc.constantFrom('', ' ', '\n', 'text ', '"', '(', 'x=1 ', '{"a":1}\n');
    fc.assert(
      fc.property(secret, around, around, fc.constantFrom(...Object.values(forms)), (...drawn) => {
        const [planted, before, after, form] = drawn;
        const text = `${before}${form(planted)}${after}`;
        expect(redactText(text)).not.toContain(planted);
      }),
      { numRuns: 3_000 },
    );
  });

  test('any form when two of them stand in one text', () => {
    const form = fc.constantFrom(...Object.values(forms));
    fc.assert(
      fc.property(form, form, fc.constantFrom('\n', ' ; \n', '\n\n'), (first, second, between) => {
        const text = first(SECRET) + between + second(`${SECRET}QQ`);
        expect(redactText(text)).not.toContain(SECRET);
      }),
      { numRuns: 1_000 },
    );
  });

  test('and nothing after a PEM block, however much of it was cut off', () => {
    const block = pem('RSA PRIVATE KEY', SECRET);
    const tail = block.slice(block.indexOf('\n'));
    expect(redactText(`a: ${block}, then: ${block}, and on`)).toBe(
      'a: [redacted], then: [redacted], and on',
    );
    expect(redactText(`a:${tail}, and on`)).toBe('a:[redacted], and on');
    expect(redactText(`a: ${pem('KEY', SECRET, '')}`)).toBe('a: [redacted]');
  });

  test('names in any case', () => {
    for (const name of [
      'PASSWORD',
      'Api-Key',
      'apiKey',
      'auth_key',
      'GITHUB_TOKEN',
      'mySecretValue',
    ]) {
      expect(redactText(`${name}=${SECRET}`)).toBe(`${name}=[redacted]`);
    }
  });
});

describe('redacting twice changes nothing', () => {
  test.each(Object.entries(forms))('in %s', (_name, form) => {
    const once = redactText(form(SECRET));
    expect(redactText(once)).toBe(once);
  });

  test('in any text made of suspicious pieces', () => {
    const piece = fc.constantFrom(
      ...['password', 'token', '=', ':', ' ', '"', "'", '\\', '\n', 'abc', '[redacted]', 'Bearer '],
      ...['https://', 'u', '@', '-----BEGIN X-----', '-----END X-----', 'sk-abcdefghijklmnop', ','],
      ...['cookie', 'basic ', 'eyJabcdefghij.abcdefgh', '{', '}', 'authorization: '],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const once = redactText(pieces.join(''));
        expect(redactText(once)).toBe(once);
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('ordinary text stays as it is', () => {
  test.each([
    'tokens used: 12 of 40',
    'Context: 12k tokens left',
    'the keyboard and the monkey',
    'passwords are hashed before they are stored',
    'risk-assessment and task-force',
    'see https://example.org:8080/path?x=1 and mailto:a@example.org',
    'git@github.com:owner/repository.git',
    'http://localhost:3000/@scope/package',
    'Do you want to run this command? (y/n)',
    '',
  ])('%j', (text) => {
    expect(redactText(text)).toBe(text);
  });

  test('the text around a secret is kept', () => {
    expect(redactText(`run A_TOKEN=${SECRET} make build`)).toBe(
      'run A_TOKEN=[redacted] make build',
    );
    expect(redactText(`https://me:${SECRET}@example.org/x`)).toBe(
      'https://me:[redacted]@example.org/x',
    );
  });
});

describe('a value', () => {
  test('loses what stands under the name of a secret, at any depth, and keeps the rest', () => {
    const value = {
      user: 'me',
      apiKey: SECRET,
      list: [{ password: SECRET, port: 5432 }, `token=${SECRET}`, null, true],
      deep: { 'X-Api-Key': SECRET, count: 3, pinCredential: 123_456 },
    };
    expect(redactValue(value)).toEqual({
      user: 'me',
      apiKey: '[redacted]',
      list: [{ password: '[redacted]', port: 5432 }, 'token=[redacted]', null, true],
      deep: { 'X-Api-Key': '[redacted]', count: 3, pinCredential: '[redacted]' },
    });
  });

  test('keeps a field called __proto__ as a field', () => {
    const hostile = JSON.parse(`{"__proto__": {"password": "${SECRET}"}, "a": 1}`);
    const clean = redactValue(hostile) as object;
    expect(JSON.stringify(clean)).toBe('{"__proto__":{"password":"[redacted]"},"a":1}');
    expect(Object.getPrototypeOf(clean)).toBe(Object.prototype);
  });

  test('that is nested without end is cut, not followed', () => {
    let deep: unknown = SECRET;
    for (let level = 0; level < 5_000; level += 1) deep = { deep };
    expect(JSON.stringify(redactValue(deep))).not.toContain(SECRET);
  });
});

describe('an event', () => {
  const observed = (changes: Parameters<typeof evidence>[3]): WorldEvent => ({
    type: 'evidence.observed',
    eventId: id('e1'),
    atMs: T0,
    disposition: 'apply',
    evidence: evidence('hooks', T0, [], changes),
  });

  test('is clean in its payload, its activity and what it asks, and still fits its schema', () => {
    const request = {
      kind: 'approval' as const,
      command: `TOKEN=${SECRET} deploy`,
      options: [{ label: `use password=${SECRET}`, selected: true }],
    };
    const clean = redact(
      observed({
        claims: [claim('waiting_approval', { request })],
        activity: { prompt: `bearer ${SECRET}`, title: `secret: ${SECRET}`, tool: 'Bash' },
        payload: { env: { API_KEY: SECRET }, argv: [`--x=${SECRET.length}`, `token=${SECRET}`] },
      }),
    );
    expect(JSON.stringify(clean)).not.toContain(SECRET);
    expect(eventSchema.safeParse(clean).error).toBeUndefined();
    expect(clean).toMatchObject({ evidence: { activity: { tool: 'Bash' } } });
  });

  test('of a pane is clean in its title', () => {
    const facts = paneFacts(0, { title: `API_KEY=${SECRET} make` });
    const clean = redact({
      type: 'pane.appeared',
      eventId: id('e1'),
      atMs: T0,
      paneKey: paneKey(0),
      facts,
    });
    expect(clean).toMatchObject({ facts: { title: 'API_KEY=[redacted] make', command: 'claude' } });
  });

  test('without secrets is the same event', () => {
    const plain = observed({
      claims: [claim('running')],
      activity: { prompt: 'fix the tests', backgroundCount: 2 },
      payload: { a: [1, 'two', null] },
    });
    expect(redact(plain)).toEqual(plain);
  });
});

test('what random runs emit without a secret is kept as it is', () => {
  fc.assert(
    fc.property(allStreams(), someChoices, (streams, choices) => {
      for (const event of new Run().see(...interleave(streams, choices)).events) {
        expect(redact(event)).toEqual(event);
      }
    }),
    { numRuns: 100 },
  );
});

describe('hostile text of a megabyte', () => {
  /** Longer text is cut, so the patterns show their cost below the cut and the cut above it. */
  const steps = [
    [30_000, 60_000],
    [500_000, 1_000_000],
  ] as const;
  const hostile: Record<string, (length: number) => string> = {
    letters: (length) => 'a'.repeat(length),
    'a name without end': (length) => `token${'_token'.repeat(length / 6)}`,
    'names with no value': (length) => 'password '.repeat(length / 9),
    'openings of PEM': (length) => '-----BEGIN A-----'.repeat(length / 17),
    'half openings of PEM': (length) => '-----BEGIN '.repeat(length / 11),
    'addresses without an end': (length) => 'a://b:'.repeat(length / 6),
    'colons and ats': (length) => `http://${':'.repeat(length)}`,
    'half web tokens': (length) => 'eyJ'.repeat(length / 3),
    'header names': (length) => 'authorization:'.repeat(length / 14),
    'blanks after a name': (length) => `token${' '.repeat(length)}`,
    quotes: (length) => `token="${'\\"'.repeat(length / 2)}`,
  };

  const cost = (text: string): number => {
    let best = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 3; round += 1) {
      const startMs = performance.now();
      redactText(text);
      best = Math.min(best, performance.now() - startMs);
    }
    return best;
  };

  // A quadratic pattern would cost four times as much at twice the length, each time. The constant
  // and the retries cover what a busy machine adds.
  const retry = 2;
  test.each(Object.entries(hostile))(
    '%s cost no more than in proportion',
    {
      retry,
    },
    (_name, make) => {
      for (const [half, whole] of steps) {
        expect(cost(make(whole)) / (cost(make(half)) + 10)).toBeLessThan(3.5);
      }
    },
  );
});

test('a target keeps its host and loses its password', () => {
  const changed = (connectionRef: string): WorldEvent => ({
    type: 'target.changed',
    eventId: id('e1'),
    atMs: T0,
    target: { targetId: id('vm1'), name: 'vm1', kind: 'ssh', health: 'ok', connectionRef },
  });
  expect(redact(changed('ssh://me:hunter2@vm1'))).toEqual(changed('ssh://me@vm1'));
});
