// What a notification is about: what a pane needs a person for, and news of what was done in a
// person's name.

import { z } from 'zod';
import { attentionKinds } from '../state.ts';

/** `rule`: a repeat rule has answered a request. */
export const notifyKinds = [...attentionKinds, 'rule'] as const;
export const notifyKindSchema = z.enum(notifyKinds).meta({ id: 'NotifyKind' });
export type NotifyKind = z.infer<typeof notifyKindSchema>;
