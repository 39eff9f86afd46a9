// The web service: opened until its caller leaves, and the tokens that it takes. What it serves is
// servers/web/, which calls operations itself.

import { ok } from '../../schema/outcome.ts';
import { type Operation, operation } from '../ports/operation.ts';

const admin = { scope: 'admin', actors: ['user'], ports: ['web'] } as const;

export const webOperations: readonly Operation[] = [
  operation('open_web', {
    ...admin,
    summary: 'Opens the web service until the caller disconnects.',
    run: async ({ web }, input, call) => {
      const outcome = await web.open(input);
      if (!outcome.ok) return outcome;
      call.keep(outcome.value);
      return ok(outcome.value.opened);
    },
  }),
  operation('pair_web', {
    ...admin,
    summary: 'Makes a link that lets one browser into the open web service, once, for 10 minutes.',
    run: ({ web }, { scope, name = null }) => web.pair({ scope, name }),
  }),
  operation('list_web_tokens', {
    ...admin,
    summary: 'The tokens of the web service, without their secrets.',
    run: ({ web }) => ok({ tokens: [...web.tokens()] }),
  }),
  operation('create_web_token', {
    ...admin,
    summary: 'Makes a token for the web service; its secret is shown this once.',
    run: ({ web }, { name, scope }) => web.createToken(name, scope),
  }),
  operation('rotate_web_token', {
    ...admin,
    summary: 'Replaces the secret of a token and closes the connections made with the old one.',
    run: ({ web }, { id }) => web.rotateToken(id),
  }),
  operation('revoke_web_token', {
    ...admin,
    summary: 'Removes a token and closes the connections made with it.',
    run: ({ web }, { id }) => web.revokeToken(id),
  }),
];
