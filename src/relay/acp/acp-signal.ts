// What an ACP member reports of itself, in the order in which it happened. What it means for the
// state is agents/shared/acp-signals.ts.

import type { AcpObject } from './acp-frames.ts';

export interface PermissionOption {
  readonly id: string;
  readonly label: string;
  /** `allow_once`, `allow_always`, `reject_once`, `reject_always`, or another word of the agent. */
  readonly kind: string;
}

export interface PermissionRequest {
  readonly requestId: string;
  readonly toolCall: AcpObject;
  readonly options: readonly PermissionOption[];
}

export type AcpSignal =
  | { readonly kind: 'spawned'; readonly pid: number }
  | {
      readonly kind: 'ready';
      readonly sessionId: string;
      /** An earlier life of it was in a turn. */
      readonly wasInterrupted: boolean;
    }
  | { readonly kind: 'auth_required'; readonly detail: string }
  | { readonly kind: 'turn_began'; readonly text: string }
  | {
      readonly kind: 'update';
      readonly update: AcpObject;
      /** `replay`: of a session that is opened. `rest`: after a turn, or before the first. */
      readonly during: 'turn' | 'rest' | 'replay';
    }
  | { readonly kind: 'permission'; readonly request: PermissionRequest }
  | {
      readonly kind: 'permission_over';
      readonly request: PermissionRequest;
      /** Null: it was cancelled. */
      readonly chosen: PermissionOption | null;
      readonly openCount: number;
    }
  | {
      readonly kind: 'turn_ended';
      readonly stopReason: string;
      /** The last message of the agent in it. */
      readonly lastText: string;
    }
  | {
      readonly kind: 'turn_failed';
      readonly code: number;
      readonly message: string;
      readonly data: unknown;
    }
  | {
      readonly kind: 'exited';
      readonly exitCode: number | null;
      readonly signal: string | null;
      /** Why we ended it or could not start it; null where it ended by itself. */
      readonly reason: string | null;
      readonly wasInTurn: boolean;
      /** Somebody asked for its end. */
      readonly isWanted: boolean;
    };
