// Messages and receipts as they are shown.

import { isoOf } from '../../operations/ports/iso-time.ts';
import type { Receipt, StoredMessage } from '../../schema/relay/message.ts';
import type { MessageItem, ReceiptItem, SentMessage } from '../../schema/relay/message-schemas.ts';
import type { Parties } from './parties.ts';

const isoOrNull = (atMs: number | null): string | null => (atMs === null ? null : isoOf(atMs));

/** The furthest that it came. */
function statusOf({ status, readAtMs, repliedAtMs }: Receipt): ReceiptItem['status'] {
  if (repliedAtMs !== null) return 'replied';
  return readAtMs === null ? status : 'read';
}

/** `whyOf`: what an open one waits for, which the store does not have. */
export function messageItem(
  message: StoredMessage,
  parties: Parties,
  whyOf: (receipt: Receipt) => string | null,
): MessageItem {
  return {
    message_id: message.messageId,
    thread_id: message.threadId,
    reply_to: message.replyTo,
    bundle: message.bundle,
    from: parties.itemOf(message.sender, message.senderName),
    subject: message.subject,
    body: message.body,
    attachments: [...message.attachments],
    created_at: isoOf(message.createdAtMs),
    expires_at: isoOf(message.expiresAtMs),
    receipts: message.receipts.map((receipt) => ({
      recipient: parties.itemOf(receipt.recipient, receipt.recipientName),
      copy: receipt.isCopy,
      status: statusOf(receipt),
      code: receipt.code,
      reason: (receipt.settledAtMs === null ? whyOf(receipt) : null) ?? receipt.detail,
      reply_channel: receipt.replyChannel,
      settled_at: isoOrNull(receipt.settledAtMs),
      read_at: isoOrNull(receipt.readAtMs),
      replied_at: isoOrNull(receipt.repliedAtMs),
    })),
  };
}

const isWell = ({ status, readAtMs }: Receipt): boolean =>
  status === 'delivered' || readAtMs !== null;

/** What a wait has shown; a message to nobody is a success. */
export function waitStatus({ receipts }: StoredMessage): SentMessage['status'] {
  const count = receipts.filter(isWell).length;
  if (count === receipts.length) return 'success';
  return count === 0 ? 'failure' : 'partial';
}
