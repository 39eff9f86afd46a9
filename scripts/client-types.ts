// The types of `agtmux/client` and `agtmux/web-client`, made of the JSON Schemas of the operations.
// The sources' own declarations name zod, which the published package does not depend on; these
// stand alone.

import { z } from 'zod';
import { operationSchemas } from '../src/schema/api/operations.ts';
import { pushSchemas } from '../src/schema/api/stream.ts';
import { outputPushSchemas } from '../src/schema/web/output.ts';

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

/** The operations and pushes, as both clients have them. */
function sharedTypes(): readonly string[] {
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
  const pushUnion = (schemas: Readonly<Record<string, z.ZodType>>): string =>
    Object.entries(schemas)
      .map(
        ([name, schema]) =>
          `  | { readonly type: ${JSON.stringify(name)}; ` +
          `readonly data: ${typeFrom(schema, 'output')} }`,
      )
      .join('\n');
  const changes = pushUnion(pushSchemas);
  const shapes = [...named].map(([name, text]) => `export type ${name} = ${text};`);
  return [
    '// Generated from src/schema/api by scripts/client-types.ts.',
    ...shapes,
    'export interface OperationMap {',
    ...operations,
    '}',
    'export type OperationName = keyof OperationMap;',
    'export type PushMessage =',
    `${changes};`,
  ];
}

/** The text of dist/client/client.d.ts. */
export const renderClientTypes = (): string => [...sharedTypes(), fixedPart].join('\n');

/** The text of dist/web-client/web-client.d.ts. */
export function renderWebClientTypes(): string {
  // Bytes are no base64 there.
  const messages = Object.entries(outputPushSchemas).map(([name, schema]) => {
    const json = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' }) as JsonSchema;
    const data = typeOf(json).replace('readonly "bytes": string;', 'readonly "bytes": Uint8Array;');
    return `  | { readonly type: ${JSON.stringify(name)}; readonly data: ${data} }`;
  });
  const output = `export type TerminalMessage =\n${messages.join('\n')};`;
  return [...sharedTypes(), output, webPart].join('\n');
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

/** What src/web-client/web-client.ts offers; tests/api/client-types.test.ts holds both together. */
const webPart = `interface StreamMessages {
  readonly subscribe: PushMessage;
  readonly watch_output: TerminalMessage;
}
export type StreamName = keyof StreamMessages;
export type WebLinkState = 'connecting' | 'open' | 'lost' | 'refused' | 'closed';
export interface ConnectWebOptions {
  readonly url: string;
  readonly token?: string;
  readonly timeoutMs?: number;
  readonly onState?: (state: WebLinkState) => void;
}
export interface WebCallOptions {
  readonly timeoutMs?: number;
  readonly data?: Uint8Array;
}
export interface StreamHandlers<Name extends StreamName> {
  readonly input: () => OperationMap[Name]['input'];
  readonly onMessage: (message: StreamMessages[Name]) => void;
  readonly onOpened?: (reply: OperationMap[Name]['output']) => void;
  readonly onRefused?: (error: DaemonError) => void;
}
export declare class DaemonError extends Error {
  readonly code: string;
  readonly rpcCode: number;
  readonly hint: string | null;
}
export declare class WebServiceClient {
  constructor(options: ConnectWebOptions);
  readonly state: WebLinkState;
  reconnect(): void;
  call<Name extends OperationName>(
    name: Name,
    input: OperationMap[Name]['input'],
    options?: WebCallOptions,
  ): Promise<OperationMap[Name]['output']>;
  subscribe(
    input?: OperationMap['subscribe']['input'],
  ): AsyncGenerator<PushMessage, void, undefined>;
  watch<Name extends StreamName>(name: Name, handlers: StreamHandlers<Name>): Disposable;
  close(): void;
  [Symbol.dispose](): void;
}
export declare function connectWeb(options: ConnectWebOptions): Promise<WebServiceClient>;
`;
