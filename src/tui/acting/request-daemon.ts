// Starts the daemon when a person asks for it. Loaded with the first time.

import type { DaemonClient } from '../../client/client.ts';
import type { Message } from '../message.ts';
import { problemNotice } from '../steps.ts';

export async function requestDaemon(open: () => Promise<DaemonClient>): Promise<Message> {
  try {
    const client = await open();
    client.close();
    return { type: 'notice', text: 'The daemon has started.', isProblem: false };
  } catch (error) {
    const { message, hint } = error as { message?: string; hint?: string | null };
    return problemNotice(`${message ?? String(error)}${hint ? ` ${hint}` : ''}`);
  }
}
