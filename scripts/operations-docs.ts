// The reference pages on the API, made of the table of operations and its schemas. scripts/docs.ts
// writes them; docs/reference/operations.md is for people, schemas.json for programs.

import { z } from 'zod';
import type { Operation } from '../src/operations/ports/operation.ts';
import { operationAliases, operationTable } from '../src/operations/table.ts';
import { pullAnswerSchema } from '../src/schema/api/sources.ts';
import { pushSchemas as changePushSchemas } from '../src/schema/api/stream.ts';
import { type WebScope, webScopes } from '../src/schema/web/open-web.ts';
import { outputPushSchemas } from '../src/schema/web/output.ts';
import { cell } from './docs-cell.ts';

const pushSchemas = { ...changePushSchemas, ...outputPushSchemas };

type JsonSchema = Readonly<Record<string, unknown>>;

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _draft, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
}

function fieldsOf(schema: JsonSchema): string {
  const properties = Object.keys((schema['properties'] as object | undefined) ?? {});
  const required = (schema['required'] as readonly string[] | undefined) ?? [];
  const named = properties.map((name) =>
    required.includes(name) ? `\`${name}\`` : `\`${name}?\``,
  );
  return named.length === 0 ? 'nothing' : named.join(', ');
}

function rowOf({ name, scope, actors, deadlineMs, summary, input, output }: Operation): string {
  const cells = [
    `\`${name}\``,
    scope,
    actors.join(', '),
    `${deadlineMs / 1_000} s`,
    cell(summary),
    fieldsOf(schemaOf(input, 'input')),
    fieldsOf(schemaOf(output, 'output')),
  ];
  return `| ${cells.join(' | ')} |`;
}

// Returns the page for people: one row an operation, in the order of the table.
export function renderOperations(): string {
  const pushes = Object.entries(pushSchemas).map(
    ([name, schema]) => `| \`${name}\` | ${fieldsOf(schemaOf(schema, 'output'))} |`,
  );
  const aliases = Object.entries(operationAliases).map(
    ([alias, name]) => `- \`${alias}\` is \`${name}\``,
  );
  return [
    '# Operations',
    '',
    'Generated from `src/operations/table.ts` by `npm run docs`; do not edit by hand.',
    'JSON-RPC 2.0 over the Unix socket, one message a line, params by name; over the web service',
    'as in [web-protocol.md](web-protocol.md). A field with `?` may be left out. The JSON Schema',
    'of every field is in [schemas.json](schemas.json); codes of refusals are in',
    '[errors.md](errors.md), as `error.data.code`.',
    '',
    'Scope: `read` looks, `control` changes what is answered, `admin` is about the daemon. Actors:',
    'the `user` at the socket; a `source`, a connection that has said `source_hello`; and an',
    '`agent`, a connection that has said `agent_hello`.',
    'Deadline: after it the caller is told `timeout` and the work stops, unless it has begun to',
    'change something: then it goes on to its end. A caller that hangs up stops its work too, and',
    'so does the notification `$/cancelRequest` with the `id` of a call.',
    '',
    '| operation | scope | actors | deadline | what | input | output |',
    '|---|---|---|---|---|---|---|',
    ...operationTable.map(rowOf),
    '',
    '## Other names',
    '',
    ...aliases,
    '',
    '## Pushes of a subscription',
    '',
    'Notifications that follow `subscribe`. Each carries the cursor to resume from.',
    '',
    '| push | fields |',
    '|---|---|',
    ...pushes,
    '',
  ].join('\n');
}

/** The scopes of web tokens that may call it. */
const tokensFor = ({ scope, actors }: Operation): readonly WebScope[] =>
  webScopes.filter((held) => actors.includes('user') && (scope === 'read' || scope === held));

// Returns the page on JSON-RPC over the web service: who may call what, and how it is framed.
export function renderWebProtocol(): string {
  const calledBy = (fits: (tokens: readonly WebScope[]) => boolean): string =>
    operationTable
      .filter((each) => fits(tokensFor(each)))
      .map(({ name }) => `\`${name}\``)
      .join(', ');
  return [
    '# Operations over the web service',
    '',
    'Generated from `src/operations/table.ts` by `npm run docs`; do not edit by hand.',
    '',
    'On the WebSocket `/ws`, beside the messages of [the web service](../web.md), a text',
    'message with `"jsonrpc": "2.0"` calls an [operation](operations.md) by its name, as a line',
    'of the Unix socket does: the same params, results, errors and `$/cancelRequest`. Streams push',
    'notifications. Bytes go beside a message and not in it, in a binary message: the byte `0x06`,',
    'the JSON of the message, a zero byte, the bytes. To you they are `params.bytes` of',
    '`output_snapshot` and `output_bytes`; from you `params.data`, as `upload_file` takes it.',
    '',
    '`POST /rpc` with `Content-Type: application/json` takes one call and returns its reply, with',
    'status 200 whatever comes of it; 401 is a missing or wrong token. Streams need the WebSocket.',
    '',
    'A connection has at most 64 calls and 64 streams at a time. [schemas.json](schemas.json) has',
    'every shape, and as `web_tokens` the scopes that may call an operation.',
    '',
    '## A token that may read calls',
    '',
    calledBy((tokens) => tokens.includes('read')),
    '',
    '## A token that may control calls these too',
    '',
    calledBy((tokens) => tokens.includes('control') && !tokens.includes('read')),
    '',
    '## No token calls',
    '',
    calledBy((tokens) => tokens.length === 0),
    '',
  ].join('\n');
}

type Shapes = Readonly<Record<string, z.ZodType>>;

// Schemas of many names at once, so that a shape with a name of its own is written once.
function schemasOf(shapes: Shapes, io: 'input' | 'output') {
  const whole = z.toJSONSchema(z.object(shapes), {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      // `format` says it; the pattern is a page long.
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
      // A newer daemon may add fields; only inputs are closed.
      if (io === 'output' && jsonSchema.additionalProperties === false) {
        delete jsonSchema.additionalProperties;
      }
    },
  });
  return { schemas: whole.properties ?? {}, definitions: whole.$defs ?? {} };
}

const shapesOf = (key: 'input' | 'output'): Shapes =>
  Object.fromEntries(operationTable.map((each) => [each.name, each[key]]));

// Returns the JSON Schemas of all inputs, outputs and pushes as one document.
export function renderSchemas(): string {
  const inputs = schemasOf(shapesOf('input'), 'input');
  const outputs = schemasOf(shapesOf('output'), 'output');
  const pushes = schemasOf(pushSchemas, 'output');
  const pulled = schemasOf({ 'source.pull_events': pullAnswerSchema }, 'input');
  const operations = Object.fromEntries(
    operationTable.map((each) => {
      const { name, scope, actors } = each;
      const access = { scope, actors, web_tokens: tokensFor(each) };
      return [name, { ...access, input: inputs.schemas[name], output: outputs.schemas[name] }];
    }),
  );
  const all = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $defs: definitionsOf([inputs, outputs, pushes, pulled]),
    operations,
    pushes: pushes.schemas,
    answers_of_sources: pulled.schemas,
  };
  return `${JSON.stringify(all, null, 2)}\n`;
}

// One name must have one shape: $ref looks it up by name alone.
function definitionsOf(parts: readonly { readonly definitions: object }[]): object {
  const merged = new Map<string, unknown>();
  for (const [name, shape] of parts.flatMap(({ definitions }) => Object.entries(definitions))) {
    const before = merged.get(name);
    if (before !== undefined && JSON.stringify(before) !== JSON.stringify(shape)) {
      throw new Error(`${name} has two shapes`);
    }
    merged.set(name, shape);
  }
  return Object.fromEntries([...merged].sort(([a], [b]) => (a < b ? -1 : 1)));
}
