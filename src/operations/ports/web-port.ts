// What operations may ask of the web service: that it opens, lets a browser in, and of the tokens
// that it takes.

import type { Outcome } from '../../schema/outcome.ts';
import type {
  NewWebToken,
  OpenedWeb,
  OpenWebInput,
  Pairing,
  WebScope,
  WebToken,
} from '../../schema/web/open-web.ts';

/** A web service that listens until it is disposed of. */
export interface OpenWeb extends AsyncDisposable {
  readonly opened: OpenedWeb;
}

/** What a browser may do that comes by a link, and what its token is called. */
export interface PairingOffer {
  readonly scope: WebScope;
  /** Null: after the browser. */
  readonly name: string | null;
}

/** The web service and the tokens that it takes. */
export interface WebPort {
  readonly open: (input: OpenWebInput) => Promise<Outcome<OpenWeb>>;
  /** A link into the service that was opened last. */
  readonly pair: (offer: PairingOffer) => Outcome<Pairing>;
  readonly tokens: () => readonly WebToken[];
  readonly createToken: (name: string, scope: WebScope) => Outcome<NewWebToken>;
  readonly rotateToken: (tokenId: string) => Outcome<NewWebToken>;
  readonly revokeToken: (tokenId: string) => Outcome<WebToken>;
}
