// The one way from a key to an action: refused here while nothing can be done, else one effect, and
// the row shows it until its outcome is there. Pure.

import type { UpdateResult } from '../message.ts';
import type { Model, Order, ShownAgent } from '../model.ts';
import { isBusy } from '../rows/open-requests.ts';
import { just, withNotice } from '../steps.ts';

/** Begins an order on an agent as it was shown. */
export function act(model: Model, shown: ShownAgent, order: Order): UpdateResult<Model> {
  if (model.link.kind !== 'up') {
    // In a line that is typed, an r is a letter.
    const next = model.page.kind === 'prompt' ? 'Enter tries again' : 'r starts it';
    const text = `Nothing was done: the daemon does not answer. ${next}.`;
    return just(withNotice(model, text, true));
  }
  if (isBusy(model, shown.pane)) {
    return just(withNotice(model, 'Nothing was done: wait for what is under way there.', true));
  }
  const running = new Map(model.running).set(shown.pane.pane_key, order);
  return just({ ...model, running }, { kind: 'act', shown, order });
}
