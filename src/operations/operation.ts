// The shape of one operation: what it is called, who may call it, what goes in and comes out. Every
// door (socket, web, MCP) calls operations through the same check.

import type { z } from 'zod';
import { type OperationName, operationSchemas } from '../schema/api/operations.ts';
import type { Outcome } from '../schema/outcome.ts';
import type { Context } from './context.ts';

/** read: looks. control: changes what an agent or the daemon's answers do. admin: the daemon. */
export const accessLevels = ['read', 'control', 'admin'] as const;
export type Access = (typeof accessLevels)[number];

/** Who calls. The socket's peers are the user; other doors name theirs. */
export interface Actor {
  /** `user`, `source:<id>`, later `web:<token id>`, `member:<bundle>/<name>`. */
  readonly name: string;
  readonly access: Access;
}

/**
 * Whom an operation is for. any: every caller with the access. user: only the user at the socket.
 * source: a program that feeds the daemon, which on the socket runs as the user.
 */
export type ActorKind = 'any' | 'user' | 'source';

export interface Operation<
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
> {
  readonly name: string;
  /** One sentence for the reference page. */
  readonly summary: string;
  readonly access: Access;
  readonly actor: ActorKind;
  readonly input: Input;
  readonly output: Output;
  readonly run: (
    context: Context,
    input: z.infer<Input>,
    actor: Actor,
  ) => Outcome<z.infer<Output>> | Promise<Outcome<z.infer<Output>>>;
}

type Schemas = typeof operationSchemas;

/** An operation with the schemas that its name has in schema/api/operations.ts. */
export function operation<Name extends OperationName>(
  name: Name,
  parts: Pick<Operation<Schemas[Name]['input'], Schemas[Name]['output']>, 'summary' | 'run'> & {
    readonly access: Access;
    readonly actor?: ActorKind;
  },
): Operation {
  const { input, output } = operationSchemas[name];
  // Once in the table, inputs are what the door has checked: the types meet in the schema.
  return { actor: 'any', ...parts, name, input, output } as unknown as Operation;
}
