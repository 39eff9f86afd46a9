// The types of `agtmux/client`, made of the JSON Schemas of the operations. The sources'
// own declarations name zod, which the published package does not depend on; these stand alone.

import { z } from 'zod';
import { operationSchemas } from '../src/schema/api/operations.ts';
import { pushSchemas } from '../src/schema/api/stream.ts';

type JsonSchema = {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly propertyNames?: JsonSchema;
  readonly items?: JsonSchema;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
};

const PLAIN: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};

function typeOf(schema: JsonSchema): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? 'unknown';
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' | ');
  if (schema.type === 'array') return `readonly (${typeOf(schema.items ?? {})})[]`;
  if (schema.type === 'object') return objectType(schema);
  return typeof schema.type === 'string' ? (PLAIN[schema.type] ?? 'unknown') : 'unknown';
}

function objectType({ properties, required = [], additionalProperties }: JsonSchema): string {
  const fields = Object.entries(properties ?? {}).map(([name, field]) => {
    const mark = required.includes(name) ? '' : '?';
    return `readonly ${JSON.stringify(name)}${mark}: ${typeOf(field)};`;
  });
  if (fields.length > 0) return `{ ${fields.join(' ')} }`;
  const isRecord = typeof additionalProperties === 'object';
  return isRecord
    ? `Readonly<Record<string, ${typeOf(additionalProperties)}>>`
    : 'Readonly<Record<string, unknown>>';
}

/** The text of dist/client/client.d.ts. */
export function renderClientTypes(): string {
  const named = new Map<string, string>();
  const typeFrom = (schema: z.ZodType, io: 'input' | 'output'): string => {
    const json = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonSchema;
    for (const [name, shape] of Object.entries(json.$defs ?? {})) named.set(name, typeOf(shape));
    return typeOf(json);
  };
  const operations = Object.entries(operationSchemas).map(
    ([name, { input, output }]) =>
      `  readonly ${name}: { readonly input: ${typeFrom(input, 'input')}; ` +
      `readonly output: ${typeFrom(output, 'output')} };`,
  );
  const pushes = Object.entries(pushSchemas).map(
    ([name, schema]) =>
      `  | { readonly type: ${JSON.stringify(name)}; ` +
      `readonly data: ${typeFrom(schema, 'output')} }`,
  );
  const shapes = [...named].map(([name, text]) => `export type ${name} = ${text};`);
  return [
    '// Generated from src/schema/api by scripts/client-types.ts.',
    ...shapes,
    'export interface OperationMap {',
    ...operations,
    '}',
    'export type OperationName = keyof OperationMap;',
    'export type PushMessage =',
    `${pushes.join('\n')};`,
    fixedPart,
  ].join('\n');
}

/** What src/client/client.ts offers; tests/api/client-types.test.ts holds both together. */
const fixedPart = `export interface ConnectOptions {
  readonly socketPath: string;
  readonly timeoutMs?: number;
}
export interface CallOptions {
  readonly timeoutMs?: number;
}
export interface SubscribeOptions {
  readonly resume?: boolean;
  readonly onLink?: (link: 'lost' | 'back') => void;
}
export declare class DaemonError extends Error {
  readonly code: string;
  readonly rpcCode: number;
  readonly hint: string | null;
}
export declare class DaemonClient {
  readonly socketPath: string;
  private constructor();
  call<Name extends OperationName>(
    name: Name,
    input: OperationMap[Name]['input'],
    options?: CallOptions,
  ): Promise<OperationMap[Name]['output']>;
  subscribe(
    input?: OperationMap['subscribe']['input'],
    options?: SubscribeOptions,
  ): AsyncGenerator<PushMessage, void, undefined>;
  close(): void;
  [Symbol.asyncDispose](): Promise<void>;
}
export declare function connectDaemon(options: ConnectOptions): Promise<DaemonClient>;
`;
