// What a batch of messages is typed as: one prompt, an envelope for each. Everything that somebody
// else wrote is cleaned before it is enveloped, so that quoting sees what the agent will see.

import { cleanText } from '../../acting/clean-text.ts';
import {
  batchText,
  type EnvelopeParty,
  type MessageEnvelope,
} from '../../relay/messages/envelope.ts';
import type { PartyId } from '../../schema/ids.ts';
import type { ReplyChannel, StoredMessage } from '../../schema/relay/message.ts';
import { REPLY_SOURCE } from '../../sources/spool/spool-reply.ts';

/** The emitter that hooks of another machine run, at its usual path. */
const EMITTER = '~/.local/share/agtmux/bin/agtmux-emit';

/** As `cleanText` leaves it: nothing of it changes when it is typed. */
export const promptText = (
  batch: readonly StoredMessage[],
  recipient: PartyId,
  replyChannel: ReplyChannel,
): string => batchText(batch.map((message) => envelopeOf(message, recipient, replyChannel)));

const clean = (text: string): string => cleanText(text).text;

function envelopeOf(
  message: StoredMessage,
  recipient: PartyId,
  replyChannel: ReplyChannel,
): MessageEnvelope {
  const { receipts, messageId, subject } = message;
  const own = receipts.find((each) => each.recipient === recipient);
  if (!own) throw new Error(`message ${messageId} has no receipt of ${recipient}`);
  const named = (isCopy: boolean): readonly EnvelopeParty[] =>
    receipts
      .filter((each) => each.isCopy === isCopy)
      .map((each) => ({ id: each.recipient, name: clean(each.recipientName) }));
  return {
    ...{ messageId, boundary: own.boundary, sentAtMs: message.createdAtMs },
    from: { id: message.sender, name: clean(message.senderName) },
    isFromPerson: message.sender.startsWith('operator:'),
    ...{ to: named(false), cc: named(true) },
    ...{ threadId: message.threadId, replyTo: message.replyTo },
    subject: subject === null ? null : clean(subject),
    attachments: message.attachments.map(clean),
    replyWith: replyLine(messageId, replyChannel),
    body: clean(message.body),
  };
}

function replyLine(messageId: string, replyChannel: ReplyChannel): string | null {
  if (replyChannel === 'cli') return `agtmux msg reply ${messageId} 'TEXT'`;
  if (replyChannel === 'no_reply_channel') return null;
  return `${EMITTER} --source ${REPLY_SOURCE} --event ${messageId} 'TEXT'`;
}
