// Every operation by name, with what goes in and comes out: the groups of this folder as one list.
// Validation, the typed client and the published JSON Schema are made of it; who may call what is
// operations/table.ts.

import type { z } from 'zod';
import { notifySchemas } from '../notify/notify-schemas.ts';
import { webPushSchemas } from '../notify/push-schemas.ts';
import { acpSchemas } from '../relay/acp-api.ts';
import { teamSchemas } from '../relay/bundle-api.ts';
import { callerSchemas } from '../relay/callers.ts';
import { messageSchemas } from '../relay/message-schemas.ts';
import { webSchemas } from '../web/open-web.ts';
import { outputSchemas } from '../web/output.ts';
import { shareSchemas } from '../web/share.ts';
import { typingSchemas } from '../web/typing.ts';
import { uploadSchemas } from '../web/upload.ts';
import { actingSchemas } from './acting.ts';
import { actionSchemas } from './actions.ts';
import { conversationSchemas } from './conversation.ts';
import { doctorSchemas } from './doctor.ts';
import { healthSchemas } from './health.ts';
import { hookSchemas } from './hooks.ts';
import { ledgerSchemas } from './ledger.ts';
import { paneSchemas } from './panes.ts';
import { previewSchemas, recordingSchemas } from './preview.ts';
import { sourceSchemas } from './sources.ts';
import { streamSchemas } from './stream.ts';
import { targetSchemas } from './targets.ts';

export const operationSchemas = {
  ...healthSchemas,
  ...paneSchemas,
  ...ledgerSchemas,
  ...previewSchemas,
  ...conversationSchemas,
  ...doctorSchemas,
  ...recordingSchemas,
  ...actingSchemas,
  ...actionSchemas,
  ...callerSchemas,
  ...messageSchemas,
  ...targetSchemas,
  ...teamSchemas,
  ...acpSchemas,
  ...hookSchemas,
  ...notifySchemas,
  ...webPushSchemas,
  ...sourceSchemas,
  ...streamSchemas,
  ...webSchemas,
  ...shareSchemas,
  ...typingSchemas,
  ...outputSchemas,
  ...uploadSchemas,
} as const;

export type OperationName = keyof typeof operationSchemas;

/** What the typed client offers: by name, what goes in and what comes out. */
export type OperationMap = {
  readonly [Name in OperationName]: {
    readonly input: z.input<(typeof operationSchemas)[Name]['input']>;
    readonly output: z.output<(typeof operationSchemas)[Name]['output']>;
  };
};
