// Qwen Code's hooks: Claude's names, with two differences that matter. PreToolUse comes after the
// approval, so the tool truly runs; and Notification(idle_prompt) follows every end of a turn
// within half a second, interrupted and refused ones too, so the hooks have no hole but the
// process's end.

import type { Normaliser } from '../adapter.ts';
import {
  claudeStyleFacts,
  claudeStyleName,
  claudeStyleRows,
} from '../shared/claude-style-hooks.ts';
import { tableNormaliser } from '../signals/event-table.ts';

export const qwenHooks: Normaliser = tableNormaliser({
  nameOf: claudeStyleName,
  rows: claudeStyleRows,
  factsOf: claudeStyleFacts,
});
