// A receiver of webhooks on loopback: it writes down each request and answers as the test has it.

import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A status, with headers; `silence` never answers, `hangup` closes the connection. */
export type PlannedReply =
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  | 'silence'
  | 'hangup'
  /** An answer without an end. */
  | 'flood';

export interface WebhookReceiver {
  readonly url: string;
  readonly requests: ReceivedRequest[];
  /** What the next requests are answered; the last one goes for all that follow. */
  replies: PlannedReply[];
}

export async function webhookReceiver(...replies: PlannedReply[]): Promise<WebhookReceiver> {
  const requests: ReceivedRequest[] = [];
  const receiver = { url: '', requests, replies };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      requests.push({ method, path, headers, body: Buffer.concat(chunks).toString() });
      const [next = { status: 200 }] = receiver.replies;
      if (receiver.replies.length > 1) receiver.replies.shift();
      answer(response, next);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return receiver;
}

function answer(response: ServerResponse, reply: PlannedReply): void {
  if (reply === 'silence') return;
  if (reply === 'hangup') response.destroy();
  else if (reply === 'flood') {
    response.writeHead(200);
    const more = (): void => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    };
    response.on('drain', more);
    more();
  } else {
    response.writeHead(reply.status, reply.headers);
    response.end(reply.body ?? '');
  }
}
