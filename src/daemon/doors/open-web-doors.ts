// The web services of a daemon with what hangs on their tokens: the read-only shares, and the
// browsers that are pushed to.

import { join } from 'node:path';
import type { PushSubscriptions } from '../../notify/push/push-subscriptions.ts';
import type { OperationHost } from '../../servers/session.ts';
import type { DaemonCore } from '../daemon-core.ts';
import { Shares } from './shares.ts';
import { WebDoors } from './web-doors.ts';

export function openWebDoors(
  core: DaemonCore,
  push: PushSubscriptions,
  host: () => OperationHost,
): { readonly web: WebDoors; readonly shares: Shares } {
  const { nowMs } = core;
  const { stateDir } = core.place.paths;
  const web = new WebDoors({
    host,
    tokensFile: join(stateDir, 'web-tokens.json'),
    nowMs,
    config: () => core.config.web,
    log: (fields, message) => core.log.info(fields, message),
    onTokenEnded: (tokenId) => {
      push.removeToken(tokenId);
      shares.removeToken(tokenId);
    },
  });
  const file = join(stateDir, 'web-shares.json');
  const shares = new Shares({ file, nowMs, linkBase: () => web.linkBase });
  push.followTokens((tokenId) => web.isTokenCurrent(tokenId));
  return { web, shares };
}
