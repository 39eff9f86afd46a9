// Pushes a notification to every browser that has asked for it, through the push service of that
// browser, which cannot read it. A service is spoken to over https and at a public address alone,
// and is followed nowhere else; a browser that it does not know any more is forgotten.

import { lookup as lookupName } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import type { IncludePart } from '../../schema/notify/notify-config.ts';
import { type NotifyKind, notifyKinds } from '../../schema/notify/notify-kind.ts';
import type { UserNotification } from '../../schema/notify/user-notification.ts';
import { counted } from '../../text/counted.ts';
import {
  type DeliveryCall,
  type DeliveryResult,
  deliveredResult,
  failedResult,
  type NotifyChannel,
} from '../message/notify-channel.ts';
import { isPublicAddress } from '../push/public-address.ts';
import { type PushContent, pushContent } from '../push/push-content.ts';
import { encryptPush } from '../push/push-encryption.ts';
import { identityHeader } from '../push/push-identity.ts';
import type { PushSubscription, PushSubscriptions } from '../push/push-subscriptions.ts';
import { httpPost, type PostReply } from './http-post.ts';

export const WEB_PUSH = 'web-push';

const REQUEST_MS = 10_000;
const LOOKUP_MS = 5_000;
/** How long a push service keeps a message for a browser that is offline. Later it is no news. */
const KEPT_SECONDS = 3_600;
/** Of the refusals, these may pass. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);
/** The browser has withdrawn its subscription, or it has expired. */
const GONE: ReadonlySet<number> = new Set([404, 410]);
/** Deliveries that may be tried again: who has taken them is not sent them twice. */
const REMEMBERED_MAX = 64;

export interface WebPushOptions {
  readonly subscriptions: PushSubscriptions;
  readonly include: readonly IncludePart[];
  /** Whom a push service may write to: `mailto:` or `https:`. */
  readonly contact: string;
  /** How many panes need a person now: the number on the icon. */
  readonly needCount: () => number;
  /** Tests push to this machine. */
  readonly isAllowed?: (address: string) => boolean;
  readonly ca?: string;
  /** Every address that a name has now. */
  readonly lookup?: (name: string) => Promise<readonly FoundAddress[]>;
}

interface FoundAddress {
  readonly address: string;
  readonly family: number;
}

const systemLookup = (name: string): Promise<readonly FoundAddress[]> =>
  lookupName(name, { all: true });

type PushOutcome =
  | { readonly kind: 'delivered' | 'gone' }
  | {
      readonly kind: 'failed';
      readonly problem: string;
      readonly mayRetry: boolean;
      readonly retryAfterMs: number | null;
    };

export class WebPushChannel implements NotifyChannel {
  readonly name: string = WEB_PUSH;
  readonly kinds: readonly NotifyKind[] = notifyKinds;
  readonly include: readonly IncludePart[];
  readonly #options: WebPushOptions;
  /** By delivery: the browsers that have taken it. */
  readonly #taken = new Map<string, Set<string>>();

  constructor(options: WebPushOptions) {
    this.#options = options;
    this.include = options.include;
  }

  async deliver(notification: UserNotification, call: DeliveryCall): Promise<DeliveryResult> {
    const { subscriptions, needCount } = this.#options;
    const { all } = subscriptions;
    if (all.length === 0) return failedResult('no browser has switched notifications on');
    const content = pushContent(notification, needCount());
    const taken = this.#takenBy(call.deliveryId);
    const waiting = all.filter(({ id }) => !taken.has(id));
    const outcomes = await Promise.all(waiting.map((each) => this.#push(each, content, call)));
    for (const [index, { kind }] of outcomes.entries()) {
      const id = waiting[index]?.id;
      if (id !== undefined && kind === 'delivered') taken.add(id);
    }
    return resultOf(outcomes, taken.size);
  }

  /** To one browser alone. */
  async deliverTo(
    subscription: PushSubscription,
    notification: UserNotification,
    call: DeliveryCall,
  ): Promise<DeliveryResult> {
    const content = pushContent(notification, this.#options.needCount());
    const outcome = await this.#push(subscription, content, call);
    return resultOf([outcome], outcome.kind === 'delivered' ? 1 : 0);
  }

  #takenBy(deliveryId: string): Set<string> {
    const taken = this.#taken.get(deliveryId) ?? new Set<string>();
    this.#taken.set(deliveryId, taken);
    const [oldest] = this.#taken.keys();
    if (this.#taken.size > REMEMBERED_MAX && oldest !== undefined) this.#taken.delete(oldest);
    return taken;
  }

  async #push(
    subscription: PushSubscription,
    content: PushContent,
    call: DeliveryCall,
  ): Promise<PushOutcome> {
    const { subscriptions } = this.#options;
    const outcome = await this.#post(subscription, content, call).catch(() =>
      refused('its keys are none'),
    );
    if (outcome.kind === 'gone') subscriptions.gone(subscription.id);
    else {
      subscriptions.pushed(subscription.id, outcome.kind === 'failed' ? outcome.problem : null);
    }
    return outcome;
  }

  async #post(
    { endpoint, keys }: PushSubscription,
    content: PushContent,
    { nowMs, signal }: DeliveryCall,
  ): Promise<PushOutcome> {
    const { contact, subscriptions, ca } = this.#options;
    const url = URL.parse(endpoint);
    if (url?.protocol !== 'https:') return refused('its push service has no address with https');
    const found = await this.#addressesOf(url, signal);
    if ('kind' in found) return found;
    const body = encryptPush(content.text, keys);
    const headers = {
      'user-agent': 'agtmux',
      'content-type': 'application/octet-stream',
      'content-encoding': 'aes128gcm',
      authorization: identityHeader(url, subscriptions.keys, { contact, nowMs }),
      ttl: String(KEPT_SECONDS),
      topic: content.topic,
      urgency: content.isUrgent ? 'high' : 'normal',
    };
    const lookup = pinned(found.addresses);
    const options = { url, headers, body, signal, timeoutMs: REQUEST_MS, lookup };
    return outcomeOf(await httpPost(ca === undefined ? options : { ...options, ca }));
  }

  /** Looked up at each message: a name may lead elsewhere by now. All of them must be public. */
  async #addressesOf(
    { hostname }: URL,
    signal: AbortSignal,
  ): Promise<{ readonly addresses: readonly FoundAddress[] } | PushOutcome> {
    const { isAllowed = isPublicAddress, lookup = systemLookup } = this.#options;
    const name = hostname.replace(/^\[(.*)\]$/, '$1');
    try {
      const addresses = await withinMs(lookup(name), LOOKUP_MS, signal);
      const isInside = addresses.length === 0 || addresses.some((each) => !isAllowed(each.address));
      return isInside ? refused('its push service is not at a public address') : { addresses };
    } catch {
      const problem = 'the name of its push service is not found';
      return { kind: 'failed', problem, mayRetry: true, retryAfterMs: null };
    }
  }
}

/** The connection goes to an address that was checked, and not to a second reply of DNS. */
const pinned =
  (addresses: readonly FoundAddress[]): LookupFunction =>
  (_name, options, callback) => {
    const [first] = addresses;
    if (options.all) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family);
  };

/** Rejects when the time is over, or the daemon ends. */
async function withinMs<Value>(
  work: Promise<Value>,
  waitMs: number,
  signal: AbortSignal,
): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const limit = AbortSignal.any([signal, AbortSignal.timeout(waitMs)]);
  const end = (): void => reject(limit.reason);
  limit.addEventListener('abort', end, { once: true });
  try {
    return await Promise.race([work, late]);
  } finally {
    limit.removeEventListener('abort', end);
  }
}

const refused = (problem: string): PushOutcome => ({
  ...{ kind: 'failed', problem, mayRetry: false, retryAfterMs: null },
});

function outcomeOf(reply: PostReply): PushOutcome {
  if (reply.kind === 'none') {
    return { kind: 'failed', problem: reply.problem, mayRetry: true, retryAfterMs: null };
  }
  const { status, retryAfterMs } = reply;
  if (status >= 200 && status < 300) return { kind: 'delivered' };
  if (GONE.has(status)) return { kind: 'gone' };
  if (status >= 300 && status < 400) return refused(`status ${status}: no redirect is followed`);
  const mayRetry = status >= 500 || PASSING.has(status);
  return { kind: 'failed', problem: `status ${status}`, mayRetry, retryAfterMs };
}

/** One that took it is enough, once no other may still take it. */
function resultOf(outcomes: readonly PushOutcome[], takenCount: number): DeliveryResult {
  const failures = outcomes.flatMap((each) => (each.kind === 'failed' ? each : []));
  const [problem] = failures.map((each) => each.problem);
  const passing = failures.filter(({ mayRetry }) => mayRetry);
  if (passing.length > 0) {
    const waits = passing.flatMap(({ retryAfterMs }) => retryAfterMs ?? []);
    const result = failedResult(`${counted(failures.length, 'browser')}: ${problem}`, true);
    const mustWait = result.kind === 'failed' && waits.length > 0;
    return mustWait ? { ...result, retryAfterMs: Math.max(...waits) } : result;
  }
  const taken = counted(takenCount, 'browser');
  if (takenCount > 0) return deliveredResult(problem ? `${taken}; one not: ${problem}` : taken);
  return failedResult(problem ?? 'no browser is subscribed any more');
}
