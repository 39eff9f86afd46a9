// The web services of a daemon's inside, with its tokens in a file of its folder.

import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Shares } from '../../src/daemon/doors/shares.ts';
import { WebDoors } from '../../src/daemon/doors/web-doors.ts';
import type { Inside } from './fixture.ts';

export function webInside(inside: Inside): { readonly web: WebDoors; readonly shares: Shares } {
  const { push } = inside.notify;
  const web = new WebDoors({
    host: () => inside.host,
    tokensFile: join(inside.folder, 'web-tokens.json'),
    nowMs: () => inside.nowMs,
    config: () => inside.webConfig,
    log: (fields, message) => inside.webLog.push(`${message} ${JSON.stringify(fields)}`),
    onTokenEnded: (tokenId) => {
      push.removeToken(tokenId);
      shares.removeToken(tokenId);
    },
  });
  push.followTokens((tokenId) => web.isTokenCurrent(tokenId));
  onTestFinished(() => web[Symbol.asyncDispose]());
  const shares = new Shares({
    file: join(inside.folder, 'web-shares.json'),
    nowMs: () => inside.nowMs,
    linkBase: () => web.linkBase,
  });
  return { web, shares };
}
