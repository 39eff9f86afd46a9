// What the HUD shows of the panes: the agents, those who need a person first.

import { listedPanes, sortItems, summaryItem } from '../../operations/answer/listing.ts';
import { paneItem } from '../../operations/answer/pane-item.ts';
import { paneView } from '../../operations/panes.ts';
import type { PanesPort } from '../../operations/ports/ports.ts';
import type { HudContent } from '../../render/overview/hud-lines.ts';

export function hudContent(port: PanesPort): HudContent {
  const view = paneView(port);
  const panes = listedPanes(view.world, {});
  const agents = panes.filter(({ row }) => row.agent !== null);
  return {
    summary: summaryItem(panes),
    panes: sortItems(agents.map((pane) => paneItem(view, pane))),
    isDoubtful: port.storeError() !== null,
  };
}
