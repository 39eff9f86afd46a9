// What can happen to the live view (messages), and what it requests (effects). Data only.

import type { PushMessage } from '../client/client.ts';
import type { ActionReport } from '../schema/api/acting.ts';
import type { EndedAgentItem } from '../schema/api/actions.ts';
import type { ConversationPage } from '../schema/api/conversation.ts';
import type { Explanation } from '../schema/api/ledger.ts';
import type { PaneIdentityItem } from '../schema/api/panes.ts';
import type { Preview } from '../schema/api/preview.ts';
import type { BundleAction, BundleList } from '../schema/relay/bundle-api.ts';
import type { Inbox, MessageItem } from '../schema/relay/message-schemas.ts';
import type { Key } from './keys.ts';
import type { Order, ShownAgent, TerminalSize, TuiSettings, WrittenMessage } from './model.ts';
import type { Preferences } from './preferences.ts';

/** The reply of the daemon, or why there is none. */
export type DaemonReply<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false;
      readonly problem: string;
      readonly code?: string;
      readonly hint?: string | null;
    };

export type Message =
  | { readonly type: 'tick'; readonly nowMs: number }
  | { readonly type: 'resized'; readonly size: TerminalSize }
  | { readonly type: 'key'; readonly key: Key }
  | { readonly type: 'push'; readonly push: PushMessage }
  | { readonly type: 'configured'; readonly settings: TuiSettings; readonly isLight: boolean }
  | { readonly type: 'link'; readonly link: 'lost' | 'silent' | 'back' }
  | {
      readonly type: 'previewed';
      readonly paneKey: string;
      readonly answer: DaemonReply<Preview>;
    }
  | {
      readonly type: 'explained';
      readonly paneKey: string;
      readonly answer: DaemonReply<Explanation>;
    }
  | {
      readonly type: 'log-read';
      readonly paneKey: string;
      readonly answer: DaemonReply<ConversationPage>;
    }
  | {
      readonly type: 'acted';
      readonly shown: ShownAgent;
      readonly order: Order;
      readonly answer: DaemonReply<ActionReport>;
    }
  | { readonly type: 'ended'; readonly answer: DaemonReply<readonly EndedAgentItem[]> }
  | {
      readonly type: 'resumed';
      readonly agent: EndedAgentItem;
      readonly answer: DaemonReply<ActionReport>;
    }
  | { readonly type: 'messages-read'; readonly answer: DaemonReply<Inbox> }
  | {
      readonly type: 'message-sent';
      readonly draft: WrittenMessage;
      readonly answer: DaemonReply<MessageItem>;
    }
  | { readonly type: 'message-canceled'; readonly answer: DaemonReply<MessageItem> }
  | { readonly type: 'teams-read'; readonly answer: DaemonReply<BundleList> }
  | { readonly type: 'notice'; readonly text: string; readonly isProblem: boolean };

/** What the pages of messages and teams request. */
export type TeamEffect =
  | { readonly kind: 'read-messages' }
  | { readonly kind: 'mark-read'; readonly ids: readonly string[] }
  | { readonly kind: 'send-message'; readonly draft: WrittenMessage }
  | { readonly kind: 'cancel-message'; readonly id: string }
  | { readonly kind: 'read-teams' }
  | { readonly kind: 'run-bundle'; readonly bundle: string; readonly action: BundleAction };

export type Effect =
  | { readonly kind: 'preview'; readonly paneKey: string }
  | { readonly kind: 'explain'; readonly paneKey: string }
  | { readonly kind: 'read-log'; readonly paneKey: string }
  | {
      readonly kind: 'jump';
      readonly paneKey: string;
      readonly place: PaneIdentityItem;
    }
  | { readonly kind: 'start-daemon' }
  | { readonly kind: 'snooze'; readonly paneKey: string; readonly forMs: number }
  | { readonly kind: 'unsnooze'; readonly paneKey: string }
  | { readonly kind: 'name'; readonly paneKey: string; readonly alias: string | null }
  | { readonly kind: 'act'; readonly shown: ShownAgent; readonly order: Order }
  | { readonly kind: 'list-ended' }
  | { readonly kind: 'resume'; readonly agent: EndedAgentItem }
  | TeamEffect
  | { readonly kind: 'remember'; readonly change: Partial<Preferences> }
  | { readonly kind: 'redraw' }
  | { readonly kind: 'suspend' }
  | { readonly kind: 'quit' };

export interface UpdateResult<M> {
  readonly model: M;
  readonly effects: readonly Effect[];
}
